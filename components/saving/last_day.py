"""The end date of the additions that are staged: asked for beside the reason, one for all of a save."""

from datetime import date

import streamlit as st

from components.item.table.row_key import item_key
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.use_cases import Desk


def ask_last_day(desk: Desk, draft: Draft) -> None:
    """Draw the field while additions are staged. Each item has its own: a date is never carried over."""
    if draft.add:
        st.date_input(
            "Who is added can see it until (optional)",
            value=None,
            min_value=desk.end_dates.today,
            format="YYYY-MM-DD",
            key=_key(desk, draft.item),
            help="The last day, in UTC. When it is over, the dashboard asks you to look, and to apply it.",
        )


def last_day(desk: Desk, item: ItemKey) -> date | None:
    """Return the end date that was entered for the additions to this item, if any."""
    entered: date | None = st.session_state.get(_key(desk, item))
    return entered


def _key(desk: Desk, item: ItemKey) -> str:
    return item_key("last_day", desk.environment.name, item)
