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
class Prefill:
    """The recipients that a link adds and removes. Nothing is saved until the person presses Save."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnsavedChanges:
    """Changes that were not saved because the sign-in had ended."""

    item: ItemKey
    add: frozenset[str]
    remove: frozenset[str]


def keep_unsaved(item: ItemKey, *, add: Iterable[str], remove: Iterable[str]) -> None:
    """Keep changes for the sign-in screen, which carries them to the next sign-in.

    Ids that cannot be sent in a request are left out, because an address cannot contain them either.
    """
    sendable = [
        frozenset(one for one in ids if refusal(one, name="recipient") is None) for ids in (add, remove)
    ]
    changes = UnsavedChanges(item, *sendable)
    if changes.add or changes.remove:
        st.session_state[_UNSAVED] = changes


def unsaved_changes() -> UnsavedChanges | None:
    """Return the stored changes, or None."""
    changes: UnsavedChanges | None = st.session_state.get(_UNSAVED)
    return changes


def put_unsaved_into_address(changes: UnsavedChanges) -> bool:
    """Put the changes into the address, to which the sign-in returns; False when there are too many."""
    parts = link_parts(changes.item, add=changes.add, remove=changes.remove)
    if len(link(parts)) > LONGEST_LINK:
        return False
    st.query_params.from_dict(parts)
    return True


def take_prefill_from_address() -> None:
    """Move `add` and `remove` out of the address, so that a reload does not fill in the form again.

    The link starts a new form, so an open one is dropped.
    """
    visit = unread_visit("form_link")
    if visit is not None and (visit.all(_ADD) or visit.all(_REMOVE)):
        item = ItemKey(visit.first("supplier"), visit.first("item"))
        prefill = Prefill(visit.all(_ADD), visit.all(_REMOVE))
        st.session_state[_PREFILL] = (current_environment(), item, prefill)
        drop_form()
    for name in (_ADD, _REMOVE):
        if name in st.query_params:
            del st.query_params[name]


def use_prefill(item: ItemKey) -> Prefill:
    """Return the link's recipients once, and only for its own item and environment."""
    environment, about, prefill = st.session_state.pop(_PREFILL, ("", None, Prefill()))
    return prefill if (environment, about) == (current_environment(), item) else Prefill()


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
