"""The notice that end dates have come, and the way from it to a preview of what would be removed."""

from pathlib import Path

import streamlit as st

from components.notices import show_error
from components.verbatim import plain
from components.wiring import address_of_environment
from item_visibility.changes.in_words import many
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError

BULK_PAGE = Path(__file__).resolve().parents[2] / "pages" / "items" / "bulk.py"


def show_due(desk: Desk) -> None:
    """Say how many end dates have come. Nothing is drawn while none has."""
    with st.container(key="due"):  # always there: a notice that comes and goes moves no field below
        count = desk.end_dates.count_due()
        if not count:
            return
        with st.container(border=True, horizontal=True, vertical_alignment="center", key="due_notice"):
            words = f"{many(count, 'end date')} {'has' if count == 1 else 'have'} come · not removed yet"
            st.markdown(f":material/event_busy: {plain(words)}")
            if not desk.is_locked and st.button("Look at what to remove", key="preview_due"):
                _open_preview(desk)


def _open_preview(desk: Desk) -> None:
    try:
        key = desk.end_dates.preview_due()
    except ItemVisibilityError as error:
        show_error("Nothing was removed.", error, key="due_error")
        return
    st.switch_page(BULK_PAGE, query_params={"job": key} | address_of_environment())
