"""Jobs of this window that are applied as soon as they are read, because they were confirmed."""

import streamlit as st

_WANTED = "apply_once_read.wanted"


def want_applied(key: str) -> None:
    """Have this job applied as soon as its preview is complete."""
    st.session_state[_WANTED] = key


def is_to_be_applied(key: str) -> bool:
    """True, once, for a job that is to be applied now that it is read."""
    if st.session_state.get(_WANTED) != key:
        return False
    del st.session_state[_WANTED]
    return True
