"""Who asks in this window."""

from datetime import UTC, datetime

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from item_visibility.access.access import Person
from item_visibility.access.sign_in import SignInRules, person_who_asks


def person_of_window(rules: SignInRules | None) -> Person:
    """Return who asks, in the thread of a window's script. Raises SignInError when nobody is signed in."""
    is_asked = rules is not None and get_script_run_ctx(suppress_warning=True) is not None
    claims = st.user.to_dict() if is_asked else {}
    return person_who_asks(rules, claims, now=datetime.now(UTC))


def is_signed_in() -> bool:
    """True when the provider's word is here, whether it still counts or not."""
    return bool(st.user.to_dict().get("is_logged_in"))
