"""The heading of a screen, and what the browser's tab says."""

import streamlit as st

from components.shell.environment_band import PRODUCT
from components.verbatim import plain, verbatim, visible
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.desk import Desk


def title_screen(words: str) -> None:
    """Head the screen with these words, and put them before the product's name in the tab."""
    st.set_page_config(page_title=f"{visible(words)} · {PRODUCT}")
    st.title(plain(words), anchor=False)


def title_item(desk: Desk, item: ItemKey | None) -> None:
    """Head the screen with the item's name and market, its number beside it."""
    if item is None:
        title_screen("Choose an item")
        return
    name = desk.names.item_title(item)
    st.set_page_config(page_title=visible(name))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="item_title"):
        st.title(plain(name), anchor=False, width="content")
        if not name.startswith(item.supplier_item_id):
            st.caption(verbatim(item.supplier_item_id), width="content")
