"""The heading of a screen, and what the browser's tab says."""

import streamlit as st

from components.evidence.pack_dialog import offer_evidence
from components.shell.copy_link import offer_link
from components.shell.environment_band import PRODUCT
from components.verbatim import plain, verbatim, visible
from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.use_cases import Desk


def title_screen(words: str) -> None:
    """Head the screen with these words, and put them before the product's name in the tab."""
    st.set_page_config(page_title=f"{visible(words)} · {PRODUCT}")
    st.title(plain(words), anchor=False)


def title_item(desk: Desk, item: ItemKey | None) -> None:
    """Head the screen with the item's name and market, its number beside it, and a link to copy."""
    if item is None:
        title_screen("Choose an item")
        return
    name = desk.names.item_title(item)
    st.set_page_config(page_title=visible(name))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="item_title"):
        st.title(plain(name), anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="item_number"):
            if not name.startswith(item.supplier_item_id):
                st.caption(verbatim(item.supplier_item_id), width="content")
            address = {"supplier": item.supplier, "item": item.supplier_item_id}
            offer_link(address | address_of_environment())
            offer_evidence(lambda link: desk.evidence.of_item(item, link=link), address, key="item")
