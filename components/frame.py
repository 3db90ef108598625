"""The frame of every screen: page settings, navigation, and which environment this is."""

from pathlib import Path

import streamlit as st

from components.notices import show_error
from components.shell.environment_band import PRODUCT, enter_addressed, show_environment, show_other_address
from components.shell.page_watch import is_readable, watch_page
from components.shell.screen_title import title_screen
from components.sign_in.gate import admit_person
from components.wiring import get_desk, may_look_here
from item_visibility.errors import ItemVisibilityError

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
        watch_page(None)
        return
    show_environment(desk)
    if page.url_path:
        title_screen(page.title)
    show_other_address(desk)
    was_readable = is_readable(desk)
    if not was_readable:
        _warn_of_database()
    watch_page(desk, was_readable=was_readable)
    with desk.scans.people.waiting():
        page.run()


def _warn_of_database() -> None:
    """Warn that our own database cannot be read: something missing below may exist all the same."""
    st.warning(
        "The dashboard's own database cannot be used now. Names, history and sets that are missing here may "
        "be there all the same. At the service, this changes nothing.",
        icon=":material/database_off:",
    )


if __name__ == "__main__":
    draw_frame()
