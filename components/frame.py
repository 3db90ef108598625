"""The frame of every screen: page settings, navigation, and which environment this is."""

from pathlib import Path

import streamlit as st

from components.notices import show_error
from components.shell.environment_band import PRODUCT, enter_addressed, show_environment, show_other_address
from components.shell.frame_look import dress_screen
from components.shell.screen_title import title_screen
from components.sign_in.gate import admit_person, looks_admitted
from components.wiring import get_desk
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError, RecordsError

_PAGES = Path(__file__).resolve().parent.parent / "pages"
_NAVIGATION = (
    ("items/item.py", "Item", ":material/visibility:", ""),
    ("items/bulk.py", "Bulk", ":material/table_rows:", "bulk"),
    ("support/check.py", "Check", ":material/help:", "check"),
    ("support/recipient.py", "Recipient", ":material/person_search:", "recipient"),
    ("support/coverage.py", "Coverage", ":material/grid_on:", "coverage"),
    ("directory/directory.py", "Directory", ":material/contacts:", "directory"),
    ("support/history.py", "History", ":material/history:", "history"),
    ("system/connection.py", "Connection", ":material/lan:", "connection"),
)


def draw_frame() -> None:
    """Draw the frame with the page of the current address in it."""
    st.set_page_config(page_title=PRODUCT, page_icon=str(Path(__file__).with_name("icon.png")), layout="wide")
    page = st.navigation(
        [
            st.Page(_PAGES / file, title=title, icon=icon, url_path=address, default=not address)
            for file, title, icon, address in _NAVIGATION
        ],
        position="top" if looks_admitted() else "hidden",
    )
    dress_screen()
    try:
        if not admit_person(get_desk()) or not enter_addressed(page.url_path):
            return
        desk = get_desk()
    except ItemVisibilityError as error:
        show_error("The dashboard cannot start. Nothing was changed.", error)
        return
    show_environment(desk)
    if page.url_path:
        title_screen(page.title)
    show_other_address(desk)
    _tell_of_records(desk)
    with desk.scans.people.waiting():
        page.run()


def _tell_of_records(desk: Desk) -> None:
    """Warn that the records cannot be read: something missing below may exist all the same."""
    try:
        desk.records.check_reading()
    except RecordsError:
        st.warning(
            "The dashboard's own database cannot be used now. Names, history and sets that are "
            "missing here may be there all the same. At the service, this changes nothing.",
            icon=":material/database_off:",
        )


if __name__ == "__main__":
    draw_frame()
