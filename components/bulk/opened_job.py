"""The job that is opened on the bulk page. Its key is in the address."""

import streamlit as st

from components import draw
from components.address import unread_visit, write_address
from components.notices import error_shown
from item_visibility.model.job import Job
from item_visibility.use_cases.desk import Desk

JOB_NOT_READ = "The job could not be read. If it is running, it continues."
_KEY = "opened_job.key"
_JOB = "job"
"""The parameter in the address."""


def open_job(key: str) -> None:
    """Open this job on the bulk page."""
    st.session_state[_KEY] = key


def close_job() -> None:
    """Show the form and the list of jobs instead of a job."""
    open_job("")


def find_opened_job(desk: Desk) -> Job | None:
    """Return the job whose key is in the address, if any.

    Show a message if it cannot be read.
    """
    visit = unread_visit(_JOB)
    if visit is not None:
        open_job(visit.first(_JOB))

    key = st.session_state.get(_KEY, "")
    write_address({_JOB: key})
    if not key:
        return None

    job = None
    with error_shown(JOB_NOT_READ, key="bulk_job_error"):
        job = desk.bulk.store.job(key)
        if job is None:
            draw.warning(
                "The job in this link does not exist here. Nothing was changed.",
                icon=":material/link_off:",
            )
            st.button("Show all jobs", key="leave_job", on_click=close_job)
    return job
