"""An addition that another page asked for: staged on the item page, seen there, and saved by the person."""

import streamlit as st

from components.item.window_drafts import keep_draft
from components.notices import Notice, keep_notice
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.use_cases import Desk

_ASKED = "asked_addition.asked"


def ask_addition(desk: Desk, item: ItemKey, recipient_id: str) -> None:
    """Have the recipient staged to add as soon as the item is open. Nothing is sent."""
    st.session_state[_ASKED] = (desk.environment.name, item, recipient_id)


def stage_asked_addition(desk: Desk, draft: Draft) -> Draft:
    """Return the draft, with an addition staged if one was asked for elsewhere."""
    environment, item, recipient_id = st.session_state.pop(_ASKED, ("", None, ""))
    if (environment, item) != (desk.environment.name, draft.item):
        return draft
    staged = draft.with_added([recipient_id])
    if staged == draft:
        keep_notice(Notice("This recipient can see the item by now, or is staged already:", (recipient_id,)))
        return draft
    keep_draft(desk, staged)
    return staged
