"""The items that are due for review, of all suppliers."""

import streamlit as st

from components.notices import show_error
from components.review.item_table import open_from_table
from components.verbatim import plain
from item_visibility.changes.in_words import many
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError

_SHOWN = 200


def list_due(desk: Desk, supplier: str) -> None:
    """Draw the items whose day has come, the first day first; say what to do where no supplier is chosen."""
    try:
        due = desk.reviews.due(limit=_SHOWN + 1)
    except RecordsError as error:
        show_error("What is due could not be read.", error, key="due_list_error")
        return
    if not due:
        if not supplier:
            st.info(
                "Choose a supplier, then say of each item who keeps it. An item is listed here once its next "
                "review is due.",
                icon=":material/fact_check:",
            )
        return
    shown = due[:_SHOWN]
    more = "" if len(due) == len(shown) else f", the first {len(shown):,} are shown"
    st.header(plain(f"Due for review: {many(len(shown), 'item')}{more}"), anchor=False)
    open_from_table(
        desk,
        [one.item for one in shown],
        {"Due on": [one.review_on.isoformat() for one in shown], "Set by": [one.set_by for one in shown]},
        key="review_due",
        alt="Items that are due for review",
    )
