"""Which job the bulk page shows: it stands in the address, so that a link comes back to it."""

import time
from dataclasses import dataclass

import streamlit as st

_JOB = "job"
_OPENED = "bulk_address.opened"
_ADDRESS_LATE_BY_S = 2.0


@dataclass(slots=True)
class _Opened:
    """A job that was opened here; `is_told` once a run began with its address."""

    key: str
    before: str
    at_s: float
    is_told: bool = False


def opened_job() -> str:
    """The key of the job that the address names; empty when it names none.

    A browser that has not yet been told of a job that was just opened still sends the address from
    before: that is not the Back button.
    """
    named = st.query_params.get(_JOB, "")
    opened: _Opened | None = st.session_state.get(_OPENED)
    if opened is None or named == opened.key:
        if opened is not None:
            opened.is_told = True
        return named
    is_recent = time.monotonic() - opened.at_s < _ADDRESS_LATE_BY_S
    if named != opened.before or (opened.is_told and not is_recent):
        return named
    _write(opened.key)
    return opened.key


def open_job(key: str) -> None:
    """Let the address name this job; none when it is empty."""
    st.session_state[_OPENED] = _Opened(key, st.query_params.get(_JOB, ""), time.monotonic())
    _write(key)


def _write(key: str) -> None:
    address = st.query_params.to_dict() | {_JOB: key}
    st.query_params.from_dict({name: value for name, value in address.items() if value})
