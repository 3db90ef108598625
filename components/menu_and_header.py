"""The menu of pages, the header with the environment, and the frame around every page."""

from pathlib import Path

import streamlit as st

from components import PRODUCT
from components.address import Visit, begin_visit, current_visit, new_visit
from components.markdown_escape import plain, verbatim, visible
from components.notices import show_error
from components.session import (
    address_of_environment,
    current_environment,
    enter_environment,
    environment_names,
    get_desk,
    is_launched,
    may_look_here,
)
from components.sign_in import admit_person, show_person
from item_visibility.errors import ItemVisibilityError
from item_visibility.timeouts import LOOK_AT_PAGE_EVERY_S
from item_visibility.use_cases.desk import Desk

_HERE = Path(__file__).resolve().parent
_PAGES, _LAYOUT = _HERE.parent / "pages", _HERE / "layout.css"
_DRAWN = "frame.drawn"
_CHOICE, _ENV = "environment_choice", "env"
_NOT_LAUNCHED = (
    "The dashboard did not start completely, so it shows nothing. Nothing was changed. Ask whoever runs it "
    "to read its log, and to start it with `item-visibility dashboard` or `streamlit run app.py`."
)
_NAVIGATION = (  # in this order; in a narrow window, a menu contains the last pages
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
        if not admit_person(get_desk()) or not _enter_addressed(page.url_path):
            return
        desk = get_desk()
    except ItemVisibilityError as error:
        show_error("The dashboard cannot start. Nothing was changed.", error)
        st.session_state[_DRAWN] = True
        _watch_page(None)
        return
    _show_environment(desk)
    if page.url_path:
        st.set_page_config(page_title=f"{visible(page.title)} · {PRODUCT}")
        st.title(plain(page.title), anchor=False)
    was_readable = is_readable(desk)
    if not was_readable:
        st.warning(
            "The dashboard's own database cannot be used now. Names, history and sets can be missing on this "
            "page, although they still exist. The service is not affected.",
            icon=":material/database_off:",
        )
    st.session_state[_DRAWN] = True
    _watch_page(desk, was_readable=was_readable)
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


def _enter_addressed(page: str) -> bool:
    """Switch to the environment in the address. If it is not configured, show an error and return False.

    If there are several environments, the current name is put into the address, so that a copied link opens
    what its sender saw. Exception: if Back leads to an address without a name, no name is added, because
    adding a name would undo the press of Back.
    """
    visit = new_visit(page)
    if visit is not None:
        if _ENV in visit.params:
            named = visit.first(_ENV)
            if named not in environment_names():
                _show_unknown(named)
                return False
            enter_environment(named)
        begin_visit(visit)
    else:
        visit = current_visit()
    is_bare_by_back = visit is not None and visit.is_back and _ENV not in visit.params
    address = address_of_environment()
    if address and not is_bare_by_back and st.query_params.get(_ENV) != address[_ENV]:
        st.query_params.update(address)
    return True


def _show_environment(desk: Desk) -> None:
    """Draw the banner with the environment and the person's menu."""
    environment = desk.environment
    with st.container(horizontal=True, vertical_alignment="center", key="environment"):
        st.markdown(f"**{plain(PRODUCT)}**", width="content")
        if environment.is_demo:
            st.badge("Demo: sample data", icon=":material/science:", color="violet")
            st.caption("Nothing here reaches a real system.")
        else:
            st.badge(plain(environment.name), icon=":material/cloud:", color=environment.color)
            st.caption(verbatim(environment.base_url))
        if desk.is_locked:
            with st.container(width="content", key="environment_lock"):
                st.badge("Read only", icon=":material/lock:", color="orange")
        if len(environment_names()) > 1:
            st.session_state[_CHOICE] = current_environment()
            st.selectbox(
                "Environment",
                environment_names(),
                key=_CHOICE,
                label_visibility="collapsed",
                width=220,
                on_change=lambda: _open(st.session_state[_CHOICE]),
            )
        show_person(desk)


def _open(name: str) -> None:
    visit = current_visit()
    st.query_params.clear()
    enter_environment(name)
    st.query_params.update(address_of_environment())
    if visit is not None:
        begin_visit(Visit(visit.page))


def _show_unknown(name: str) -> None:
    with st.container(border=True, key="error_card"):
        st.error(
            "The environment in this link is not configured here. Nothing was read or changed.",
            icon=":material/error:",
        )
        st.text(name)
        st.text("Ask the sender of the link or the operator of this dashboard, or open another environment:")
        with st.container(horizontal=True, key="known_environments"):
            for index, known in enumerate(environment_names()):
                st.button(plain(known), key=f"enter_{index}", on_click=_open, args=(known,))


if __name__ == "__main__":
    draw_frame()
