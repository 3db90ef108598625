"""A whole recipient set, staged on the open item: added, removed, or exactly this set."""

from collections.abc import Callable

import streamlit as st

from components.item.window_drafts import keep_draft, kept_draft
from components.notices import Notice, keep_notice, kept_error
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.sets import StoredSet, with_exactly_set, with_set_added, with_set_removed
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError

_CHOSEN = "recipient_set"


def stage_set(desk: Desk, item: ItemKey, *, is_locked: bool) -> None:
    """Draw the choice of a set and its actions. Draw nothing while there are no sets."""
    try:
        names = desk.records.sets.names()
    except RecordsError:
        st.warning("The recipient sets could not be read.", icon=":material/group_off:")
        return
    if not names:
        return
    with st.container(border=True, key="set_box"):
        st.selectbox("Recipient set", names, key=_CHOSEN, disabled=is_locked)
        with st.container(horizontal=True, key="set_buttons"):
            for label, key, staged in (
                ("Add set", "add_set", with_set_added),
                ("Remove set", "remove_set", with_set_removed),
                ("Exactly this set", "exactly_set", with_exactly_set),
            ):
                st.button(label, key=key, disabled=is_locked, on_click=_stage, args=(desk, item, staged))


def _stage(desk: Desk, item: ItemKey, staged: Callable[[Draft, StoredSet], Draft]) -> None:
    """Stage the members that the set has now. Nothing is sent before Save."""
    draft, name = kept_draft(desk, item), st.session_state.get(_CHOSEN)
    if draft is None or name is None:
        return
    with kept_error("Nothing was staged."):
        chosen = desk.sets.open(name)
        after = staged(draft, chosen)
        keep_draft(desk, after)
        if after.wanted == draft.wanted:
            keep_notice(Notice("Everything is already in place: the set changes nothing here."))
