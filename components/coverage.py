"""The coverage page: choose items and recipients, scan, and see a summary, a map and a table."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from components.address import (
    BULK_PAGE,
    ITEM_PAGE,
    address_of_item,
    link_to,
    unread_visit,
    write_address,
)
from components.clock import time_column, time_of_day, to_the_second
from components.downloads import offer_download
from components.finder.search_fields import (
    ChoiceField,
    RecipientField,
    choose_one,
    choose_recipients,
    chosen_one,
    chosen_recipients,
    put_one,
    put_recipients,
)
from components.item.picker import last_item
from components.markdown_escape import described, plain, showable, verbatim, visible
from components.notices import error_shown, step_button
from components.session import address_of_environment
from components.table import show_table
from item_visibility.model.job import BulkItem, JobState
from item_visibility.model.known_ids import Kind
from item_visibility.model.words import many
from item_visibility.storage.database_errors import or_else
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
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
from item_visibility.use_cases.exports import export_file
from item_visibility.use_cases.find_by_name import row_of, title_of

SUPPLIER, SETS = "coverage_supplier", "coverage_sets"
RECIPIENTS = RecipientField("coverage_recipients")
_SUPPLIER, _RECIPIENT, _SET = "supplier", "recipient", "set"
MAX_ITEMS = 20_000
"""The largest number of items that are shown if no supplier is chosen.

More would take seconds.
"""
MAX_COLUMNS = 10
MAP_ITEMS, MAP_COLUMNS = 100, 50
_FEW_COLUMNS = 2
_OWN = (
    "Item",
    "Difference",
    "Last read",
    "Problem",
    "Supplier",
    "Item number",
    "Supplier number",
)
_ITEM_PX, _COLUMN_PX = 210, 140
"""Streamlit pins a column only if it takes at most 60 % of the screen.

These widths fit on a phone.
"""
_MAP_ROW_PX, _MAP_COLUMN_PX, _LABEL_PX, _HEAD_PX, _LEGEND_PX = 20, 44, 230, 200, 200
_GRAY = "#8a94a6"
_LOOKS = {
    CellState.CAN: ("yes", "#1b66d1"),
    CellState.PARTLY: ("some of the set", "#b35c00"),
    CellState.CANNOT: ("no", f"{_GRAY}33"),
    CellState.UNKNOWN: ("not known", "#00000000"),
}
"""The words in the legend and the color for each state of a cell."""


def choose_coverage(desk: Desk) -> CoverageChoice | None:
    """Draw the fields, and put the choice into the address.

    Return None if nothing is chosen.
    """
    visit = unread_visit("coverage")
    if visit is not None:
        supplier, recipients, sets = (
            visit.first(_SUPPLIER),
            visit.all(_RECIPIENT),
            visit.all(_SET),
        )
        if supplier or recipients or sets or visit.is_back:
            put_one(SUPPLIER, supplier)
            put_recipients(desk, RECIPIENTS, recipients)
            st.session_state[SETS] = list(sets)
        elif (
            _choice(desk) == CoverageChoice() and (item := last_item(desk)) is not None
        ):
            put_one(SUPPLIER, item.supplier)
    known = [one.name for one in or_else((), desk.records.sets.all)]
    chosen = tuple(st.session_state.get(SETS, ()))
    with st.container(key="coverage_choice"):
        columns = st.columns([2, 3, 2] if known or chosen else [2, 3])
        with columns[0]:
            one = ChoiceField(Kind.SUPPLIER, SUPPLIER)
            choose_one(desk, one, label="Supplier", placeholder="All suppliers")
        with columns[1]:
            choose_recipients(desk, RECIPIENTS, label="Recipients", reruns_page=True)
        for column in columns[2:]:
            column.multiselect(
                "Recipient sets",
                (
                    *known,
                    *(one for one in chosen if one not in known),
                ),  # deleted sets too, to deselect
                key=SETS,
                placeholder="None",
                persist_state="session",
            )
    choice = _choice(desk)
    write_address(
        {
            _SUPPLIER: choice.supplier or "",
            _RECIPIENT: choice.recipients,
            _SET: choice.sets,
        }
    )
    return None if choice == CoverageChoice() else choice


def _choice(desk: Desk) -> CoverageChoice:
    recipients = chosen_recipients(desk, RECIPIENTS).ids
    return CoverageChoice(
        chosen_one(SUPPLIER) or None, recipients, tuple(st.session_state.get(SETS, ()))
    )


def show_scan(desk: Desk, supplier: str | None) -> None:
    """Draw the progress of the scan of the supplier's known items, or the button that starts it."""
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is not None and scan.state is JobState.READING:
        _follow_scan(desk, supplier)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="scan"):
        if scan is not None and scan.unread:
            step_button(
                "Resume the scan",
                desk.scans.resume,
                supplier,
                key="scan_resume",
                icon="play_arrow",
            )
        start = desk.scans.start
        step_button(
            "Read all items now",
            start,
            supplier,
            key="scan_start",
            icon="sync",
            is_primary=True,
        )
        if scan is not None and scan.unread:
            words = f"The last scan read {scan.read_items:,} of {many(scan.item_count, 'item')}."
            st.caption(plain(words))


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_scan(desk: Desk, supplier: str | None) -> None:
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is None or scan.state is not JobState.READING:
        st.rerun()
    words = f"{scan.read_items:,} of {many(scan.item_count, 'item')} checked"
    st.progress(
        scan.read_items / scan.item_count if scan.item_count else 0.0, text=plain(words)
    )
    if scan.next_try_at is not None:
        st.caption(
            "The service does not answer. Next try at "
            f"{plain(to_the_second(scan.next_try_at))}. "
            "Items that were not read yet are shown as “not known”."
        )
    step_button(
        "Cancel the scan", desk.scans.cancel, supplier, key="scan_cancel", icon="cancel"
    )


