"""The way out: a sign-out here, and at the provider or the proxy."""

import logging

import streamlit as st

from components.wiring import sign_in_rules
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError
from item_visibility.people.sign_in_rules import ProviderRules, ProxyRules

_LOG = logging.getLogger(__name__)
_ICON = ":material/logout:"


def offer_sign_out(desk: Desk) -> None:
    """Draw the button; nothing where a proxy signs people in and its sign-out is not known."""
    rules = sign_in_rules()
    if isinstance(rules, ProviderRules):
        st.button("Sign out", key="sign_out", icon=_ICON, on_click=_leave, args=(desk,))
    elif isinstance(rules, ProxyRules) and rules.sign_out_url:
        st.link_button(
            "Sign out", rules.sign_out_url, key="sign_out", icon=_ICON, on_click=_end, args=(desk,)
        )


def _leave(desk: Desk) -> None:
    """Sign the person out of every window with this sign-in, here and at the provider."""
    _end(desk)
    st.logout()


def _end(desk: Desk) -> None:
    """Sign the person out of every window with this sign-in; this one at least."""
    try:
        desk.doorkeeper.sign_out()
    except RecordsError as error:
        _LOG.warning("A sign-out could not be recorded: other windows stay signed in. %s", error)
