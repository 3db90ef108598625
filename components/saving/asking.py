"""The changes that wait for an answer before they are saved: large ones, and an undo beside others."""

import streamlit as st

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.asked_save import AskedSave
from item_visibility.changes.confirmation import is_confirmed
from item_visibility.desk.use_cases import Desk

COUNT = "confirm_count"
_ASKED = "asking.asked"


def ask(desk: Desk, asked: AskedSave) -> None:
    """Ask about these changes, with an empty count."""
    st.session_state[_ASKED] = (desk.environment.name, asked)
    st.session_state[COUNT] = ""


def asked_about(desk: Desk, item: ItemKey) -> AskedSave | None:
    """Return the changes of this item that wait for an answer. Those of another item wait no more."""
    environment, asked = st.session_state.get(_ASKED, ("", None))
    if asked is not None and (environment, asked.changes.item) != (desk.environment.name, item):
        stop_asking()
        return None
    waiting: AskedSave | None = asked
    return waiting


def stop_asking() -> None:
    """Drop the question. Nothing is saved, and staged changes stay."""
    st.session_state.pop(_ASKED, None)


def is_answered(asked: AskedSave) -> bool:
    """True when the typed count fits, or none is asked for."""
    confirmation = asked.changes.confirmation
    return confirmation is None or is_confirmed(confirmation.count, typed=st.session_state.get(COUNT, ""))