def show_coverage(desk: Desk, choice: CoverageChoice) -> None:
    """Draw who could see the items when they were last read."""
    if (
        choice.supplier is None
        and len(desk.records.directory[Kind.ITEM].current().rows) > MAX_ITEMS
    ):
        words = f"There are more than {MAX_ITEMS:,} known items. Choose a supplier."
        st.info(words, icon=":material/info:")
        return
    coverage = read_coverage(desk.records, choice)
    if not coverage.rows:
        start = (
            "No items of this supplier are known yet."
            if choice.supplier
            else "No items are known yet."
        )
        words = f"{start} Open an item on the page Item, or import names on the page Directory."
        st.info(words, icon=":material/info:")
        return
    _show_summary(desk, coverage)
    if not coverage.columns:
        st.info(
            "No recipients of these items are known yet. Read all items now, or "
            "choose recipients above.",
            icon=":material/info:",
        )
        return
    if not coverage.is_chosen or len(coverage.columns) > _FEW_COLUMNS:
        _show_map(coverage)
    rows: Sequence[CoverageRow] = coverage.rows
    if coverage.is_comparison:
        label = f"Show items for {plain(coverage.columns[0].title)}"
        options = ("All", "Missing", "Extra")
        name = st.segmented_control(
            label, options, key="coverage_shown", default="All", required=True
        )
        rows = [row for row in rows if name in {"All", row.difference.value}]
    suppliers = (
        {}
        if choice.supplier
        else desk.names.supplier_names({row.item.item.supplier for row in rows})
    )
    _offer_next(
        desk, coverage, [rows[at] for at in _show_table(coverage, rows, suppliers)]
    )
    make = partial(
        export_file,
        desk,
        partial(write_coverage, coverage),
        item_count=len(coverage.rows),
    )
    offer_download("Download as XLSX", "coverage.xlsx", make, key="coverage_xlsx")


