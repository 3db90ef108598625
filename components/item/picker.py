"""The choice of a supplier and an item, by name or by number. An unknown number can be confirmed.

The choice is in the address, so that a link opens exactly what its sender saw. Each choice is a step that the
browser's Back undoes.
"""

from functools import partial

import streamlit as st

from components.address import unread_visit
from components.finder.combobox import Act, Field, act_subject, find_one, process_acts
from components.finder.one_choice import meaning_of
from components.verbatim import plain
from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.numbers import doubts, item_hint, location_hint
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.directory import Kind
from item_visibility.use_cases.known_names import SingleChoice

_CHOICE = "picker.choice"
_SUPPLIER, _ITEM = "supplier", "item"


def picked_item(desk: Desk) -> ItemKey | None:
    """Return the item in the address or the last chosen one; None while the choice is incomplete."""
    _read_address(desk)
    _process_acts(desk)
    _write_address()
    return _item()


def pick_item(desk: Desk) -> None:
    """Draw the two fields in which an item is chosen."""
    supplier, item = _choice()
    left, right = st.columns(2)
    with left:
        _pick(desk, Kind.SUPPLIER, supplier, "Name or number of the supplier")
    with right:
        words = "Name or number of the item" if supplier.number else "Choose a supplier first"
        _pick(desk, Kind.ITEM, item, words, supplier=supplier.number)


def picked_supplier() -> str:
    """Return the chosen supplier, or an empty text."""
    return _choice()[0].number


def last_item(desk: Desk) -> ItemKey | None:
    """Return the item open on the item page; else the first item of a demo; else None."""
    return _item() or desk.showcase


def choose(item: ItemKey) -> None:
    """Open this item, as if the person had entered it."""
    _put(SingleChoice(item.supplier), SingleChoice(item.supplier_item_id))


def _pick(
    desk: Desk, kind: Kind, choice: SingleChoice, placeholder: str, *, supplier: str | None = None
) -> None:
    find_one(
        desk.names,
        Field(
            kind=kind,
            label=kind.value.capitalize(),
            key=kind.value,
            placeholder=placeholder,
            about=_about(desk, kind),
            is_off=supplier == "",
            on_acts=partial(_process_acts, desk),
        ),
        choice,
        supplier=supplier,
    )
    if doubts(choice.number):
        hint = location_hint if kind is Kind.SUPPLIER else item_hint
        st.caption(plain(hint(choice.number)))


def _process_acts(desk: Desk) -> None:
    """Process what the person did in the two fields."""
    for kind in (Kind.SUPPLIER, Kind.ITEM):
        process_acts(kind.value, about=_about(desk, kind), process=partial(_process, desk, kind))


def _process(desk: Desk, kind: Kind, act: Act) -> None:
    """Choose the number. Nothing is chosen while a question about a text is open."""
    supplier, item = _choice()
    if kind is Kind.ITEM:
        _put(supplier, meaning_of(desk.names, kind, act, supplier=supplier.number))
        return
    after = meaning_of(desk.names, kind, act)
    _put(after, SingleChoice(item.number if after.number == supplier.number else ""))


def _choice() -> tuple[SingleChoice, SingleChoice]:
    """Return the choice of the supplier and of the item; either may be empty."""
    choice: tuple[SingleChoice, SingleChoice] = st.session_state.get(
        _CHOICE, (SingleChoice(), SingleChoice())
    )
    return choice


def _put(supplier: SingleChoice, item: SingleChoice) -> None:
    st.session_state[_CHOICE] = supplier, item


def _item() -> ItemKey | None:
    supplier, item = _choice()
    return ItemKey(supplier.number, item.number) if supplier.number and item.number else None


def _about(desk: Desk, kind: Kind) -> str:
    return act_subject(desk, kind, picked_supplier() if kind is Kind.ITEM else "")


def _write_address() -> None:
    """Put the choice into the address. A text with an open question is not a choice yet."""
    address = st.query_params.to_dict()
    wanted = {name: value for name, value in address.items() if name not in {_SUPPLIER, _ITEM}}
    wanted |= {
        name: one.number for name, one in zip((_SUPPLIER, _ITEM), _choice(), strict=True) if one.number
    }
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
        _put(SingleChoice(supplier), SingleChoice(item))
    elif _CHOICE not in st.session_state and desk.showcase is not None:
        choose(desk.showcase)
    else:
        _put(*(SingleChoice(one.number) for one in _choice()))
