"""The frame of every screen: page settings, navigation, and which environment this is."""

from pathlib import Path

import streamlit as st

from components.notices import show_error
from components.session import get_desk, may_look_here
from components.shell.banner import PRODUCT, enter_addressed, show_environment, title_screen
from components.shell.sign_in import admit_person
from item_visibility.errors import ItemVisibilityError, SignInError
from item_visibility.timeouts import LOOK_AT_PAGE_EVERY_S
from item_visibility.use_cases.desk import Desk

_HERE = Path(__file__).resolve().parent
_PAGES, _LAYOUT = _HERE.parent / "pages", _HERE / "layout.css"
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
        st.button("Try again", key="try_again", icon=":material/refresh:")
        return
    show_environment(desk)
    if page.url_path:
        title_screen(page.title)
    _warn_of_database(desk)
    _watch_sign_out(desk)
    with desk.scans.people.waiting():
        page.run()


def _warn_of_database(desk: Desk) -> None:
    """Warn when our own database cannot be read: what is missing below may exist all the same."""
    try:
        desk.records.check_reading()
    except ItemVisibilityError:
        st.warning(
            "The dashboard's own database cannot be used now. Names, history and sets that are missing here "
            "may be there all the same. At the service, this changes nothing.",
            icon=":material/database_off:",
        )


@st.fragment(run_every=LOOK_AT_PAGE_EVERY_S)
def _watch_sign_out(desk: Desk) -> None:
    """Draw the page again, without its data, when the person has signed out in another window."""
    if is_signed_out(desk):
        st.rerun()


def is_signed_out(desk: Desk) -> bool:
    """True when the sign-in was ended. One that has expired is not: drawing the page would drop ticks."""
    try:
        desk.access.person()
    except SignInError:
        return True
    return False


if __name__ == "__main__":
    draw_frame()
