"""Links that open an item with the form filled in: `/?supplier=…&item=…&add=…&remove=…`, one id each."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from components.address import unread_visit
from components.item.form import drop_form
from components.session import address_of_environment, current_environment
from item_visibility.client.identifiers import ItemKey, refusal

LONGEST_LINK = 3_000
"""The maximum characters of a link with a filled-in form; servers and mail programs cut longer ones."""

_ADD, _REMOVE = "add", "remove"
_PREFILL = "form_link.prefill"
_UNSAVED = "form_link.unsaved"


@dataclass(frozen=True, slots=True)
class FilledIn:
    """The recipients that a link adds to an item and removes. Nothing is saved until Save is pressed."""

    item: ItemKey
    add: Collection[str] = ()
    remove: Collection[str] = ()


def keep_unsaved(item: ItemKey, *, add: Iterable[str], remove: Iterable[str]) -> None:
    """Keep changes for the sign-in screen, which carries them to the next sign-in.

    Ids that cannot be sent in a request are left out, because an address cannot contain them either.
    """
    sendable = [
        frozenset(one for one in ids if refusal(one, name="recipient") is None) for ids in (add, remove)
    ]
    changes = FilledIn(item, *sendable)
    if changes.add or changes.remove:
        st.session_state[_UNSAVED] = changes


def unsaved_changes() -> FilledIn | None:
    """Return the stored changes, or None."""
    changes: FilledIn | None = st.session_state.get(_UNSAVED)
    return changes


def take_prefill_from_address() -> None:
    """Move `add` and `remove` out of the address, so that a reload does not fill in the form again.

    The link starts a new form, so an open one is dropped.
    """
    visit = unread_visit("form_link")
    if visit is not None and (visit.all(_ADD) or visit.all(_REMOVE)):
        item = ItemKey(visit.first("supplier"), visit.first("item"))
        prefill = FilledIn(item, visit.all(_ADD), visit.all(_REMOVE))
        st.session_state[_PREFILL] = (current_environment(), prefill)
        drop_form()
    for name in (_ADD, _REMOVE):
        if name in st.query_params:
            del st.query_params[name]


def use_prefill(item: ItemKey) -> FilledIn:
    """Return the link's recipients once, and only for its own item and environment."""
    nothing = FilledIn(item)
    environment, prefill = st.session_state.pop(_PREFILL, ("", nothing))
    return prefill if (environment, prefill.item) == (current_environment(), item) else nothing


def link_parts(filled: FilledIn) -> dict[str, str | list[str]]:
    """Return the query of a link that opens the item with these recipients filled in."""
    item = filled.item
    parts: dict[str, str | list[str]] = {"supplier": item.supplier, "item": item.supplier_item_id}
    ids = {_ADD: sorted(filled.add), _REMOVE: sorted(filled.remove)}
    return parts | address_of_environment() | {name: some for name, some in ids.items() if some}


def link(parts: dict[str, str | list[str]]) -> str:
    """Return the whole link, at the address under which this window was opened."""
    address = (st.context.url or "").partition("?")[0]
    return f"{address.rstrip('/')}/?{urlencode(parts, doseq=True)}"