def _show_summary(desk: Desk, coverage: Coverage) -> None:
    read_rows = [row for row in coverage.rows if row.item.recipients is not None]
    read, unread = len(read_rows), len(coverage.rows) - len(read_rows)
    end = f"; {unread:,} not read." if unread else "."
    few = (
        coverage.columns
        if coverage.is_chosen and len(coverage.columns) <= _FEW_COLUMNS
        else ()
    )
    with st.container(gap=None, key="coverage_summary"):
        for number, column in enumerate(few):
            states = [row.cells[number].state for row in read_rows]
            seen = (
                f"{states.count(CellState.CAN):,} of {many(len(states), 'read item')}"
            )
            doubts = {
                CellState.PARTLY: "visible to some recipients of the set",
                CellState.UNKNOWN: "unknown",
            }
            others = "".join(
                f", {states.count(one):,} {words}"
                for one, words in doubts.items()
                if one in states
            )
            who = described(column.id, column.name)
            if column.is_set:
                who = f"Set {verbatim(column.id)}: all {plain(many(len(column.members), 'recipient'))}"
            st.markdown(f"{who} can see **{plain(seen)}**{plain(others + end)}")
        if not few:
            words = f"{read:,} of {many(len(coverage.rows), 'item')} read"
            st.markdown(f"**{plain(words)}**{plain(end)}")
        if coverage.is_comparison:
            differences = [row.difference for row in coverage.rows]
            missing, extra = map(
                differences.count, (Difference.MISSING, Difference.EXTRA)
            )
            who = f"{plain(coverage.columns[0].title)} compared with {plain(coverage.columns[1].title)}"
            st.markdown(
                f"{who}: **{plain(f'{missing:,} missing')}**{plain(f', {extra:,} extra.')}"
            )
        if times := [
            row.item.seen_at for row in coverage.rows if row.item.seen_at is not None
        ]:
            oldest, newest = time_of_day(min(times)), time_of_day(max(times))
            words = (
                f"Last read {oldest}."
                if oldest == newest
                else f"Last read {oldest} to {newest}."
            )
            st.markdown(plain(words))
    for number, column in enumerate(few):
        is_seen = any(row.cells[number].state is CellState.CAN for row in coverage.rows)
        if not (
            column.is_set or is_seen or desk.names.is_known(Kind.RECIPIENT, column.id)
        ):
            st.caption(
                f"{verbatim(column.id)} is not known and can see none of these "
                "items. Is the number right?"
            )


def _show_map(coverage: Coverage) -> None:
    rows, columns = coverage.rows[:MAP_ITEMS], coverage.columns[:MAP_COLUMNS]
    recipients = _distinct((one.title, one.heading) for one in columns)
    titles = [
        (title_of(row_of(row.item)), row.item.item.supplier_item_id) for row in rows
    ]
    items = _distinct((title, f"{title} ({number})") for title, number in titles)
    cells = pd.DataFrame(
        [
            (
                item,
                recipient,
                _LOOKS[cell.state][0],
                cell.words,
                time_of_day(seen) if seen else "never",
            )
            for item, row in zip(items, rows, strict=True)
            for seen in [row.item.seen_at]
            for recipient, cell in zip(recipients, row.cells, strict=False)
        ],
        columns=["Item", "Recipient", "Look", "Answer", "Last read"],
    )
    words, colors = zip(
        *(look for look in _LOOKS.values() if look[0] in set(cells["Look"])),
        strict=True,
    )
    bare: dict[str, Any] = {"grid": False, "domain": False, "ticks": False}
    top = alt.Axis(
        orient="top", labelAngle=-90, labelLimit=150, labelOverlap="greedy", **bare
    )
    left = alt.Axis(labelLimit=_LABEL_PX - 10, labelOverlap=False, **bare)
    legend = alt.Legend(orient="top", title=None, symbolType="square", columns=1)
    chart = (
        alt.Chart(cells)
        .mark_rect(stroke=_GRAY, strokeWidth=0.5)
        .encode(
            x=alt.X("Recipient:N", sort=None, title=None, axis=top),
            y=alt.Y("Item:N", sort=None, title=None, axis=left),
            color=alt.Color(
                "Look:N", scale=alt.Scale(domain=words, range=colors), legend=legend
            ),
            tooltip=[
                f"{name}:N" for name in ("Item", "Recipient", "Answer", "Last read")
            ],
        )
        .properties(height=len(rows) * _MAP_ROW_PX + _HEAD_PX)
    )
    st.altair_chart(
        chart,
        width=_LABEL_PX
        + max(len(columns) * _MAP_COLUMN_PX, _LEGEND_PX),  # a phone draws it narrower
        theme=None,
        key="coverage_map",
        alt="Map of the items and the recipients that can see them. The table below "
        "shows the same data",
    )
    parts = [
        f"the {which} {shown:,} of {count:,} {what}"
        for which, shown, count, what in (
            ("first", MAP_ITEMS, len(coverage.rows), "items"),
            ("first", MAP_COLUMNS, len(coverage.columns), "columns"),
            (
                "most frequent",
                len(coverage.columns),
                coverage.seen_recipients,
                "recipients",
            ),
        )
        if count > shown
    ]
    if parts:
        st.caption(plain(f"The map shows {' and '.join(parts)}."))


