"""The job that the bulk page shows. Its key is in the address, so that a link opens it again."""

import time
from dataclasses import dataclass

import streamlit as st

from item_visibility.timeouts import ADDRESS_LATE_BY_S

_JOB = "job"
_OPENED = "job_address.opened"


@dataclass(slots=True)
class _Opened:
    """A job that was opened here; `is_told` once a run began with its address."""

    key: str
    before: str
    at_s: float
    is_told: bool = False


def opened_job() -> str:
    """Return the key of the job in the address, or an empty text if there is none.

    A browser that does not know of a newly opened job yet still sends the previous address. That is not the
    Back button.
    """
    named = st.query_params.get(_JOB, "")
    opened: _Opened | None = st.session_state.get(_OPENED)
    if opened is None or named == opened.key:
        if opened is not None:
            opened.is_told = True
        return named
    is_recent = time.monotonic() - opened.at_s < ADDRESS_LATE_BY_S
    if named != opened.before or (opened.is_told and not is_recent):
        return named
    _write(opened.key)
    return opened.key


def open_job(key: str) -> None:
    """Put this job into the address; an empty key removes it."""
    st.session_state[_OPENED] = _Opened(key, st.query_params.get(_JOB, ""), time.monotonic())
    _write(key)


def _write(key: str) -> None:
    address = st.query_params.to_dict() | {_JOB: key}
    st.query_params.from_dict({name: value for name, value in address.items() if value})
