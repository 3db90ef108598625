"""The top of every screen: the environment, the menu of the person, and the heading."""

import streamlit as st

from components import PRODUCT
from components.address import Visit, begin_visit, current_visit, new_visit
from components.markdown_escape import plain, verbatim, visible
from components.session import (
    address_of_environment,
    current_environment,
    enter_environment,
    environment_names,
)
from components.sign_in import show_person
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.desk import Desk

_CHOICE = "environment_choice"
_ENV = "env"


def enter_addressed(page: str) -> bool:
    """Switch to the environment that the address names. If it is unknown, show an error and return False.

    With several environments, the address always gets the name, so that a copied link opens what its sender
    saw. The exception is Back to an address without a name: adding it would keep Back from leaving the page.
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


def show_environment(desk: Desk) -> None:
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


def title_screen(words: str) -> None:
    """Show these words as the heading and in the browser tab."""
    st.set_page_config(page_title=f"{visible(words)} · {PRODUCT}")
    st.title(plain(words), anchor=False)


def title_item(desk: Desk, item: ItemKey | None) -> None:
    """Show the item's name and market as the heading, with its number beside it."""
    if item is None:
        title_screen("Choose an item")
        return
    name = desk.names.item_title(item)
    st.set_page_config(page_title=visible(name))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="item_title"):
        st.title(plain(name), anchor=False, width="content")
        if not name.startswith(item.supplier_item_id):
            st.caption(verbatim(item.supplier_item_id), width="content")


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