def _show_table(
    coverage: Coverage, rows: Sequence[CoverageRow], suppliers: Mapping[str, str]
) -> list[int]:
    columns = coverage.columns[:MAX_COLUMNS]
    headings = _distinct(((one.title, one.heading) for one in columns), taken=_OWN)
    config: dict[str, Any] = {
        heading: st.column_config.TextColumn(
            width=_COLUMN_PX, help=plain(column.heading)
        )
        for heading, column in zip(headings, columns, strict=True)
    }
    config["Item"] = st.column_config.TextColumn(pinned=True, width=_ITEM_PX)
    config["Last read"] = time_column("Last read")
    has_suppliers = len({row.item.item.supplier for row in rows}) > 1
    ticked = show_table(
        [
            (
                title_of(row_of(row.item)),
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
        about=(
            [column.id for column in coverage.columns],
            [row.item.item for row in rows],
        ),
        alt="Known items, and which recipients can see each",
        optional=("Difference", "Problem", "Supplier", "Supplier number"),
        config=config,
        placeholder="never",
        choose="multi-row",
    )
    if (count := len(coverage.columns)) > MAX_COLUMNS:
        st.caption(
            plain(
                f"The table shows the first {MAX_COLUMNS} of {count:,} columns. The "
                "file has all columns."
            )
        )
    return ticked


def _distinct(
    named: Iterable[tuple[str, str]], *, taken: Sequence[str] = ()
) -> list[str]:
    pairs = [(visible(title), visible(full)) for title, full in named]
    everything = [*taken, *(title for title, _ in pairs)]
    names = [title if everything.count(title) == 1 else full for title, full in pairs]
    everything = [*taken, *names]
    return [
        name if everything.count(name) == 1 else f"{name} [{at}]"
        for at, name in enumerate(names, 1)
    ]


def _offer_next(desk: Desk, coverage: Coverage, ticked: Sequence[CoverageRow]) -> None:
    columns: Sequence[CoverageColumn] = (
        () if desk.is_locked else coverage.changed_columns
    )
    if not ticked:
        st.caption(
            "Tick items to preview changes to them."
            if columns
            else "Tick an item to open it."
        )
        return
    with st.container(
        horizontal=True, vertical_alignment="center", key="coverage_next"
    ):
        if columns:
            who = (
                columns[0].title if len(columns) == 1 else many(len(columns), "column")
            )
            added, removed = changes(columns, ticked)
            _offer_preview(desk, f"Add {who}", f"adding {who} to", added, key="adding")
            _offer_preview(
                desk, f"Remove {who}", f"removing {who} from", removed, key="removing"
            )
        if len(ticked) == 1:
            link_to(
                ITEM_PAGE,
                "Open the item",
                "visibility",
                address_of_item(ticked[0].item.item),
            )
    if columns and (unread := sum(row.item.recipients is None for row in ticked)):
        st.caption(
            plain(
                "Not in the preview, because they were not read yet: "
                f"{many(unread, 'item')}."
            )
        )


def _offer_preview(
    desk: Desk, title: str, words: str, items: tuple[BulkItem, ...], *, key: str
) -> None:
    label = plain(f"Preview {words} {many(len(items), 'item') if items else '…'}")
    if st.button(
        label, key=f"preview_{key}", icon=":material/preview:", disabled=not items
    ):
        with error_shown("The preview could not be started. No item was changed."):
            job = desk.bulk.start_preview(items, title=showable(title))
            st.switch_page(
                BULK_PAGE, query_params={"job": job} | address_of_environment()
            )
