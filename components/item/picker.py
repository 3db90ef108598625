"""The choice of a supplier and an item: search the known ones, click one, or enter any id.

The choice is in the address, so that a link opens exactly what its sender saw. Each choice is a step that the
browser's Back undoes.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from components.verbatim import described, plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.directory import Kind
from item_visibility.desk.known_names import KnownId
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.hints import item_hint, location_hint

_CHOSEN = "picker.chosen"
_SEEN = "picker.seen"
_AS_TYPED = "picker.as_typed"
_PICKED = "picker.picked"
_SUGGESTIONS = 6
_SUPPLIER, _ITEM = "supplier", "item"


def pick_item(desk: Desk) -> ItemKey | None:
    """Return the chosen item, or None while the choice is not complete."""
    _follow_address(desk)
    with st.container(key="pick_item"):
        left, right = st.columns(2)
        with left:
            supplier = _pick_supplier(desk)
        with right:
            supplier_item_id = _pick_item_of(desk, supplier) if supplier else _no_supplier_yet()
    _write_address((supplier, supplier_item_id))
    if not supplier or not supplier_item_id:
        return None
    return ItemKey(supplier, supplier_item_id)


def kept_item(desk: Desk) -> ItemKey | None:
    """Return the item open on the item page; else the first item of a demo; else None."""
    supplier, supplier_item_id = st.session_state.get(_CHOSEN, ("", ""))
    return ItemKey(supplier, supplier_item_id) if supplier and supplier_item_id else desk.showcase


def choose(item: ItemKey) -> None:
    """Open this item, as if the person had entered it."""
    _take((item.supplier, item.supplier_item_id))
    _mark_picked()


def _pick_supplier(desk: Desk) -> str:
    typed = st.text_input(
        "Supplier",
        key=_SUPPLIER,
        on_change=_on_supplier_change,
        placeholder="Supplier number, or part of its name",
        autocomplete="off",
    )
    _describe(desk.names.supplier_name(typed), location_hint(typed))
    if typed and desk.names.is_known_supplier(typed):
        return typed
    found = desk.names.find_suppliers(typed, limit=_SUGGESTIONS) or _meant(desk, Kind.SUPPLIER, typed)
    return _settle(_SUPPLIER, typed, found, _use_supplier)


def _pick_item_of(desk: Desk, supplier: str) -> str:
    typed = st.text_input(
        "Item",
        key=_ITEM,
        on_change=_mark_picked,
        placeholder="Item number, or part of its name",
        autocomplete="off",
    )
    item = ItemKey(supplier, typed)
    _describe(desk.names.item_name(item), item_hint(typed))
    if typed and desk.names.is_known_item(item):
        return typed
    found = desk.names.find_items(supplier, typed, limit=_SUGGESTIONS)
    found = found or _meant(desk, Kind.ITEM, typed, supplier)
    return _settle(_ITEM, typed, found, _use_item)


def _meant(desk: Desk, kind: Kind, typed: str, supplier: str | None = None) -> tuple[KnownId, ...]:
    """Return what the words of a text mean: in any order, with a market or typing errors."""
    choices = desk.finder.find(kind, typed, supplier=supplier).choices[:_SUGGESTIONS]
    return tuple(KnownId(one.id, one.name, one.market) for one in choices)


def _no_supplier_yet() -> str:
    st.text_input("Item", key=_ITEM, on_change=_mark_picked, placeholder="Choose a supplier first")
    return ""


def _describe(name: str, hint: str) -> None:
    words = " · ".join(filter(None, (name, hint)))
    if words:
        st.caption(plain(words))


def _settle(field: str, typed: str, found: Sequence[KnownId], use: Callable[[str], None]) -> str:
    """Return the typed text as an id. If it fits only names, return nothing: the person chooses."""
    is_name = bool(found) and bool(typed) and not any(typed in known.id for known in found)
    is_open = is_name and (field, typed) not in st.session_state.get(_AS_TYPED, ())
    if found:
        st.caption(
            "Found by name:"
            if is_open
            else "Similar known numbers:"
            if typed
            else "Known ones; type to find others:"
        )
        with st.container(horizontal=True, gap="xsmall", key=f"suggestions_{field}"):
            for index, known in enumerate(found):
                label = described(known.id, " · ".join(filter(None, (known.name, known.hint))))
                st.button(label, key=f"suggest_{field}_{index}", on_click=use, args=(known.id,))
    if is_open:
        st.button(
            "Use the text as the number itself",
            key=f"as_typed_{field}",
            on_click=_use_as_typed,
            args=(field, typed),
        )
        return ""
    return typed


def _use_supplier(supplier: str) -> None:
    st.session_state[_SUPPLIER] = supplier
    _on_supplier_change()


def _use_item(supplier_item_id: str) -> None:
    st.session_state[_ITEM] = supplier_item_id
    _mark_picked()


def _use_as_typed(field: str, typed: str) -> None:
    st.session_state[_AS_TYPED] = frozenset({*st.session_state.get(_AS_TYPED, ()), (field, typed)})
    _mark_picked()


def _mark_picked() -> None:
    """Note that the person chose in this run.

    A browser that does not know the address of the last choice yet sends an older one. That is not the Back
    button, and must not undo the new choice.
    """
    st.session_state[_PICKED] = True


def _on_supplier_change() -> None:
    _mark_picked()
    chosen = st.session_state.get(_CHOSEN, ("", ""))
    if st.session_state.get(_ITEM, "") == chosen[1]:
        st.session_state[_ITEM] = ""  # the item belonged to the previous supplier


def _take(pair: tuple[str, str]) -> None:
    """Put a choice into the fields. Both values are ids, even if they are part of a name."""
    st.session_state[_SUPPLIER], st.session_state[_ITEM] = pair
    st.session_state[_AS_TYPED] = frozenset(zip((_SUPPLIER, _ITEM), pair, strict=True))


def _write_address(pair: tuple[str, str]) -> None:
    """Put the choice into the address. A text that fits only names is not a choice yet."""
    st.session_state[_CHOSEN] = st.session_state[_SEEN] = pair
    address = st.query_params.to_dict()
    others = {name: value for name, value in address.items() if name not in {_SUPPLIER, _ITEM}}
    wanted = others | {name: value for name, value in zip((_SUPPLIER, _ITEM), pair, strict=True) if value}
    if wanted != address:  # written once, on a change: each write is a step of Back
        st.query_params.from_dict(wanted)


def _follow_address(desk: Desk) -> None:
    """Take the choice from a new address: an opened link, or Back and Forward."""
    is_picked = st.session_state.pop(_PICKED, False)
    pair = (st.query_params.get(_SUPPLIER, ""), st.query_params.get(_ITEM, ""))
    is_arrival = _SUPPLIER not in st.session_state
    if is_arrival and pair == ("", ""):
        pair = st.session_state.get(_CHOSEN) or _first_choice(desk)
    if is_arrival or (not is_picked and st.session_state.get(_SEEN) != pair):
        _take(pair)


def _first_choice(desk: Desk) -> tuple[str, str]:
    showcase = desk.showcase
    return ("", "") if showcase is None else (showcase.supplier, showcase.supplier_item_id)
