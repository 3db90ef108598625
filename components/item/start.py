"""The item page while no item is open: recent items, or the items of the chosen supplier."""

import streamlit as st

from components.clock import time_column
from components.item.picker import open_known, picked_supplier
from components.notices import show_error
from components.table import show_table
from components.verbatim import described, plain
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import market_of_item

_RECENT = 8


def show_start(desk: Desk) -> None:
    """Say what to do first, and offer items to open."""
    if supplier := picked_supplier():
        _show_items(desk, supplier)
    else:
        _show_recent(desk)


def _show_recent(desk: Desk) -> None:
    st.info("Choose a supplier and an item to see who can see the item.", icon=":material/search:")
    if items := desk.recent_items(limit=_RECENT):
        st.header("Recent items", anchor=False)
        for index, item in enumerate(items):
            st.button(_label(desk, item), key=f"recent_{index}", on_click=open_known, args=(item,))


def _show_items(desk: Desk, supplier: str) -> None:
    try:
        items = desk.items_of(supplier)
    except RecordsError as error:
        show_error("The known items of this supplier could not be read.", error)
        return
    if not items:
        st.info(
            "No items of this supplier are known yet. Enter an item number under Item.",
            icon=":material/search:",
        )
        return
    st.header(f"Known items of {plain(desk.names.supplier_name(supplier) or supplier)}", anchor=False)
    picked = show_table(
        [
            (
                one.name,
                market_of_item(one),
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
        open_known(items[at].item)
        st.rerun()


def _label(desk: Desk, item: ItemKey) -> str:
    supplier = described(item.supplier, desk.names.supplier_name(item.supplier))
    return f"{described(item.supplier_item_id, desk.names.item_title(item))} · {supplier}"
