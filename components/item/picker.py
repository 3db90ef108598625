"""The fields for a supplier and an item, and lists of items to open."""

import streamlit as st

from components import PRODUCT, draw
from components.address import unread_visit, write_address
from components.clock import time_column
from components.finder.search_fields import (
    ChoiceField,
    choose_one,
    chosen_one,
    process_choice,
    put_one,
)
from components.markdown_escape import as_code, described, phrase, visible
from components.notices import error_shown
from components.table import show_table
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.gs1_and_markets import doubts, item_hint, location_hint
from item_visibility.model.known_ids import Kind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.find_by_name import market_of, row_of

# The keys of the two fields, which are also the names of the query parameters.
_SUPPLIER = "supplier"
_ITEM = "item"
_SUPPLIER_FIELD = ChoiceField(Kind.SUPPLIER, _SUPPLIER)
_SUPPLIER_OF_ITEM = "picker.supplier_of_item"


def picked_item(desk: Desk) -> ItemKey | None:
    """Return the item in the address, else the last choice, else the demo's item.

    Update the address.
    """
    visit = unread_visit("picker")
    if visit is not None:
        supplier = visit.first(_SUPPLIER)
        item = visit.first(_ITEM)
        if supplier or item or visit.is_back:
            _put(supplier, item)
        elif _SUPPLIER_OF_ITEM not in st.session_state and desk.showcase is not None:
            _put(desk.showcase.supplier, desk.showcase.supplier_item_id)

    # Another supplier empties the field for the item.
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
        draw.title("Choose an item")
        return

    name = desk.names.item_title(item)
    st.set_page_config(page_title=visible(name))
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="item_title"
    ):
        draw.title("{}", name, width="content")
        if not name.startswith(item.supplier_item_id):
            draw.caption("{}", as_code(item.supplier_item_id), width="content")


def pick_item(desk: Desk) -> None:
    """Draw the two fields in which an item is chosen."""
    left, right = st.columns(2)
    with left:
        supplier = choose_one(desk, _SUPPLIER_FIELD, label="Supplier")
        if doubts(supplier):
            draw.caption("{}", location_hint(supplier))
    with right:
        hint = "Name or number" if supplier else "Choose a supplier first"
        item = choose_one(
            desk,
            ChoiceField(Kind.ITEM, _ITEM, supplier),
            label="Item",
            placeholder=hint,
            is_off=not supplier,
        )
        if doubts(item):
            draw.caption("{}", item_hint(item))


def last_item(desk: Desk) -> ItemKey | None:
    """Return the item that was last open on the item page, or else the demo's item."""
    return _item() or desk.showcase


def _put(supplier: str, item: str) -> None:
    if supplier != chosen_one(_SUPPLIER):
        put_one(_SUPPLIER, supplier)
    put_one(_ITEM, item)
    st.session_state[_SUPPLIER_OF_ITEM] = supplier


def _item() -> ItemKey | None:
    supplier = chosen_one(_SUPPLIER)
    item = chosen_one(_ITEM)
    return ItemKey(supplier, item) if supplier and item else None


def show_start(desk: Desk) -> None:
    """Draw what a person sees before an item is chosen: a hint, and items to open."""
    supplier = chosen_one(_SUPPLIER)
    if supplier:
        with error_shown("The known items of this supplier could not be read."):
            _show_items(desk, supplier)
        return

    draw.info(
        "Choose a supplier and an item to see the item's recipients.",
        icon=":material/search:",
    )
    items = desk.recent_items()
    if not items:
        return

    draw.header("Recent items")
    for index, item in enumerate(items):
        supplier_name = desk.names.chosen(Kind.SUPPLIER, item.supplier).name
        st.button(
            phrase(
                "{} · {}",
                described(item.supplier_item_id, desk.names.item_title(item)),
                described(item.supplier, supplier_name),
            ),
            key=f"recent_{index}",
            on_click=_put,
            args=(item.supplier, item.supplier_item_id),
        )


def _show_items(desk: Desk, supplier: str) -> None:
    items = desk.items_of(supplier)
    if not items:
        draw.info(
            "No items of this supplier are known yet. Enter an item number under "
            '"Item".',
            icon=":material/search:",
        )
        return

    name = desk.names.chosen(Kind.SUPPLIER, supplier).name
    draw.header("Known items of {}", name or supplier)
    rows = [
        (
            known.name,
            market_of(row_of(known)),
            known.item.supplier_item_id,
            None if known.recipients is None else len(known.recipients),
            known.seen_at,
        )
        for known in items
    ]
    picked = show_table(
        rows,
        ["Name", "Market", "Item", "Recipients", "Last read"],
        key="items_of_supplier",
        about=[known.item for known in items],
        alt="The known items of this supplier",
        config={
            "Recipients": st.column_config.NumberColumn(format="%d"),
            "Last read": time_column("Last read"),
        },
        placeholder="not read",
        choose="single-row",
    )
    draw.caption("Choose a row to open the item.")
    for index in picked:
        _put(supplier, items[index].item.supplier_item_id)
        st.rerun()
