"""The fields for a supplier and an item, and the lists of recent items and of a supplier's items."""

import streamlit as st

from components import PRODUCT
from components.address import unread_visit, write_address
from components.clock import time_column
from components.finder.search_fields import (
    ChoiceField,
    choose_one,
    chosen_one,
    process_choice,
    put_one,
)
from components.markdown_escape import described, plain, verbatim, visible
from components.notices import error_shown
from components.table import show_table
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import doubts, item_hint, location_hint
from item_visibility.model.known_ids import Kind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import market_of, row_of

_SUPPLIER, _ITEM = "supplier", "item"
"""The keys of the two fields, which are also the names of the query parameters."""
_SUPPLIER_FIELD = ChoiceField(Kind.SUPPLIER, _SUPPLIER)
_SUPPLIER_OF_ITEM = "picker.supplier_of_item"


def picked_item(desk: Desk) -> ItemKey | None:
    """Return the item in the address, else the last choice, else the demo's item.

    Update the address.
    """
    visit = unread_visit("picker")
    if visit is not None:
        named = visit.first(_SUPPLIER), visit.first(_ITEM)
        if any(named) or visit.is_back:
            _put(*named)
        elif _SUPPLIER_OF_ITEM not in st.session_state and desk.showcase is not None:
            _put(desk.showcase.supplier, desk.showcase.supplier_item_id)
    process_choice(desk, _SUPPLIER_FIELD)
    supplier = chosen_one(_SUPPLIER)
    if supplier != st.session_state.get(_SUPPLIER_OF_ITEM, ""):
        _put(supplier, "")
    process_choice(desk, ChoiceField(Kind.ITEM, _ITEM, supplier))
    write_address({name: chosen_one(name) for name in (_SUPPLIER, _ITEM)})
    return _item()


def show_title(desk: Desk, item: ItemKey | None) -> None:
    """Show the item's name and market as the heading, with its number beside it."""
    if item is None:
        st.set_page_config(page_title=f"Choose an item · {PRODUCT}")
        st.title("Choose an item", anchor=False)
        return
    name = desk.names.item_title(item)
    st.set_page_config(page_title=visible(name))
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="item_title"
    ):
        st.title(plain(name), anchor=False, width="content")
        if not name.startswith(item.supplier_item_id):
            st.caption(verbatim(item.supplier_item_id), width="content")


def pick_item(desk: Desk) -> None:
    """Draw the two fields in which an item is chosen."""
    left, right = st.columns(2)
    with left:
        supplier = choose_one(desk, _SUPPLIER_FIELD, label="Supplier")
        if doubts(supplier):
            st.caption(plain(location_hint(supplier)))
    with right:
        hint = "Name or number" if supplier else "Choose a supplier first"
        one = ChoiceField(Kind.ITEM, _ITEM, supplier)
        item = choose_one(
            desk, one, label="Item", placeholder=hint, is_off=not supplier
        )
        if doubts(item):
            st.caption(plain(item_hint(item)))


def last_item(desk: Desk) -> ItemKey | None:
    """Return the item that was last open on the item page, or the demo's item, or None."""
    return _item() or desk.showcase


def _put(supplier: str, item: str) -> None:
    if supplier != chosen_one(_SUPPLIER):
        put_one(_SUPPLIER, supplier)
    put_one(_ITEM, item)
    st.session_state[_SUPPLIER_OF_ITEM] = supplier


def _item() -> ItemKey | None:
    supplier, item = chosen_one(_SUPPLIER), chosen_one(_ITEM)
    return ItemKey(supplier, item) if supplier and item else None


def show_start(desk: Desk) -> None:
    """Draw what a person sees before an item is chosen: a hint, and items to open."""
    if supplier := chosen_one(_SUPPLIER):
        with error_shown("The known items of this supplier could not be read."):
            _show_items(desk, supplier)
        return
    st.info(
        "Choose a supplier and an item to see the item's recipients.",
        icon=":material/search:",
    )
    if items := desk.recent_items():
        st.header("Recent items", anchor=False)
        for index, item in enumerate(items):
            by = described(
                item.supplier, desk.names.chosen(Kind.SUPPLIER, item.supplier).name
            )
            words = f"{described(item.supplier_item_id, desk.names.item_title(item))} · {by}"
            st.button(
                words,
                key=f"recent_{index}",
                on_click=_put,
                args=(item.supplier, item.supplier_item_id),
            )


def _show_items(desk: Desk, supplier: str) -> None:
    items = desk.items_of(supplier)
    if not items:
        st.info(
            "No items of this supplier are known yet. Enter an item number under "
            '"Item".',
            icon=":material/search:",
        )
        return
    st.header(
        "Known items of "
        f"{plain(desk.names.chosen(Kind.SUPPLIER, supplier).name or supplier)}",
        anchor=False,
    )
    picked = show_table(
        [
            (
                one.name,
                market_of(row_of(one)),
                one.item.supplier_item_id,
                None if one.recipients is None else len(one.recipients),
                one.seen_at,
            )
            for one in items
        ],
        ["Name", "Market", "Item", "Recipients", "Last read"],
        key="items_of_supplier",
        about=[one.item for one in items],
        alt="The known items of this supplier",
        config={
            "Recipients": st.column_config.NumberColumn(format="%d"),
            "Last read": time_column("Last read"),
        },
        placeholder="not read",
        choose="single-row",
    )
    st.caption("Choose a row to open the item.")
    for at in picked:
        _put(supplier, items[at].item.supplier_item_id)
        st.rerun()
