"""The pages and the navigation between them, and what surrounds every page."""

from pathlib import Path

import streamlit as st

from components import PRODUCT
from components.notices import show_error
from components.page_header import enter_addressed, show_environment, title_screen
from components.session import get_desk, is_launched, may_look_here
from components.sign_in import admit_person
from item_visibility.errors import ItemVisibilityError
from item_visibility.timeouts import LOOK_AT_PAGE_EVERY_S
from item_visibility.use_cases.desk import Desk

_HERE = Path(__file__).resolve().parent
_PAGES, _LAYOUT = _HERE.parent / "pages", _HERE / "layout.css"
_DRAWN = "frame.drawn"
_NOT_LAUNCHED = (
    "The dashboard did not start completely, so it shows nothing. Nothing was changed. Ask whoever runs it "
    "to read its log, and to start it with `item-visibility dashboard` or `streamlit run app.py`."
)
_NAVIGATION = (  # in this order: what does not fit into the width of the window moves into a menu
    ("items/item.py", "Item", ":material/visibility:", ""),
    ("items/bulk.py", "Bulk", ":material/table_rows:", "bulk"),
    ("support/check.py", "Check", ":material/help:", "check"),
    ("support/coverage.py", "Coverage", ":material/grid_on:", "coverage"),
    ("support/history.py", "History", ":material/history:", "history"),
    ("directory/directory.py", "Directory", ":material/contacts:", "directory"),
    ("system/connection.py", "Connection", ":material/lan:", "connection"),
)


def draw_frame() -> None:
    """Draw the frame with the page of the current address in it."""
    st.set_page_config(page_title=PRODUCT, page_icon=str(_HERE / "icon.png"), layout="wide")
    if not is_launched():
        st.error(_NOT_LAUNCHED)
        return
    pages = [
        st.Page(_PAGES / file, title=title, icon=icon, url_path=address, default=not address)
        for file, title, icon, address in _NAVIGATION
    ]
    recipient = st.Page(_PAGES / "support" / "recipient.py", title="Coverage", visibility="hidden")
    page = st.navigation([*pages, recipient], position="top" if may_look_here() else "hidden")
    st.html(_LAYOUT)
    try:
        if not admit_person(get_desk()) or not enter_addressed(page.url_path):
            return
        desk = get_desk()
    except ItemVisibilityError as error:
        show_error("The dashboard cannot start. Nothing was changed.", error)
        st.session_state[_DRAWN] = True
        _watch_page(None)
        return
    show_environment(desk)
    if page.url_path:
        title_screen(page.title)
    was_readable = is_readable(desk)
    if not was_readable:
        st.warning(
            "The dashboard's own database cannot be used now. Names, history and sets can be missing on this "
            "page, although they still exist. The service is not affected.",
            icon=":material/database_off:",
        )
    st.session_state[_DRAWN] = True
    _watch_page(desk, was_readable=was_readable)
    with desk.scans.people.waiting():
        page.run()


def is_readable(desk: Desk) -> bool:
    """Return True if the dashboard's own database answers."""
    try:
        desk.records.check_reading()
    except ItemVisibilityError:
        return False
    return True


def has_changed(desk: Desk, *, was_readable: bool) -> bool:
    """Return True if the person was signed out, or if the database has failed or come back.

    Ignores a sign-in that has expired, because drawing the page again would drop unsaved ticks.
    """
    if is_readable(desk) != was_readable:
        return True
    try:
        desk.access.person()
    except ItemVisibilityError:
        return True
    return False


@st.fragment(run_every=LOOK_AT_PAGE_EVERY_S)
def _watch_page(desk: Desk | None, *, was_readable: bool = True) -> None:
    if st.session_state.pop(_DRAWN, False):
        return  # the whole page is being drawn
    if desk is None or has_changed(desk, was_readable=was_readable):
        st.rerun()


if __name__ == "__main__":
    draw_frame()
