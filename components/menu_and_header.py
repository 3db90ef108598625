"""The menu of pages, the header with the environment, and the frame of every page."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from components import PRODUCT, draw
from components.address import begin_visit, new_visit
from components.markdown_escape import as_code, html_link, visible
from components.notices import show_error
from components.session import (
    address_to_open,
    enter_environment,
    environment_names,
    get_desk,
    is_launched,
    may_look_here,
    name_environment_in_address,
)
from components.sign_in import admit_person, show_person
from item_visibility.errors import ItemVisibilityError
from item_visibility.timeouts import LOOK_AT_PAGE_EVERY_S
from item_visibility.use_cases.desk import Desk

_HERE = Path(__file__).resolve().parent
_PAGES = _HERE.parent / "pages" / "screens"
_LAYOUT = _HERE / "layout.css"
_DRAWN = "menu_and_header.drawn"
_NOT_LAUNCHED = (
    "The dashboard did not start completely, so it shows nothing. Nothing was "
    "changed. Ask whoever runs it to read its log, and to start it with "
    "`item-visibility dashboard` or `streamlit run app.py`."
)

# The order of the menu. In a narrow window, a second menu contains the last pages.
_NAVIGATION = (
    ("item.py", "Item", ":material/visibility:", ""),
    ("bulk.py", "Bulk", ":material/table_rows:", "bulk"),
    ("check.py", "Check", ":material/help:", "check"),
    ("coverage.py", "Coverage", ":material/grid_on:", "coverage"),
    ("history.py", "History", ":material/history:", "history"),
    ("directory.py", "Directory", ":material/contacts:", "directory"),
    ("connection.py", "Connection", ":material/lan:", "connection"),
)


def draw_frame() -> None:
    """Draw the frame with the page of the current address in it."""
    # The menu of pages.
    st.set_page_config(
        page_title=PRODUCT, page_icon=str(_HERE / "icon.png"), layout="wide"
    )
    if not is_launched():
        draw.error(_NOT_LAUNCHED)
        return

    page = st.navigation(_pages(), position="top" if may_look_here() else "hidden")
    st.html(_LAYOUT)  # noqa: TID251  # a file of ours

    # The environment, and who is there.
    try:
        not_here = enter_environment()
        desk = get_desk()
        if not admit_person(desk):
            return
    except ItemVisibilityError as error:
        show_error("The dashboard cannot start. Nothing was changed.", error)
        st.session_state[_DRAWN] = True
        _watch_page(None)
        return

    if not_here:
        _show_not_here(not_here)
        return

    # The header.
    visit = new_visit(page.url_path)
    if visit is not None:
        begin_visit(visit)
    _show_environment(desk)
    if page.url_path:
        st.set_page_config(page_title=f"{visible(page.title)} · {PRODUCT}")
        draw.title("{}", page.title)
    was_readable = is_readable(desk)
    if not was_readable:
        draw.warning(
            "The dashboard's own database cannot be used now. Names, history and "
            "sets can be missing on this page, although they still exist. The service "
            "is not affected.",
            icon=":material/database_off:",
        )

    # The page.
    st.session_state[_DRAWN] = True
    _watch_page(desk, was_readable=was_readable)
    name_environment_in_address()
    page.run()


def _pages() -> list[StreamlitPage]:
    pages = [
        st.Page(
            _PAGES / file, title=title, icon=icon, url_path=address, default=not address
        )
        for file, title, icon, address in _NAVIGATION
    ]
    recipient = st.Page(_PAGES / "recipient.py", title="Coverage", visibility="hidden")
    return [*pages, recipient]


def is_readable(desk: Desk) -> bool:
    """Return True if the dashboard's own database answers."""
    try:
        desk.records.check_reading()
    except ItemVisibilityError:
        return False
    return True


def has_changed(desk: Desk, *, was_readable: bool) -> bool:
    """Return True if the person was signed out or the database failed or came back.

    Ignores a sign-in that has expired, because drawing the page again would drop
    unsaved ticks.
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


def _show_environment(desk: Desk) -> None:
    """Draw the banner with the environment and the person's menu."""
    environment = desk.environment
    with st.container(horizontal=True, vertical_alignment="center", key="environment"):
        draw.markdown("**{}**", PRODUCT, width="content")
        if environment.is_demo:
            draw.badge("Demo: sample data", icon=":material/science:", color="violet")
            draw.caption("Nothing here reaches a real system.")
        else:
            draw.badge(
                "{}",
                environment.name,
                icon=":material/cloud:",
                color=environment.color,
            )
            draw.caption("{}", as_code(environment.base_url))
        if desk.is_locked:
            with st.container(width="content", key="environment_lock"):
                draw.badge("Read only", icon=":material/lock:", color="orange")

        others = [name for name in environment_names() if name != environment.name]
        if others:
            with st.popover(
                "Environments", icon=":material/swap_horiz:", key="environment_choice"
            ):
                _show_links(others)

        show_person(desk)


def _show_links(names: Sequence[str]) -> None:
    """Draw a link to each environment.

    It loads the page again, because a window keeps its environment. Streamlit's own
    links open a new tab or stay in this window.
    """
    with st.container(gap=None, key="environment_links"):
        for name in names:
            link = html_link(address_to_open(name), name)
            st.html(link)  # noqa: TID251  # both texts are escaped


def _show_not_here(name: str) -> None:
    """Say that this window cannot show the environment in its address.

    Offer the other environments.
    """
    if name in environment_names():
        headline = (
            "The address now names another environment than this window. Nothing was "
            "read or changed."
        )
        advice = "Open the environment that you need:"
    else:
        headline = (
            "The environment in this link is not configured here. Nothing was read or "
            "changed."
        )
        advice = (
            "Ask the sender of the link or the operator of this dashboard, or open "
            "another environment:"
        )

    with st.container(border=True, key="error_card"):
        draw.error("{}", headline, icon=":material/error:")
        st.text(visible(name))
        st.text(advice)
        _show_links(environment_names())


if __name__ == "__main__":
    draw_frame()
