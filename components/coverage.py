"""The coverage page: the choice, the scan, and a summary, a map and a table."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from components import draw
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
from components.markdown_escape import (
    as_code,
    described,
    escaped,
    phrase,
    showable,
    visible,
)
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

SUPPLIER = "coverage_supplier"
SETS = "coverage_sets"
RECIPIENTS = RecipientField("coverage_recipients")
_SUPPLIER = "supplier"
_RECIPIENT = "recipient"
_SET = "set"
MAX_ITEMS = 20_000
"""The largest number of items that are shown if no supplier is chosen.

More would take seconds.
"""
MAX_COLUMNS = 10
MAP_ITEMS = 100
MAP_COLUMNS = 50
_FEW_COLUMNS = 2
_FIRST_COLUMNS = ("Item", "Difference")
_LAST_COLUMNS = (
    "Last read",
    "Problem",
    "Supplier",
    "Item number",
    "Supplier number",
)
"""The columns of the table before and after those of the recipients."""

# Streamlit pins a column only if it takes at most 60 % of the screen. These widths fit
# on a phone.
_ITEM_PX = 210
_COLUMN_PX = 140

_MAP_ROW_PX = 20
_MAP_COLUMN_PX = 44
_LABEL_PX = 230
_HEAD_PX = 200
_LEGEND_PX = 200
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
    _take_choice_from_address(desk)
    _draw_fields(desk)
    choice = _choice(desk)
    write_address(
        {
            _SUPPLIER: choice.supplier or "",
            _RECIPIENT: choice.recipients,
            _SET: choice.sets,
        }
    )
    return None if choice == CoverageChoice() else choice


def _take_choice_from_address(desk: Desk) -> None:
    visit = unread_visit("coverage")
    if visit is None:
        return
    supplier = visit.first(_SUPPLIER)
    recipients = visit.all(_RECIPIENT)
    sets = visit.all(_SET)
    if supplier or recipients or sets or visit.is_back:
        put_one(SUPPLIER, supplier)
        put_recipients(desk, RECIPIENTS, recipients)
        st.session_state[SETS] = list(sets)
        return

    # Start with the supplier of the item that was open last.
    item = last_item(desk)
    if item is not None and _choice(desk) == CoverageChoice():
        put_one(SUPPLIER, item.supplier)


def _draw_fields(desk: Desk) -> None:
    sets = [stored.name for stored in or_else((), desk.records.sets.all)]
    # A chosen set that was deleted remains an option, so that it can be deselected.
    sets += [name for name in _chosen_sets() if name not in sets]
    with st.container(key="coverage_choice"):
        columns = st.columns([2, 3, 2] if sets else [2, 3])
        with columns[0]:
            choose_one(
                desk,
                ChoiceField(Kind.SUPPLIER, SUPPLIER),
                label="Supplier",
                placeholder="All suppliers",
            )
        with columns[1]:
            choose_recipients(desk, RECIPIENTS, label="Recipients", reruns_page=True)
        if sets:
            columns[2].multiselect(
                "Recipient sets",
                sets,
                key=SETS,
                placeholder="None",
                persist_state="session",
            )


def _chosen_sets() -> tuple[str, ...]:
    return tuple(st.session_state.get(SETS, ()))


def _choice(desk: Desk) -> CoverageChoice:
    recipients = chosen_recipients(desk, RECIPIENTS).ids
    return CoverageChoice(chosen_one(SUPPLIER) or None, recipients, _chosen_sets())


def show_scan(desk: Desk, supplier: str | None) -> None:
    """Draw the progress of the scan of the known items.

    Without a scan, draw the button that starts one.
    """
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is not None and scan.state is JobState.READING:
        _follow_scan(desk, supplier)
        return

    with st.container(horizontal=True, vertical_alignment="center", key="scan"):
        has_stopped = scan is not None and scan.unread > 0
        if has_stopped:
            step_button(
                "Resume the scan",
                desk.scans.resume,
                supplier,
                key="scan_resume",
                icon="play_arrow",
            )
        step_button(
            "Read all items now",
            desk.scans.start,
            supplier,
            key="scan_start",
            icon="sync",
            is_primary=True,
        )
        if scan is not None and has_stopped:
            items = many(scan.item_count, "item")
            draw.caption("The last scan read {:,} of {}.", scan.read_items, items)


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_scan(desk: Desk, supplier: str | None) -> None:
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is None or scan.state is not JobState.READING:
        st.rerun()

    share = scan.read_items / scan.item_count if scan.item_count else 0.0
    items = many(scan.item_count, "item")
    st.progress(share, text=phrase("{:,} of {} checked", scan.read_items, items))
    if scan.next_try_at is not None:
        draw.caption(
            "The service does not answer. Next try at {}. Items that were not read "
            "yet are shown as “not known”.",
            to_the_second(scan.next_try_at),
        )
    step_button(
        "Cancel the scan", desk.scans.cancel, supplier, key="scan_cancel", icon="cancel"
    )


def show_coverage(desk: Desk, choice: CoverageChoice) -> None:
    """Draw who could see the items when they were last read."""
    # Read the lists, unless there are too many.
    if choice.supplier is None:
        known_items = desk.records.directory[Kind.ITEM].current().rows
        if len(known_items) > MAX_ITEMS:
            draw.info(
                "There are more than {:,} known items. Choose a supplier.",
                MAX_ITEMS,
                icon=":material/info:",
            )
            return
    coverage = read_coverage(desk.records, choice)
    if not coverage.rows:
        which = "items of this supplier" if choice.supplier else "items"
        draw.info(
            "No {} are known yet. Open an item on the page Item, or import names on "
            "the page Directory.",
            which,
            icon=":material/info:",
        )
        return

    # Draw the summary and the map.
    _show_summary(desk, coverage)
    if not coverage.columns:
        draw.info(
            "No recipients of these items are known yet. Read all items now, or "
            "choose recipients above.",
            icon=":material/info:",
        )
        return
    if not _is_about_few(coverage):
        _show_map(coverage)

    # Draw the table, what can be done with its ticked items, and the file.
    rows = _rows_to_show(coverage)
    suppliers: Mapping[str, str] = {}
    if choice.supplier is None:
        suppliers = desk.names.supplier_names({row.item.item.supplier for row in rows})
    ticked = _show_table(coverage, rows, suppliers)
    _offer_next(desk, coverage, [rows[position] for position in ticked])
    make = partial(
        export_file,
        desk,
        partial(write_coverage, coverage),
        item_count=len(coverage.rows),
    )
    offer_download("Download as XLSX", "coverage.xlsx", make, key="coverage_xlsx")


def _is_about_few(coverage: Coverage) -> bool:
    return coverage.is_chosen and len(coverage.columns) <= _FEW_COLUMNS


def _rows_to_show(coverage: Coverage) -> Sequence[CoverageRow]:
    """Draw the choice of rows if two columns are compared. Return the rows."""
    if not coverage.is_comparison:
        return coverage.rows
    shown = st.segmented_control(
        phrase("Show items for {}", coverage.columns[0].title),
        ("All", "Missing", "Extra"),
        key="coverage_shown",
        default="All",
        required=True,
    )
    if shown == "All":
        return coverage.rows
    return [row for row in coverage.rows if row.difference.value == shown]


def _show_summary(desk: Desk, coverage: Coverage) -> None:
    columns = coverage.columns if _is_about_few(coverage) else ()
    cells = [row.cells for row in coverage.rows if row.item.recipients is not None]
    unread = len(coverage.rows) - len(cells)
    end = f"; {unread:,} not read." if unread else "."

    with st.container(gap=None, key="coverage_summary"):
        for number, column in enumerate(columns):
            _show_count(column, [of_row[number].state for of_row in cells], end)
        if not columns:
            items = many(len(coverage.rows), "item")
            draw.markdown("**{:,} of {} read**{}", len(cells), items, end)
        if coverage.is_comparison:
            _show_differences(coverage)
        _show_times(coverage)

    # A recipient without a name that can see nothing may be a mistyped number.
    for number, column in enumerate(columns):
        if column.is_set or desk.names.is_known(Kind.RECIPIENT, column.id):
            continue
        if all(row.cells[number].state is not CellState.CAN for row in coverage.rows):
            draw.caption(
                "{} is not known and can see none of these items. Is the number right?",
                as_code(column.id),
            )


def _show_count(column: CoverageColumn, states: list[CellState], end: str) -> None:
    """Draw how many of the items the recipient, or the whole set, can see."""
    who = described(column.id, column.name)
    if column.is_set:
        members = many(len(column.members), "recipient")
        who = phrase("Set {}: all {}", as_code(column.id), members)

    partly = states.count(CellState.PARTLY)
    unknown = states.count(CellState.UNKNOWN)
    rest = ""
    if partly:
        rest += f", {partly:,} visible to some recipients of the set"
    if unknown:
        rest += f", {unknown:,} unknown"
    draw.markdown(
        "{who} can see **{count:,} of {items}**{rest}",
        who=who,
        count=states.count(CellState.CAN),
        items=many(len(states), "read item"),
        rest=rest + end,
    )


def _show_differences(coverage: Coverage) -> None:
    first, second = coverage.columns
    differences = [row.difference for row in coverage.rows]
    draw.markdown(
        "{first} compared with {second}: **{missing:,} missing**, {extra:,} extra.",
        first=first.title,
        second=second.title,
        missing=differences.count(Difference.MISSING),
        extra=differences.count(Difference.EXTRA),
    )


def _show_times(coverage: Coverage) -> None:
    times = [row.item.seen_at for row in coverage.rows if row.item.seen_at is not None]
    if not times:
        return
    oldest = time_of_day(min(times))
    newest = time_of_day(max(times))
    when = oldest if oldest == newest else f"{oldest} to {newest}"
    draw.markdown("Last read {}.", when)


def _show_map(coverage: Coverage) -> None:
    rows = coverage.rows[:MAP_ITEMS]
    columns = coverage.columns[:MAP_COLUMNS]
    cells = _map_cells(rows, columns)
    looks = [look for look in _LOOKS.values() if look[0] in set(cells["Look"])]
    words, colors = zip(*looks, strict=True)

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
            tooltip=["Item:N", "Recipient:N", "Answer:N", "Last read:N"],
        )
        .properties(height=len(rows) * _MAP_ROW_PX + _HEAD_PX)
    )
    st.altair_chart(
        chart,
        # A phone draws it narrower.
        width=_LABEL_PX + max(len(columns) * _MAP_COLUMN_PX, _LEGEND_PX),
        theme=None,
        key="coverage_map",
        alt="Map of the items and the recipients that can see them. The table below "
        "shows the same data",
    )

    limits = _map_limits(coverage)
    if limits:
        draw.caption("The map shows {}.", " and ".join(limits))


def _map_cells(
    rows: Sequence[CoverageRow], columns: Sequence[CoverageColumn]
) -> pd.DataFrame:
    recipients = _distinct((column.title, column.heading) for column in columns)
    titles = []
    for row in rows:
        title = title_of(row_of(row.item))
        titles.append((title, f"{title} ({row.item.item.supplier_item_id})"))
    items = _distinct(titles)

    cells = []
    for item, row in zip(items, rows, strict=True):
        seen_at = time_of_day(row.item.seen_at) if row.item.seen_at else "never"
        cells += [
            (item, recipient, _LOOKS[cell.state][0], cell.words, seen_at)
            for recipient, cell in zip(recipients, row.cells, strict=False)
        ]
    return pd.DataFrame(
        cells, columns=["Item", "Recipient", "Look", "Answer", "Last read"]
    )


def _map_limits(coverage: Coverage) -> list[str]:
    """Return what the map leaves out, in words."""
    items = len(coverage.rows)
    columns = len(coverage.columns)
    limits = []
    if items > MAP_ITEMS:
        limits.append(f"the first {MAP_ITEMS:,} of {items:,} items")
    if columns > MAP_COLUMNS:
        limits.append(f"the first {MAP_COLUMNS:,} of {columns:,} columns")
    if coverage.seen_recipients > columns:
        limits.append(
            f"the most frequent {columns:,} of {coverage.seen_recipients:,} recipients"
        )
    return limits


def _show_table(
    coverage: Coverage, rows: Sequence[CoverageRow], suppliers: Mapping[str, str]
) -> list[int]:
    """Draw the table. Return the positions of the ticked rows."""
    # Make the headings of the recipients' columns.
    columns = coverage.columns[:MAX_COLUMNS]
    headings = _distinct(
        ((column.title, column.heading) for column in columns),
        taken=(*_FIRST_COLUMNS, *_LAST_COLUMNS),
    )
    config: dict[str, Any] = {
        heading: st.column_config.TextColumn(
            width=_COLUMN_PX, help=escaped(column.heading)
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
        [*_FIRST_COLUMNS, *headings, *_LAST_COLUMNS],
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
    count = len(coverage.columns)
    if count > MAX_COLUMNS:
        draw.caption(
            "The table shows the first {} of {:,} columns. The file has all columns.",
            MAX_COLUMNS,
            count,
        )
    return ticked


def _distinct(
    titles: Iterable[tuple[str, str]], *, taken: Sequence[str] = ()
) -> list[str]:
    """Return a different name for each pair of a title and a full title.

    It is the title, the full title if another has the same title, or with a number if
    the full titles are the same too.
    """
    pairs = [(visible(title), visible(full_title)) for title, full_title in titles]
    titles_in_use = Counter([*taken, *(title for title, _ in pairs)])
    names = [title if titles_in_use[title] == 1 else full for title, full in pairs]

    names_in_use = Counter([*taken, *names])
    return [
        name if names_in_use[name] == 1 else f"{name} [{number}]"
        for number, name in enumerate(names, 1)
    ]


def _offer_next(desk: Desk, coverage: Coverage, ticked: Sequence[CoverageRow]) -> None:
    """Draw what can be done with the ticked items."""
    columns: Sequence[CoverageColumn] = ()
    if not desk.is_locked:
        columns = coverage.changed_columns
    if not ticked:
        if columns:
            draw.caption("Tick items to preview changes to them.")
        else:
            draw.caption("Tick an item to open it.")
        return

    with st.container(
        horizontal=True, vertical_alignment="center", key="coverage_next"
    ):
        if columns:
            _offer_changes(desk, columns, ticked)
        if len(ticked) == 1:
            link_to(
                ITEM_PAGE,
                "Open the item",
                "visibility",
                address_of_item(ticked[0].item.item),
            )

    unread = sum(row.item.recipients is None for row in ticked)
    if columns and unread:
        draw.caption(
            "Not in the preview, because they were not read yet: {}.",
            many(unread, "item"),
        )


def _offer_changes(
    desk: Desk, columns: Sequence[CoverageColumn], ticked: Sequence[CoverageRow]
) -> None:
    who = columns[0].title if len(columns) == 1 else many(len(columns), "column")
    added, removed = changes(columns, ticked)
    _offer_preview(desk, f"Add {who}", f"adding {who} to", added, key="adding")
    _offer_preview(
        desk, f"Remove {who}", f"removing {who} from", removed, key="removing"
    )


def _offer_preview(
    desk: Desk, title: str, words: str, items: tuple[BulkItem, ...], *, key: str
) -> None:
    count = many(len(items), "item") if items else "…"
    is_pressed = st.button(
        phrase("Preview {} {}", words, count),
        key=f"preview_{key}",
        icon=":material/preview:",
        disabled=not items,
    )
    if not is_pressed:
        return
    with error_shown("The preview could not be started. No item was changed."):
        job = desk.bulk.start_preview(items, title=showable(title))
        st.switch_page(BULK_PAGE, query_params={"job": job} | address_of_environment())
