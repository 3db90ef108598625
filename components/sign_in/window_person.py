"""The facts by which the core knows who asks in this window."""

from datetime import UTC, datetime

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.sign_in.told_peer import asked_at, peers_of
from item_visibility.people.person import Person
from item_visibility.people.sign_in_rules import SignInRules
from item_visibility.people.who_asks import Asking, person_who_asks


def person_of_window(rules: SignInRules | None) -> Person:
    """Return who asks, in the thread of a window's script. Raises SignInError when nobody is signed in."""
    is_asked = rules is not None and get_script_run_ctx(suppress_warning=True) is not None
    headers = st.context.headers.to_dict() if is_asked else {}
    asking = Asking(
        claims=st.user.to_dict() if is_asked else {},
        headers=headers,
        peers=peers_of(headers),
        opened_at=asked_at(headers),
    )
    return person_who_asks(rules, asking, now=datetime.now(UTC))


def is_signed_in() -> bool:
    """True when the provider's word is here, whether it still counts or not."""
    return bool(st.user.to_dict().get("is_logged_in"))
