"""Which job the bulk page shows: it stands in the address, so that a link comes back to it."""

import time

import streamlit as st

_JOB = "job"
_OPENED = "bulk_address.opened"
_ADDRESS_LATE_BY_S = 2.0


def opened_job() -> str:
    """The key of the job that the address names; empty when it names none.

    A browser that has not yet been told of a job that was just opened still sends the address from
    before: that is not the Back button.
    """
    named = st.query_params.get(_JOB, "")
    key, before, opened_at = st.session_state.get(_OPENED, ("", "", 0.0))
    is_late = named != key and named == before and time.monotonic() - opened_at < _ADDRESS_LATE_BY_S
    if not is_late:
        return named
    _write(key)
    return str(key)


def open_job(key: str) -> None:
    """Let the address name this job; none when it is empty."""
    st.session_state[_OPENED] = (key, st.query_params.get(_JOB, ""), time.monotonic())
    _write(key)


def _write(key: str) -> None:
    address = st.query_params.to_dict() | {_JOB: key}
    st.query_params.from_dict({name: value for name, value in address.items() if value})
