"""The items last used in this browser, one click away."""

import streamlit as st

from components.clock import time_of_day
from components.item.picker import choose
from components.shell.browser_cookie import this_browser
from components.verbatim import described, plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.drafts import StoredDraft
from item_visibility.desk.use_cases import Desk

_SHOWN = 8


def show_recents(desk: Desk) -> None:
    """Say what to do first, and offer the items used last."""
    st.info("Choose a supplier and an item to see who can see the item.", icon=":material/search:")
    owner = this_browser()
    _show_drafts(desk, "Staged changes", desk.drafts.latest(owner), key="staged")
    _show_drafts(desk, "Staged in other browsers", desk.drafts.of_others(owner), key="staged_elsewhere")
    if items := desk.recent_items(owner, limit=_SHOWN):
        st.header("Used last")
        for index, item in enumerate(items):
            st.button(_label(desk, item), key=f"recent_{index}", on_click=choose, args=(item,))


def _show_drafts(desk: Desk, headline: str, drafts: tuple[StoredDraft, ...], *, key: str) -> None:
    if not drafts:
        return
    st.header(headline)
    for index, stored in enumerate(drafts):
        staged = plain(f"staged {time_of_day(stored.updated_at)}")
        label = f"{_label(desk, stored.draft.item)} · {staged}"
        st.button(label, key=f"{key}_{index}", on_click=choose, args=(stored.draft.item,))


def _label(desk: Desk, item: ItemKey) -> str:
    supplier = described(item.supplier, desk.names.supplier_name(item.supplier))
    return f"{described(item.supplier_item_id, desk.names.item_name(item))} · {supplier}"
