"""The browser's identity: where nobody signs in, drafts belong to a browser, not to a machine's user.

It is a random id in a cookie that no script can read and no other site can have sent
(`components/sign_in/cookies.py`). Records hold only its digest.
"""

import hashlib
import re

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.wiring import person_here, sign_in_rules

COOKIE = "item_visibility_browser"
NO_BROWSER = "no browser"
"""The owner where there is no browser: the command line, and screens run without one."""

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")


def this_browser() -> str:
    """Return the owner of what is staged in this window: the person who signed in, else the browser.

    For a browser without cookies, the owner lasts as long as its window.
    """
    if sign_in_rules() is not None:
        return person_here().owner
    if not st.context.headers:
        return NO_BROWSER
    sent = st.context.cookies.get(COOKIE, "")
    context = get_script_run_ctx()
    window = context.session_id if context is not None else ""
    return _digest(f"browser {sent}" if is_an_id(sent) else f"window {window}")


def is_an_id(value: str) -> bool:
    """True when the value has the form of our ids. Any other value was never set here."""
    return _FORM.fullmatch(value) is not None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
