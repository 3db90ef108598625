"""The button to sign out, here and at the provider."""

import logging

import streamlit as st

from item_visibility.errors import RecordsError
from item_visibility.use_cases.desk import Desk

_LOG = logging.getLogger(__name__)


def offer_sign_out(desk: Desk) -> None:
    """Draw the button."""
    st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=_leave, args=(desk,))


def _leave(desk: Desk) -> None:
    """Sign the person out of every window with this sign-in, this one at least, and at the provider."""
    try:
        desk.access.sign_out()
    except RecordsError as error:
        _LOG.warning("A sign-out could not be recorded: other windows stay signed in. %s", error)
    st.logout()
