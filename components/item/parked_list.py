"""The parked items: the recipients each was taken from, and the way to restore them."""

from pathlib import Path

import streamlit as st

from components.clock import time_of_day
from components.examples import offer_item
from components.finder.one_choice import choose_one
from components.item.park_box import ask_restore
from components.notices import show_error
from components.text_table import show_table
from components.verbatim import described, plain
from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.in_words import many, named
from item_visibility.desk.directory import Kind
from item_visibility.desk.parks import ParkedItem
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError

_ITEM_PAGE = Path(__file__).resolve().parents[2] / "pages" / "items" / "item.py"


def show_parked(desk: Desk) -> None:
    """Draw each parked item with its restore button. Items not restored yet come first."""
    try:
        parked_items = desk.parks.latest()
    except RecordsError as error:
        show_error("The parked items could not be read. Nothing was changed.", error)
        return
    if not parked_items:
        st.info("No item is parked. To park one, open it and choose Park this item.", icon=":material/info:")
        offer_item(desk)
        return
    is_off = desk.is_locked
    for index, parked in enumerate(parked_items):
        with st.container(border=True, key=f"parked_{index}"):
            _show_one(desk, parked, index, is_off=is_off)


def _show_one(desk: Desk, parked: ParkedItem, index: int, *, is_off: bool) -> None:
    item = parked.item
    supplier = described(item.supplier, desk.names.supplier_name(item.supplier))
    st.markdown(f"**Item** {described(item.supplier_item_id, desk.names.item_name(item))} · {supplier}")
    names = desk.names.recipient_names(parked.recipients)
    st.markdown(plain(f"It was taken away from {named(parked.recipients, names)}."))
    st.caption(_state(parked))
    if parked.note:
        st.text(parked.note)
    if st.button("Restore", key=f"restore_{index}", icon=":material/unarchive:", disabled=is_off):
        _go(desk, parked, item)
    with st.expander("Recipients and more restore options", key=f"parked_more_{index}"):
        _show_recipients(parked, names, index)
        st.caption("To restore only some, choose Restore and untick the others before you save.")
        other = choose_one(
            desk.finder,
            Kind.ITEM,
            label="Restore onto another item",
            key=f"restore_onto_{parked.key}",
            placeholder="Name or number of another item of this supplier",
            about=parked.key,
            supplier=item.supplier,
            is_off=is_off,
        )
        if st.button("Stage them there", key=f"restore_there_{index}", disabled=is_off or not other):
            _go(desk, parked, ItemKey(item.supplier, other))


def _state(parked: ParkedItem) -> str:
    words = plain(f"Parked {time_of_day(parked.parked_at)}: {many(len(parked.recipients), 'recipient')}")
    by = plain(f"by {parked.parked_by}")
    restored = "" if parked.restored_at is None else plain(f"restored {time_of_day(parked.restored_at)}")
    return f"{words} · {by} · {restored}" if restored else f"{words} · {by}"


def _show_recipients(parked: ParkedItem, names: dict[str, str], index: int) -> None:
    in_order = sorted(
        parked.recipients, key=lambda one: (one not in names, names.get(one, "").casefold(), one)
    )
    show_table(
        [(names.get(one, ""), one) for one in in_order],
        ["Name", "Recipient"],
        key=f"parked_table_{index}",
        alt="The recipients that the item was taken away from",
    )


def _go(desk: Desk, parked: ParkedItem, target: ItemKey) -> None:
    """Open the item. The recipients are staged there, to be seen before they are saved."""
    ask_restore(desk, parked.key, target)
    address = {"supplier": target.supplier, "item": target.supplier_item_id}
    st.switch_page(_ITEM_PAGE, query_params=address | address_of_environment())
