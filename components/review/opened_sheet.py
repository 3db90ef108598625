"""The sheet that is open: a supplier and one of its items. Both stand in the address: a link opens them."""

from collections.abc import Sequence

import streamlit as st

from components.finder.one_choice import choose_one, chosen_one, put_one
from components.followed_address import is_from_person, note_address
from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.directory import Kind
from item_visibility.desk.reviews.review_sheet import SheetItem
from item_visibility.desk.use_cases import Desk

_WHO = "review"
_FIELD = "review_supplier"
_FOLLOWED = "opened_sheet.is_followed"


def pick_supplier(desk: Desk) -> str:
    """Draw the field and return the supplier that is chosen; empty when there is none."""
    if is_from_person(_WHO, _seen()) or not st.session_state.get(_FOLLOWED):
        st.session_state[_FOLLOWED] = True
        note_address(_WHO, _seen(), before=_seen())
        put_one(_FIELD, _seen()[0])
    return choose_one(
        desk.finder,
        Kind.SUPPLIER,
        label="Supplier",
        key=_FIELD,
        placeholder="Name or number of the supplier to review",
        about=desk.environment.name,
        on_choice=lambda: _write(chosen_one(_FIELD), ""),
    )


def opened_item(supplier: str, sheet: Sequence[SheetItem]) -> ItemKey | None:
    """Return the item in the address; or else open the first that is due, or the first one."""
    named, number = _seen()
    if number and named == supplier:
        return ItemKey(supplier, number)
    first = next((one for one in sheet if one.is_due), next(iter(sheet), None))
    if first is not None:
        _write(supplier, first.item.supplier_item_id)
    return None if first is None else first.item


def open_in_sheet(item: ItemKey) -> None:
    """Open this item."""
    put_one(_FIELD, item.supplier)
    _write(item.supplier, item.supplier_item_id)


def _write(supplier: str, number: str) -> None:
    before = _seen()
    address = {"supplier": supplier, "item": number} | address_of_environment()
    st.query_params.from_dict({name: value for name, value in address.items() if value})
    note_address(_WHO, _seen(), before=before)


def _seen() -> tuple[str, str]:
    return st.query_params.get("supplier", ""), st.query_params.get("item", "")
