"""Tells if an address came from the person: an opened link, Back or Forward.

A browser that does not know the last address that was written yet sends an older one. That is not the Back
button, and must not undo the newest choice.
"""

import time
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from item_visibility.timeouts import LATE_ADDRESS_WITHIN_S

_FOLLOWED = "followed_address.followed"


@dataclass(frozen=True, slots=True)
class _Followed:
    """The last address, and those before it that may still come, until this time of the monotonic clock.

    A run that began before the browser knew the last address can end after it: Streamlit 1.67 lets two runs
    of a window overlap for a moment.
    """

    last: object = None
    late: frozenset[Any] = frozenset()
    forget_at: float = 0.0


def is_from_person(who: str, address: object) -> bool:
    """True when the address is not the last one of this screen, nor an older one that comes late."""
    followed = _followed(who)
    if address == followed.last:
        if time.monotonic() >= followed.forget_at:
            _keep(who, replace(followed, late=frozenset()))  # the browser knows it
        return False
    run = get_script_run_ctx()
    is_back_or_forward = run is not None and run.is_history_navigation
    return is_back_or_forward or address not in followed.late


def note_address(who: str, address: object, *, before: object) -> None:
    """Note the address that this screen has now. Before this run wrote it, it was another, or the same."""
    followed = _followed(who)
    late, forget_at = followed.late, followed.forget_at
    if before != address:
        late, forget_at = late | {before}, time.monotonic() + LATE_ADDRESS_WITHIN_S
    _keep(who, _Followed(address, late - {address}, forget_at))


def _followed(who: str) -> _Followed:
    followed: dict[str, _Followed] = st.session_state.get(_FOLLOWED, {})
    return followed.get(who, _Followed())


def _keep(who: str, followed: _Followed) -> None:
    st.session_state[_FOLLOWED] = st.session_state.get(_FOLLOWED, {}) | {who: followed}
