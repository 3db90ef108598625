"""Links to an item that fill in recipients to add and to remove."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from components.address import address_of_item, unread_visit, write_address
from components.item.form import drop_form
from item_visibility.client.identifiers import ItemKey

_ADD = "add"
_REMOVE = "remove"
_PREFILL = "links.prefill"


@dataclass(frozen=True, slots=True)
class FilledIn:
    """The changes that a link fills into the form of an item."""

    item: ItemKey
    add: Collection[str] = ()
    remove: Collection[str] = ()


def take_prefill_from_address() -> None:
    """Move `add` and `remove` from the address into the session.

    If there are any, drop the open form.
    """
    visit = unread_visit("links")
    if visit is not None and (visit.all(_ADD) or visit.all(_REMOVE)):
        item = ItemKey(visit.first("supplier"), visit.first("item"))
        st.session_state[_PREFILL] = FilledIn(item, visit.all(_ADD), visit.all(_REMOVE))
        drop_form()

    write_address({_ADD: (), _REMOVE: ()})


def use_prefill(item: ItemKey) -> FilledIn:
    """Return the changes that a link fills in for this item.

    Each link is used only once.
    """
    nothing = FilledIn(item)
    prefill: FilledIn = st.session_state.pop(_PREFILL, nothing)
    return prefill if prefill.item == item else nothing


def link_parts(filled: FilledIn) -> dict[str, str | list[str]]:
    """Return the query parameters of a link that fills in these recipients."""
    parts: dict[str, str | list[str]] = {**address_of_item(filled.item)}
    if filled.add:
        parts[_ADD] = sorted(filled.add)
    if filled.remove:
        parts[_REMOVE] = sorted(filled.remove)
    return parts


def link(parts: dict[str, str | list[str]]) -> str:
    """Return the whole link."""
    address = (st.context.url or "").partition("?")[0]
    return f"{address.rstrip('/')}/?{urlencode(parts, doseq=True)}"
