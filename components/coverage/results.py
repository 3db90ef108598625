"""What is known: the summary, the table with what can be done with its items, the chart, and the file."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from components.clock import time_column, time_of_day
from components.coverage.chart import distinct, show_chart
from components.links import BULK_PAGE, ITEM_PAGE, address_of_item
from components.notices import show_error
from components.session import address_of_environment
from components.table import show_table
from components.verbatim import described, plain, showable, verbatim
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.in_words import many
from item_visibility.use_cases.coverage import (
    CellState,
    Coverage,
    CoverageChoice,
    CoverageColumn,
    CoverageRow,
    Difference,
    changes,
    read_coverage,
    write_coverage,
)
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import title_of_item

MAX_ITEMS = 20_000
"""The most items that are shown for all suppliers together: more would take seconds."""
MAX_COLUMNS = 10
_FEW_COLUMNS = 2
_OWN = ("Item", "Difference", "Last read", "Problem", "Supplier", "Item number", "Supplier number")
_ITEM_PX = 210
"""Streamlit does not pin a column that is wider than 60 % of a phone."""
_COLUMN_PX = 140


def show_coverage(desk: Desk, choice: CoverageChoice) -> None:
    """Draw the coverage as last read; nothing is sent."""
    try:
        if choice.supplier is None and _has_too_many(desk):
            words = f"More than {MAX_ITEMS:,} items are known here: choose a supplier."
            st.info(words, icon=":material/info:")
            return
        coverage = read_coverage(desk.records, choice)
    except ItemVisibilityError as error:
        show_error("The coverage could not be read. Nothing was changed.", error, key="coverage_error")
        return
    if not coverage.rows:
        start = "This supplier has no known items here." if choice.supplier else "No item is known here yet."
        words = f"{start} Open one on the page Item, or import names under Directory."
        st.info(words, icon=":material/info:")
        return
    _show_summary(desk, coverage)
    if not coverage.columns:
        st.info(
            "No recipient was seen on these items yet. Read all items now, or choose recipients above.",
            icon=":material/info:",
        )
        return
    _show_results(desk, choice, coverage)


def _has_too_many(desk: Desk) -> bool:
    return len(desk.records.directory[Kind.ITEM].all()) > MAX_ITEMS


def _show_results(desk: Desk, choice: CoverageChoice, coverage: Coverage) -> None:
    """Draw the map of several columns, the table, and what can be done with its items."""
    if not coverage.is_chosen or len(coverage.columns) > _FEW_COLUMNS:
        show_chart(coverage)
    rows = _choose_rows(coverage)
    suppliers = {} if choice.supplier else desk.names.supplier_names({row.item.item.supplier for row in rows})
    _offer_next(desk, coverage, [rows[at] for at in _show_table(coverage, rows, suppliers)])
    st.download_button(
        "Download as XLSX",
        partial(write_coverage, coverage),
        file_name="coverage.xlsx",
        key="coverage_xlsx",
        icon=":material/download:",
        on_click="ignore",
        disabled=not coverage.fits_file,
        help=None if coverage.fits_file else "Too large for one file: choose fewer items or recipients",
    )


def _show_summary(desk: Desk, coverage: Coverage) -> None:
    """Show how many items are read, what the chosen recipients can see, and when the items were read."""
    read = len(coverage.read_rows)
    unread = len(coverage.rows) - read
    end = f"; {unread:,} not read." if unread else "."
    few = coverage.columns if coverage.is_chosen and len(coverage.columns) <= _FEW_COLUMNS else ()
    with st.container(gap=None, key="coverage_summary"):
        for number, column in enumerate(few):
            _show_column(coverage, column, number, end)
        if not few:
            words = f"{read:,} of {many(len(coverage.rows), 'item')} read"
            st.markdown(f"**{plain(words)}**{plain(end)}")
        if coverage.is_comparison:
            differences = [row.difference for row in coverage.rows]
            missing, extra = map(differences.count, (Difference.MISSING, Difference.EXTRA))
            who = f"{plain(coverage.columns[0].title)} compared with {plain(coverage.columns[1].title)}"
            st.markdown(f"{who}: **{plain(f'{missing:,} missing')}**{plain(f', {extra:,} extra.')}")
        if times := coverage.read_times:
            oldest, newest = time_of_day(times[0]), time_of_day(times[-1])
            words = f"Last read {oldest}." if oldest == newest else f"Last read {oldest} to {newest}."
            st.markdown(plain(words))
    for number, column in enumerate(few):
        is_seen = any(row.cells[number].state is CellState.CAN for row in coverage.rows)
        if not (column.is_set or is_seen or desk.names.known_recipients([column.id])):
            st.caption(f"{verbatim(column.id)} is not known here and can see nothing: is the number right?")


def _show_column(coverage: Coverage, column: CoverageColumn, number: int, end: str) -> None:
    """Say how many of the read items one column can see, and how many are in between."""
    states = [row.cells[number].state for row in coverage.read_rows]
    seen = f"{states.count(CellState.CAN):,} of {many(len(states), 'read item')}"
    between = {CellState.PARTLY: "visible to some of them", CellState.UNKNOWN: "in doubt"}
    others = "".join(f", {states.count(one):,} {words}" for one, words in between.items() if one in states)
    members = plain(many(len(column.members), "recipient"))
    who = f"Set {verbatim(column.id)}: all {members}" if column.is_set else described(column.id, column.name)
    st.markdown(f"{who} can see **{plain(seen)}**{plain(others + end)}")


def _choose_rows(coverage: Coverage) -> Sequence[CoverageRow]:
    """In a comparison, draw the choice of a difference. Return the chosen rows."""
    if not coverage.is_comparison:
        return coverage.rows
    label = f"Show items for {plain(coverage.columns[0].title)}"
    options = ("All", "Missing", "Extra")
    name = st.segmented_control(label, options, key="coverage_shown", default="All", required=True)
    return [row for row in coverage.rows if name in {"All", row.difference.value}]


def _show_table(coverage: Coverage, rows: Sequence[CoverageRow], suppliers: Mapping[str, str]) -> list[int]:
    """Draw the rows, and return the positions of those that are ticked."""
    columns = coverage.columns[:MAX_COLUMNS]
    headings = _headings(columns)
    config: dict[str, Any] = {
        heading: st.column_config.TextColumn(width=_COLUMN_PX, help=plain(column.heading))
        for heading, column in zip(headings, columns, strict=True)
    }
    config["Item"] = st.column_config.TextColumn(pinned=True, width=_ITEM_PX)
    config["Last read"] = time_column("Last read")
    has_suppliers = len({row.item.item.supplier for row in rows}) > 1
    ticked = show_table(
        [
            (
                title_of_item(row.item),
                row.difference.value,
                *(cell.words for cell in row.cells[:MAX_COLUMNS]),
                row.item.seen_at,
                row.item.failure,
                suppliers.get(row.item.item.supplier, ""),
                row.item.item.supplier_item_id,
                row.item.item.supplier if has_suppliers else "",
            )
            for row in rows
        ],
        [*_OWN[:2], *headings, *_OWN[2:]],
        key="coverage_table",
        about=([column.id for column in coverage.columns], [row.item.item for row in rows]),
        alt="Known items, and which recipients can see each",
        optional=("Difference", "Problem", "Supplier", "Supplier number"),
        config=config,
        placeholder="never",
        choose="multi-row",
    )
    if (count := len(coverage.columns)) > MAX_COLUMNS:
        st.caption(plain(f"The table shows the first {MAX_COLUMNS} of {count:,} columns; the file has all."))
    return ticked


def _headings(columns: Sequence[CoverageColumn]) -> list[str]:
    titles, full = [showable(one.title) for one in columns], [showable(one.heading) for one in columns]
    return distinct(titles, full, taken=_OWN)


def _offer_next(desk: Desk, coverage: Coverage, ticked: Sequence[CoverageRow]) -> None:
    """Offer what can be done with the ticked items: open one, or preview changes to all of them."""
    columns = () if desk.is_locked else coverage.changed_columns
    if not ticked:
        words = "Tick items to preview changes to them." if columns else "Tick an item to open it."
        st.caption(plain(words))
        return
    with st.container(horizontal=True, vertical_alignment="center", key="coverage_next"):
        if columns:
            who = columns[0].title if len(columns) == 1 else many(len(columns), "column")
            added, removed = changes(columns, ticked)
            _offer_preview(desk, f"Add {who}", f"adding {who} to", added, key="adding")
            _offer_preview(desk, f"Remove {who}", f"removing {who} from", removed, key="removing")
        if len(ticked) == 1:
            address = address_of_item(ticked[0].item.item)
            st.page_link(ITEM_PAGE, label="Open the item", icon=":material/visibility:", query_params=address)
    if columns and (unread := sum(row.item.recipients is None for row in ticked)):
        st.caption(plain(f"Not in a preview: {many(unread, 'item')} not read yet."))


def _offer_preview(desk: Desk, title: str, words: str, items: tuple[BulkItem, ...], *, key: str) -> None:
    label = plain(f"Preview {words} {many(len(items), 'item') if items else '…'}")
    if st.button(label, key=f"preview_{key}", icon=":material/preview:", disabled=not items):
        try:
            job = desk.bulk.start_preview(items, title=showable(title))
        except ItemVisibilityError as error:
            show_error("The preview could not be started. No item was changed.", error)
            return
        st.switch_page(BULK_PAGE, query_params={"job": job} | address_of_environment())
