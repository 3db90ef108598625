"""A draft that was left and is there again: from when it is, and what changed since."""

import streamlit as st

from components.clock import time_of_day
from components.drafts import is_stored, resumed_draft
from components.verbatim import listed, plain
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk import Desk
from item_visibility.desk_drafts import ResumedDraft


def show_left_draft(desk: Desk, item: ItemKey) -> None:
    """Say what this window took up; and when what is staged lasts no longer than this window."""
    resumed = resumed_draft(desk, item)
    if resumed is not None:
        _show_taken_up(resumed)
    if not is_stored(desk, item):
        st.warning(
            "What you stage is kept in this window only: the dashboard's own database cannot be used. "
            "Staging sends nothing to the service. Save before you close the window.",
            icon=":material/warning:",
        )


def _show_taken_up(resumed: ResumedDraft) -> None:
    st.info(
        plain(f"Staged {time_of_day(resumed.updated_at)}, not saved.")
        + " Look at the changes, then save or discard them."
        + ("" if resumed.others.is_empty else "  \nThe list has changed since.")
        + _listed("  \nAdded:", resumed.others.added)
        + _listed("  \nRemoved:", resumed.others.removed)
        + _listed("  \nOf what you staged, this is so already:", frozenset(resumed.already_so)),
        icon=":material/history:",
    )


def _listed(words: str, recipients: frozenset[str]) -> str:
    return f"{words} {listed(recipients)}" if recipients else ""
