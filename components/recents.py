"""The items that this person used last, one click away."""

import streamlit as st

from components.clock import time_of_day
from components.item_picker import choose
from components.verbatim import described, plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk import Desk

_SHOWN = 8


def show_recents(desk: Desk) -> None:
    """Say what to do first, and offer what was used last."""
    st.info("Choose a supplier and an item to see who can see the item.", icon=":material/search:")
    if drafts := desk.drafts.latest():
        st.subheader("Changes that are not saved yet")
        for index, stored in enumerate(drafts):
            staged = plain(f"staged {time_of_day(stored.updated_at)}")
            label = f"{_label(desk, stored.draft.item)} · {staged}"
            st.button(label, key=f"staged_{index}", on_click=choose, args=(stored.draft.item,))
    if items := desk.recent_items(desk.person(), limit=_SHOWN):
        st.subheader("Used last")
        for index, item in enumerate(items):
            st.button(_label(desk, item), key=f"recent_{index}", on_click=choose, args=(item,))


def _label(desk: Desk, item: ItemKey) -> str:
    supplier = described(item.supplier, desk.names.supplier_name(item.supplier))
    return f"{described(item.supplier_item_id, desk.names.item_name(item))} · {supplier}"
