"""Shows what is known of the chosen items and recipients: its age, the map or the table, and the file."""

from functools import partial

import streamlit as st

from components.clock import time_of_day
from components.coverage.cell_table import show_cells
from components.coverage.heat_map import show_legend, show_map
from components.followed_address import is_from_person, note_address
from components.notices import show_error
from components.table_state import key_for
from components.verbatim import plain
from item_visibility.changes.in_words import many
from item_visibility.desk.coverage.matrix import MOST_COLUMNS, MOST_ITEMS, Coverage
from item_visibility.desk.coverage.spreadsheet_of_cells import write_coverage
from item_visibility.desk.coverage.wanted import Against, Wanted, read_coverage
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError

VIEW = "coverage_view"
_MAP, _TABLE = "Map", "Table"
_WHO = "coverage_view"
_PARAMETER = "table"
"""Stands in the address while the table is shown: a link opens the same."""


def show_coverage(desk: Desk, wanted: Wanted) -> None:
    """Draw the coverage as last seen; nothing is sent."""
    _follow_view()
    try:
        coverage = read_coverage(desk.records, wanted)
    except ItemVisibilityError as error:
        show_error("The coverage could not be shown. Nothing was changed.", error, key="coverage_error")
        return
    if not coverage.known_items:
        st.info(
            "This supplier has no known items here. Open one on the page Item, or bring their names under "
            "Directory.",
            icon=":material/info:",
        )
        return
    st.markdown(_ages(coverage), width="stretch")
    if coverage.items and coverage.columns:
        _show_cells(coverage, wanted)
    else:
        st.info(_nothing(coverage, wanted), icon=":material/info:")


def _show_cells(coverage: Coverage, wanted: Wanted) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="coverage_head_line"):
        view = st.segmented_control(
            "Show as",
            ("Map", "Table"),
            required=True,
            key=VIEW,
            on_change=_write_view,
        )
        if view == _MAP:
            show_legend(has_sets=wanted.against is Against.SETS)
    part = coverage.part(
        item_page=_page(wanted, "items", coverage.item_pages),
        column_page=_page(wanted, "columns", coverage.column_pages),
    )
    if view == _TABLE:
        show_cells(part)
    else:
        show_map(part)
    _show_pages(coverage, part, wanted)
    if wanted.against is Against.FREQUENT:
        _tell_of_others(coverage)
    _offer_file(coverage)


def _follow_view() -> None:
    """Take the view from a new address: an opened link, or Back and Forward."""
    in_address = _view_in_address()
    if VIEW not in st.session_state or is_from_person(_WHO, in_address):
        note_address(_WHO, in_address, before=in_address)
        st.session_state[VIEW] = in_address


def _write_view() -> None:
    """Put the view into the address: a step of Back."""
    before, view = _view_in_address(), st.session_state[VIEW]
    note_address(_WHO, view, before=before)
    if view == _TABLE:
        st.query_params[_PARAMETER] = "1"
    else:
        st.query_params.pop(_PARAMETER, None)


def _view_in_address() -> str:
    return _TABLE if st.query_params.get(_PARAMETER) else _MAP


def _ages(coverage: Coverage) -> str:
    """Return how many items there are, how old what is known of them is, and how many were never read."""
    count = many(len(coverage.items), "item")
    words = [f"{count} of {coverage.known_items:,}" if len(coverage.items) < coverage.known_items else count]
    if coverage.oldest and coverage.newest:
        oldest, newest = time_of_day(coverage.oldest), time_of_day(coverage.newest)
        words.append(f"last read {oldest}" if oldest == newest else f"last read from {oldest} to {newest}")
    if coverage.unread:
        words.append(f"{coverage.unread:,} not read yet")
    return f"**{plain(words[0])}**" + "".join(f" · {plain(one)}" for one in words[1:])


def _nothing(coverage: Coverage, wanted: Wanted) -> str:
    if not coverage.items:
        return "These words are in no name, market or number of the supplier's items."
    if wanted.against is Against.SETS:
        return "There is no recipient set yet. Make one under Directory."
    if wanted.against is Against.FREQUENT:
        return (
            "There is no recipient to show yet: the items were not read, or their lists are empty. "
            "Read all items to know."
        )
    return "The set has no recipients."


def _offer_file(coverage: Coverage) -> None:
    st.download_button(
        "Download as XLSX",
        partial(write_coverage, coverage),
        file_name="coverage.xlsx",
        mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        key="coverage_xlsx",
        icon=":material/download:",
        on_click="ignore",
        disabled=not coverage.fits_a_file,
        help="All items and columns of this choice, with their ages and a legend; every cell is a text"
        if coverage.fits_a_file
        else "Too much for one file: choose fewer items or recipients",
    )


def _page(wanted: Wanted, name: str, pages: int) -> int:
    """Return the page that was chosen, as far as there still is one."""
    chosen: int = st.session_state.get(_page_key(wanted, name, pages), 1)
    return min(chosen, pages)


def _page_key(wanted: Wanted, name: str, pages: int) -> str:
    """Return the key of the choice of a page: another choice of items or recipients begins at the first."""
    return key_for(f"coverage_page_{name}_{pages}", wanted)


def _show_pages(coverage: Coverage, part: Coverage, wanted: Wanted) -> None:
    """Say which part of the whole is drawn, and offer the others; nothing when it is all."""
    for name, pages, shown, count, most in (
        ("items", coverage.item_pages, len(part.items), len(coverage.items), MOST_ITEMS),
        ("columns", coverage.column_pages, len(part.columns), len(coverage.columns), MOST_COLUMNS),
    ):
        if pages > 1:
            first = (_page(wanted, name, pages) - 1) * most
            with st.container(horizontal=True, vertical_alignment="center", key=f"coverage_pages_{name}"):
                st.caption(plain(f"{name.capitalize()} {first + 1:,} to {first + shown:,} of {count:,}"))
                st.pagination(pages, key=_page_key(wanted, name, pages))


def _tell_of_others(coverage: Coverage) -> None:
    """Say that more recipients were seen than the columns hold."""
    if coverage.seen_recipients > len(coverage.columns):
        count = f"{len(coverage.columns):,} of {many(coverage.seen_recipients, 'recipient')}"
        st.caption(plain(f"{count} that were seen on this supplier's items; choose others above."))
