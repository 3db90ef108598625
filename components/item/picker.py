"""The choice of a supplier and an item, by name or by number. The person may also confirm an unknown number.

The choice is in the address, so that a link opens exactly what its sender saw. Each choice is a step that the
browser's Back undoes.
"""

from functools import partial

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import Act, Field, act_subject, find_one, take_acts
from components.finder.one_choice import meant
from components.verbatim import plain
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.numbers import doubts, item_hint, location_hint
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import EnteredOne

_PAIR = "picker.pair"
_ASKED = "picker.asked"
_KINDS = (Kind.SUPPLIER, Kind.ITEM)
_SUPPLIER, _ITEM = "supplier", "item"


def picked_item(desk: Desk) -> ItemKey | None:
    """Return the item in the address or the last chosen one; None while the choice is incomplete."""
    _read_address(desk)
    _take_in(desk)
    _write_address(_pair())
    supplier, supplier_item_id = _pair()
    return ItemKey(supplier, supplier_item_id) if supplier and supplier_item_id else None


def pick_item(desk: Desk) -> None:
    """Draw the two fields in which an item is chosen."""
    supplier, supplier_item_id = _pair()
    left, right = st.columns(2)
    with left:
        _pick(desk, Kind.SUPPLIER, supplier)
    with right:
        _pick(desk, Kind.ITEM, supplier_item_id, supplier=supplier)


def picked_supplier() -> str:
    """Return the chosen supplier, or an empty text."""
    return _pair()[0]


def kept_item(desk: Desk) -> ItemKey | None:
    """Return the item open on the item page; else the first item of a demo; else None."""
    supplier, supplier_item_id = _pair()
    return ItemKey(supplier, supplier_item_id) if supplier and supplier_item_id else desk.showcase


def choose(item: ItemKey) -> None:
    """Open this item, as if the person had entered it."""
    st.session_state[_PAIR], st.session_state[_ASKED] = (item.supplier, item.supplier_item_id), {}


def _pick(desk: Desk, kind: Kind, own_id: str, *, supplier: str | None = None) -> None:
    find_one(
        desk.names,
        Field(
            kind=kind,
            label=kind.value.capitalize(),
            key=kind.value,
            placeholder=f"Name or number of the {kind.value}"
            if supplier != ""
            else "Choose a supplier first",
            about=_about(desk, kind),
            is_off=supplier == "",
            on_acts=partial(_take_in, desk),
        ),
        chosen=desk.names.chosen(kind, own_id, supplier=supplier) if own_id else None,
        asked=_asked().get(kind),
        supplier=supplier,
    )
    if doubts(own_id):
        hint = location_hint(own_id) if kind is Kind.SUPPLIER else item_hint(own_id)
        st.caption(plain(hint))


def _take_in(desk: Desk) -> None:
    """Process what the person did in the two fields."""
    for kind in _KINDS:
        take_acts(kind.value, about=_about(desk, kind), take=partial(_do, desk, kind))


def _do(desk: Desk, kind: Kind, act: Act) -> None:
    supplier = _pair()[0] if kind is Kind.ITEM else None
    _use(kind, meant(desk.names, kind, act, supplier=supplier))


def _use(kind: Kind, entered: EnteredOne) -> None:
    """Choose the number. While a question about a text is open, nothing is chosen."""
    supplier, own_id = _pair()
    asked = {} if kind is Kind.SUPPLIER else {other: one for other, one in _asked().items() if other != kind}
    if entered.asked:
        asked[kind] = entered
    if kind is Kind.ITEM:
        pair = (supplier, entered.number)
    else:  # the item belonged to the previous supplier
        pair = (entered.number, own_id if entered.number == supplier else "")
    st.session_state[_PAIR], st.session_state[_ASKED] = pair, asked


def _pair() -> tuple[str, str]:
    """Return the chosen supplier and item; either may be empty."""
    pair: tuple[str, str] = st.session_state.get(_PAIR, ("", ""))
    return pair


def _asked() -> dict[Kind, EnteredOne]:
    asked: dict[Kind, EnteredOne] = st.session_state.get(_ASKED, {})
    return asked


def _about(desk: Desk, kind: Kind) -> str:
    return act_subject(desk, kind, _pair()[0] if kind is Kind.ITEM else "")


def _write_address(pair: tuple[str, str]) -> None:
    """Put the choice into the address. A text with an open question is not a choice yet."""
    address = st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in {_SUPPLIER, _ITEM}}
    wanted = others | {name: value for name, value in zip((_SUPPLIER, _ITEM), pair, strict=True) if value}
    if wanted != address:  # written once, on a change: each write is a step of Back
        st.query_params.from_dict(wanted)


def _read_address(desk: Desk) -> None:
    """Read the choice from the address when a page is opened, and after Back or Forward.

    When the address has no choice, the last one is kept.
    """
    visit = unread_visit("picker")
    if visit is None:
        return
    pair = visit.first(_SUPPLIER), visit.first(_ITEM)
    if not any(pair) and not visit.is_back:
        pair = st.session_state.get(_PAIR) or _first_choice(desk)
    st.session_state[_PAIR], st.session_state[_ASKED] = pair, {}


def _first_choice(desk: Desk) -> tuple[str, str]:
    showcase = desk.showcase
    return ("", "") if showcase is None else (showcase.supplier, showcase.supplier_item_id)
