"""The choice of a supplier and an item, by name or by number. An unknown number can be confirmed.

The choice is in the address, so that a link opens exactly what its sender saw. Each choice is a step that the
browser's Back undoes.
"""

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import act_subject
from components.finder.one_choice import choose_one, chosen_one, process_choice, put_one
from components.verbatim import plain
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.numbers import doubts, item_hint, location_hint
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind

_SUPPLIER, _ITEM = "supplier", "item"
"""Keys of the fields, and query parameters."""
_SUPPLIER_OF_ITEM = "picker.supplier_of_item"


def picked_item(desk: Desk) -> ItemKey | None:
    """Return the item in the address or the last chosen one; None while the choice is incomplete."""
    _read_address(desk)
    process_choice(desk.names, Kind.SUPPLIER, key=_SUPPLIER, about=act_subject(desk, Kind.SUPPLIER))
    supplier = picked_supplier()
    if supplier != st.session_state.get(_SUPPLIER_OF_ITEM, ""):
        _put(supplier, "")
    process_choice(desk.names, Kind.ITEM, key=_ITEM, about=_about_item(desk), supplier=supplier)
    _write_address()
    return _item()


def pick_item(desk: Desk) -> None:
    """Draw the two fields in which an item is chosen."""
    left, right = st.columns(2)
    with left:
        supplier = choose_one(
            desk.names,
            Kind.SUPPLIER,
            label="Supplier",
            key=_SUPPLIER,
            placeholder="Name or number of the supplier",
            about=act_subject(desk, Kind.SUPPLIER),
        )
        if doubts(supplier):
            st.caption(plain(location_hint(supplier)))
    with right:
        item = choose_one(
            desk.names,
            Kind.ITEM,
            label="Item",
            key=_ITEM,
            placeholder="Name or number of the item" if supplier else "Choose a supplier first",
            about=_about_item(desk),
            supplier=supplier,
            is_off=not supplier,
        )
        if doubts(item):
            st.caption(plain(item_hint(item)))


def picked_supplier() -> str:
    """Return the chosen supplier, or an empty text."""
    return chosen_one(_SUPPLIER)


def last_item(desk: Desk) -> ItemKey | None:
    """Return the item open on the item page; else the first item of a demo; else None."""
    return _item() or desk.showcase


def open_known(item: ItemKey) -> None:
    """Open this item, as if the person had entered it."""
    _put(item.supplier, item.supplier_item_id)


def _put(supplier: str, item: str) -> None:
    if supplier != picked_supplier():
        put_one(_SUPPLIER, supplier)
    put_one(_ITEM, item)
    st.session_state[_SUPPLIER_OF_ITEM] = supplier


def _item() -> ItemKey | None:
    supplier, item = picked_supplier(), chosen_one(_ITEM)
    return ItemKey(supplier, item) if supplier and item else None


def _about_item(desk: Desk) -> str:
    return act_subject(desk, Kind.ITEM, picked_supplier())


def _write_address() -> None:
    """Put the choice into the address. A text with an open question is not a choice yet."""
    address = st.query_params.to_dict()
    wanted = {name: value for name, value in address.items() if name not in {_SUPPLIER, _ITEM}}
    wanted |= {name: number for name in (_SUPPLIER, _ITEM) if (number := chosen_one(name))}
    if wanted != address:  # written once, on a change: each write is a step of Back
        st.query_params.from_dict(wanted)


def _read_address(desk: Desk) -> None:
    """Read the choice from the address when a page is opened, and after Back or Forward.

    When the address has no choice, the last one is kept; at first it is the item of a demo.
    """
    visit = unread_visit("picker")
    if visit is None:
        return
    supplier, item = visit.first(_SUPPLIER), visit.first(_ITEM)
    if supplier or item or visit.is_back:
        _put(supplier, item)
    elif _SUPPLIER_OF_ITEM not in st.session_state and desk.showcase is not None:
        open_known(desk.showcase)
