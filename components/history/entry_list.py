"""The entries of a filter, a page at a time, and the opened entry."""

import streamlit as st

from components.history.charts import show_charts
from components.history.download import offer_download
from components.history.entry_table import show_lines
from components.history.filter_box import show_all_changes
from components.history.opened_entry import offer_undo, show_entry
from components.item.saving import ask_undo_when_open
from components.links import ITEM_PAGE, offer_item
from components.notices import show_error
from components.session import address_of_environment
from item_visibility.errors import RecordsError
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.storage.history.search import HistoryFilter, HistoryPage
from item_visibility.use_cases.desk import Desk

_LINES = 50
_OLDER, _NEWER, _ENTRY = "older", "newer", "entry"


def list_history(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the page in the address, or the newest entries if it names none."""
    try:
        page = _page(desk, wanted)
        if page.lines:
            _open(show_lines(desk, page.lines))
        else:
            _show_none(desk, wanted)
        _show_ways(page)
        entry = desk.records.history.entry(st.query_params.get(_ENTRY, ""))
        if page.lines:
            show_charts(desk, wanted)
            offer_download(desk, wanted)
    except RecordsError as error:
        show_error("The history could not be read. Nothing was changed.", error)
        return
    if entry is not None:
        show_entry(desk, entry)
        if offer_undo(desk, entry):
            _open_undo(desk, entry)
    elif page.lines:
        st.caption("Choose a row to see its details, or to undo it.")


def _open_undo(desk: Desk, entry: HistoryEntry) -> None:
    """Open the item, where the plan of the undo is shown first."""
    item = entry.request.item
    ask_undo_when_open(desk, item, entry.request.key)
    address = {"supplier": item.supplier, "item": item.supplier_item_id}
    st.switch_page(ITEM_PAGE, query_params=address | address_of_environment())


def _show_none(desk: Desk, wanted: HistoryFilter) -> None:
    """Say that there is nothing, and offer the way to something."""
    if wanted == HistoryFilter():
        st.info("No change is on record yet. What is saved on an item appears here.", icon=":material/info:")
        offer_item(desk)
        return
    st.info("No change matches these filters.", icon=":material/search_off:")
    st.button(
        "Show all changes", key="history_all", icon=":material/filter_alt_off:", on_click=show_all_changes
    )


def _page(desk: Desk, wanted: HistoryFilter) -> HistoryPage:
    older, newer = st.query_params.get(_OLDER, ""), st.query_params.get(_NEWER, "")
    if older:
        return desk.records.search.older(wanted, than=older, limit=_LINES)
    if newer:
        return desk.records.search.newer(wanted, than=newer, limit=_LINES)
    return desk.records.search.newest(wanted, limit=_LINES)


def _show_ways(page: HistoryPage) -> None:
    if page.newer_than is None and page.older_than is None:
        return
    with st.container(horizontal=True, key="history_ways"):
        for label, icon, end, address in (
            ("Newest", "first_page", page.newer_than, ("", "")),
            ("Newer", "chevron_left", page.newer_than, ("", page.newer_than or "")),
            ("Older", "chevron_right", page.older_than, (page.older_than or "", "")),
        ):
            st.button(
                label,
                key=f"history_{label.lower()}",
                icon=f":material/{icon}:",
                disabled=end is None,
                on_click=_go,
                args=address,
            )


def _go(older: str, newer: str) -> None:
    _write({_OLDER: older, _NEWER: newer, _ENTRY: ""})


def _open(key: str | None) -> None:
    """Put the chosen entry into the address, so that a link opens it."""
    if key is not None:
        _write({_ENTRY: key})


def _write(values: dict[str, str]) -> None:
    """Put the values into the address in one step of Back. Remove empty ones."""
    address = st.query_params.to_dict() | values
    st.query_params.from_dict({name: value for name, value in address.items() if value})
