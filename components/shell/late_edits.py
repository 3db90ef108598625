"""Waits for edits that arrive late, before another table or page replaces theirs.

Streamlit 1.67 sends an edit some 150 ms after it was made, so the click that leaves a cell overtakes it.
"""

import time

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from item_visibility.timings_and_retries import LATE_EDIT_WITHIN_S

_PAGE = "late_edits.page"
_EDITED_ON = "late_edits.edited_on"
_LEAVING = "late_edits.leaving"


def let_edits_arrive() -> None:
    """Wait before another table replaces this one."""
    time.sleep(LATE_EDIT_WITHIN_S)


def expect_late_edits() -> None:
    """Say that this page has a table that can be edited."""
    st.session_state[_EDITED_ON] = st.session_state.get(_PAGE)


def let_last_edit_arrive(page: StreamlitPage) -> None:
    """Wait once when the person leaves a page with such a table.

    The late edit belongs to the old page and takes the window back there. Go on to the new page.
    """
    left, bound_for = st.session_state.pop(_LEAVING, (None, page))
    if left == page.url_path:
        st.switch_page(bound_for)
    edited_on = st.session_state.get(_EDITED_ON, page.url_path)
    st.session_state[_PAGE] = page.url_path
    if edited_on != page.url_path:
        del st.session_state[_EDITED_ON]
        st.session_state[_LEAVING] = (edited_on, page)
        let_edits_arrive()
        st.empty()  # the run ends here if an edit arrived
        del st.session_state[_LEAVING]
