"""The job that the bulk page shows. Its key is in the address, so that a link opens it again."""

import streamlit as st

from components.address import unread_visit

_JOB = "job"
_OPENED = "job_address.opened"


def opened_job() -> str:
    """Return the key of the opened job; empty if there is none."""
    visit = unread_visit(_JOB)
    if visit is not None:
        st.session_state[_OPENED] = visit.first(_JOB)
    key: str = st.session_state.get(_OPENED, "")
    if st.query_params.get(_JOB, "") != key:
        _write(key)
    return key


def open_job(key: str) -> None:
    """Put this job into the address; an empty key removes it."""
    st.session_state[_OPENED] = key
    _write(key)


def _write(key: str) -> None:
    address = st.query_params.to_dict() | {_JOB: key}
    st.query_params.from_dict({name: value for name, value in address.items() if value})
