"""Who works in this window and with which role, and the way out."""

import logging

import streamlit as st

from components.verbatim import plain, showable
from components.wiring import sign_in_rules
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError
from item_visibility.people.sign_in_rules import ProviderRules

_LOG = logging.getLogger(__name__)


def show_person(desk: Desk) -> None:
    """Draw the menu; nothing where nobody signs in."""
    person = desk.person()
    if not person.has_signed_in:
        return
    with st.popover(plain(person.name), icon=":material/account_circle:", key="person_menu"):
        st.text(showable(person.name))
        if person.role is not None:
            st.caption(plain(f"Role: {person.role.word}"))
        if isinstance(sign_in_rules(), ProviderRules):
            st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=sign_out, args=(desk,))


def sign_out(desk: Desk) -> None:
    """Sign the person out of every window with this sign-in, here and at the provider."""
    try:
        desk.sign_out()
    except RecordsError as error:  # this window is signed out all the same
        _LOG.warning("A sign-out could not be recorded: other windows stay signed in. %s", error)
    st.logout()
