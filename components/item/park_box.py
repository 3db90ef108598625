"""Parking the open item, and restoring the recipients that the last park took away."""

import streamlit as st

from components.clock import time_of_day
from components.item.add_box import has_left
from components.item.window_drafts import keep_draft, kept_draft
from components.notices import Notice, keep_notice
from components.saving.asking import ask
from components.verbatim import plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.asked_save import AskedSave
from item_visibility.changes.draft import Draft
from item_visibility.changes.in_words import named
from item_visibility.desk.parks import ParkedItem, with_everybody_parked, with_restored
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError

_ASKED = "park_box.asked"


def show_park(desk: Desk, draft: Draft, *, is_locked: bool) -> None:
    """Offer to park the item, and to restore it when it was parked."""
    try:
        parked = desk.records.parks.latest_of(draft.item)
    except RecordsError:
        st.warning("It could not be read whether this item is parked.", icon=":material/archive:")
        return
    if parked is not None and not parked.recipients <= draft.wanted:
        with st.container(border=True, key="parked"):
            at = time_of_day(parked.parked_at)
            st.markdown(plain(f"Parked {at}. It was taken away from {_whom(desk, parked)}."))
            st.button(
                "Restore",
                key="restore",
                icon=":material/unarchive:",
                disabled=is_locked,
                on_click=_stage_restore,
                args=(desk, draft.item, parked.key),
            )
    if draft.recipients and draft.is_empty and not is_locked:
        _offer_park(desk, draft)


def _whom(desk: Desk, parked: ParkedItem) -> str:
    return named(parked.recipients, desk.names.recipient_names(parked.recipients))


def ask_restore(desk: Desk, key: str, target: ItemKey) -> None:
    """Have a parked list staged on this item as soon as it is open."""
    st.session_state[_ASKED] = (desk.environment.name, key, target)


def stage_asked_restore(desk: Desk, draft: Draft) -> Draft:
    """Return the draft, with a restore staged if one was asked for elsewhere."""
    environment, key, target = st.session_state.pop(_ASKED, ("", "", None))
    if (environment, target) != (desk.environment.name, draft.item):
        return draft
    _stage_restore(desk, draft.item, key)
    return kept_draft(desk, draft.item) or draft


def _offer_park(desk: Desk, draft: Draft) -> None:
    st.button(
        "Park this item…",
        key="park",
        icon=":material/archive:",
        help="Remove all recipients, and keep the list to restore them later.",
        on_click=_ask_park,
        args=(desk, draft.item),
    )


def _ask_park(desk: Desk, item: ItemKey) -> None:
    """Ask whether everybody is to be removed. Nothing is staged before the count was typed."""
    draft = kept_draft(desk, item)
    if has_left():
        keep_notice(Notice("Nothing was parked: first add or clear the text in Add recipients."))
    elif draft is None or not draft.is_empty:
        keep_notice(Notice("Nothing was parked: save or discard what you changed, then park."))
    else:
        ask(desk, AskedSave(with_everybody_parked(draft)))


def _stage_restore(desk: Desk, item: ItemKey, key: str) -> None:
    draft = kept_draft(desk, item)
    try:
        parked = desk.records.parks.parked(key)
    except RecordsError as error:
        lines = (error.message, error.advice)
        keep_notice(Notice("The recipients to restore could not be read. Nothing was staged.", lines))
        return
    if draft is None or parked is None:
        return
    restored = with_restored(draft, parked)
    keep_draft(desk, restored)
    if restored.wanted == draft.wanted:
        keep_notice(Notice("Nothing to restore: all of them can see the item already."))
