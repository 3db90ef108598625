"""The last history entries of the open item, folded."""

import streamlit as st

from components.history.entry_table import show_lines_of_item
from components.history.opened_entry import offer_undo, show_entry
from components.item.form import ItemForm
from components.item.saving import ask_undo
from components.links import HISTORY_PAGE
from components.session import address_of_environment
from item_visibility.errors import RecordsError
from item_visibility.storage.fallback import or_else
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk

_LINES = 10
_OPENED = "item_history.opened"


def show_item_history(desk: Desk, form: ItemForm) -> None:
    """Draw the last entries of the item. A chosen row is shown with its details, and Undo."""
    item = form.item
    wanted = HistoryFilter(supplier=item.supplier, supplier_item_id=item.supplier_item_id)
    with st.expander("History of this item", icon=":material/history:", key="item_history"):
        try:
            page = desk.records.search.newest(wanted, limit=_LINES)
        except RecordsError:
            st.warning("The history of this item could not be read.", icon=":material/history_off:")
            return
        if not page.lines:
            st.caption("Nothing was changed here yet, and no change made elsewhere was seen.")
            return
        if (chosen := show_lines_of_item(desk, page.lines)) is not None:
            st.session_state[_OPENED] = chosen
        opened = st.session_state.get(_OPENED, "")
        entry = or_else(None, lambda: desk.records.history.entry(opened))
        if entry is not None and entry.request.item == item:
            show_entry(desk, entry)
            if offer_undo(desk, entry):
                ask_undo(desk, form, opened)
                st.rerun()
        address = {"supplier": item.supplier, "item": item.supplier_item_id}
        st.page_link(
            HISTORY_PAGE,
            label="All changes and export",
            icon=":material/open_in_full:",
            query_params=address | address_of_environment(),
        )
