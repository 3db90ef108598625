"""Links that open an item with the form filled in: `/?supplier=…&item=…&add=…&remove=…`, one id each."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from components.wiring import address_of_environment
from item_visibility.api.identifiers import ItemKey

LONGEST_LINK = 3_000
"""The limit in characters for a link that carries a form; servers and mail programs cut longer ones."""

_ADD, _REMOVE = "add", "remove"
_PREFILL = "form_link.prefill"
_UNSAVED = "form_link.unsaved"


@dataclass(frozen=True, slots=True)
class Prefill:
    """The recipients that a link asks to add and to remove. Nothing of it is saved before Save is pressed."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnsavedChanges:
    """Changes that were not saved because the sign-in had ended."""

    item: ItemKey
    add: frozenset[str]
    remove: frozenset[str]


def keep_unsaved(changes: UnsavedChanges) -> None:
    """Keep changes for the sign-in screen, which carries them to the next sign-in."""
    st.session_state[_UNSAVED] = changes


def unsaved_changes() -> UnsavedChanges | None:
    """Return the changes that were kept, or None."""
    changes: UnsavedChanges | None = st.session_state.get(_UNSAVED)
    return changes


def put_unsaved_into_address(changes: UnsavedChanges) -> bool:
    """Put the changes into the address, to which the sign-in returns; False when they are too many."""
    parts = link_parts(changes.item, add=changes.add, remove=changes.remove)
    if len(link(parts)) > LONGEST_LINK:
        return False
    st.query_params.from_dict(parts)
    return True


def take_prefill_from_address() -> None:
    """Move `add` and `remove` out of the address, so that a reload does not fill in the form again."""
    add, remove = (tuple(st.query_params.get_all(name)) for name in (_ADD, _REMOVE))
    if add or remove:
        st.session_state[_PREFILL] = Prefill(add, remove)
        for name in (_ADD, _REMOVE):
            if name in st.query_params:
                del st.query_params[name]


def use_prefill() -> Prefill:
    """Return what the link asked for, once."""
    prefill: Prefill = st.session_state.pop(_PREFILL, Prefill())
    return prefill


def link_parts(
    item: ItemKey, *, add: Collection[str] = (), remove: Collection[str] = ()
) -> dict[str, str | list[str]]:
    """Return the query of a link that opens the item with these recipients filled in."""
    parts: dict[str, str | list[str]] = {"supplier": item.supplier, "item": item.supplier_item_id}
    parts |= address_of_environment()
    filled = {_ADD: sorted(add), _REMOVE: sorted(remove)}
    return parts | {name: ids for name, ids in filled.items() if ids}


def link(parts: dict[str, str | list[str]]) -> str:
    """Return the whole link, at the address under which this window was opened."""
    address = (st.context.url or "").partition("?")[0]
    return f"{address.rstrip('/')}/?{urlencode(parts, doseq=True)}"
