"""The job that is opened on the bulk page. Its key is in the address, so that a link opens it again."""

import streamlit as st

from components.address import unread_visit, write_address
from components.notices import error_shown
from item_visibility.saving.job import Job
from item_visibility.use_cases.desk import Desk

_JOB = "job"
_OPENED = "bulk_state.opened"


def find_opened_job(desk: Desk) -> Job | None:
    """Return the opened job, if any. Show a message if it is not known or cannot be read."""
    visit = unread_visit(_JOB)
    if visit is not None:
        st.session_state[_OPENED] = visit.first(_JOB)
    key: str = st.session_state.get(_OPENED, "")
    write_address({_JOB: key})
    if not key:
        return None
    job = None
    headline = "The job could not be read. Nothing was changed by looking at it."
    with error_shown(headline, key="bulk_job_error"):
        job = desk.bulk.store.job(key)
        if job is None:
            words = "The job in this link does not exist here. Nothing was changed."
            st.warning(words, icon=":material/link_off:")
            st.button("Show all jobs", key="leave_job", on_click=close_job)
    return job


def open_job(key: str) -> None:
    """Open this job, and put it into the address."""
    st.session_state[_OPENED] = key
    write_address({_JOB: key})


def close_job() -> None:
    """Show the form and the list of jobs instead of a job."""
    open_job("")
