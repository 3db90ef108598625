"""Tells if an address came from the person: an opened link, Back or Forward.

A browser that does not know the last address that was written yet sends an older one. That is not the Back
button, and must not undo the newest choice.
"""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_FOLLOWED = "followed_address.followed"


@dataclass(frozen=True, slots=True)
class _Followed:
    """The last address, and those before it that the browser may still send."""

    last: object = None
    late: frozenset[Any] = frozenset()


def is_from_person(who: str, address: object) -> bool:
    """True when the address is not the last one of this screen, nor an older one that comes late."""
    followed = _followed(who)
    if address == followed.last:
        _keep(who, _Followed(address))  # the browser knows it
        return False
    run = get_script_run_ctx()
    is_back_or_forward = run is not None and run.is_history_navigation
    return is_back_or_forward or address not in followed.late


def note_address(who: str, address: object, *, before: object) -> None:
    """Note the address that this screen has now. Before this run wrote it, it was another, or the same."""
    followed = _followed(who)
    late = followed.late if before == address else followed.late | {before}
    _keep(who, _Followed(address, late - {address}))


def _followed(who: str) -> _Followed:
    followed: dict[str, _Followed] = st.session_state.get(_FOLLOWED, {})
    return followed.get(who, _Followed())


def _keep(who: str, followed: _Followed) -> None:
    st.session_state[_FOLLOWED] = st.session_state.get(_FOLLOWED, {}) | {who: followed}
