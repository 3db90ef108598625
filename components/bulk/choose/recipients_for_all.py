"""The recipients of a list that names items alone: a set, and those that are found by name."""

from dataclasses import replace

import streamlit as st

from components.bulk.steps import leave_job
from components.finder.many_choices import choose_recipients, chosen_recipients
from components.notices import show_error
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.layout import Fixed
from item_visibility.storage.fallback import or_else
from item_visibility.use_cases.desk import Desk

SET, RECIPIENTS = "bulk_set", "bulk_recipients"
_ABOUT = "bulk"


def choose_for_all(desk: Desk, fixed: Fixed) -> Fixed | None:
    """Draw the fields, and return the values with their recipients. None while a text is to be decided."""
    with st.container(key="bulk_recipients_for_all"):
        of_set, by_name = st.columns(2, gap="medium")
        with of_set:
            sets = or_else(None, desk.records.sets.names)
            chosen = st.selectbox(
                "Recipient set",
                sets or (),
                index=None,
                key=SET,
                on_change=leave_job,
                placeholder="Could not be read" if sets is None else "Only for a list of items alone",
            )
        with by_name:
            choose_recipients(
                desk, label="Recipients for all items", key=RECIPIENTS, about=_ABOUT, reruns_page=True
            )
    named = chosen_recipients(desk, RECIPIENTS, about=_ABOUT)
    if named.undecided:
        st.warning(
            "Decide about the text in Recipients for all items; then press Preview.", icon=":material/rule:"
        )
        return None
    return replace(fixed, recipients=_recipients_of(desk, chosen).union(named.ids))


def _recipients_of(desk: Desk, name: str | None) -> frozenset[str]:
    if name is None:
        return frozenset()
    try:
        return desk.sets.open(name).recipients
    except ItemVisibilityError as error:
        show_error("The recipient set could not be read. Nothing was changed.", error, key="bulk_set_error")
        return frozenset()
