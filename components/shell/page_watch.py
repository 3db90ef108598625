"""A look every 15 seconds for a sign-out elsewhere, and at the state of our own database."""

import streamlit as st

from item_visibility.errors import ItemVisibilityError
from item_visibility.timings_and_retries import LOOK_AT_PAGE_EVERY_S
from item_visibility.use_cases.desk import Desk

_DRAWN = "page_watch.drawn"


def is_readable(desk: Desk) -> bool:
    """True when our own database answers."""
    try:
        desk.records.check_reading()
    except ItemVisibilityError:
        return False
    return True


def has_changed(desk: Desk, *, was_readable: bool) -> bool:
    """True when the person was signed out, or the database answers again or no longer.

    A sign-in that expires is not a change: drawing the page again would drop ticks that are not saved. The
    next action says that it has ended.
    """
    if is_readable(desk) != was_readable:
        return True
    try:
        desk.access.person()
    except ItemVisibilityError:
        return True
    return False


def watch_page(desk: Desk | None, *, was_readable: bool = True) -> None:
    """Draw nothing, and rerun the page only when one of the two has changed since it was drawn.

    `desk` is None when it could not be opened: then the page tries again each time.
    """
    st.session_state[_DRAWN] = True
    _look(desk, was_readable=was_readable)


@st.fragment(run_every=LOOK_AT_PAGE_EVERY_S)
def _look(desk: Desk | None, *, was_readable: bool) -> None:
    if st.session_state.pop(_DRAWN, False):
        return  # the whole page is being drawn
    if desk is None or has_changed(desk, was_readable=was_readable):
        st.rerun()
