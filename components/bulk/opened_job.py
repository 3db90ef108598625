"""The job that the bulk page shows. Its key is in the address, so that a link opens it again."""

from enum import Enum

import streamlit as st

from components.address import unread_visit
from components.notices import show_error
from components.verbatim import plain
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.job import NOT_BEGUN, Job
from item_visibility.use_cases.desk import Desk

_JOB = "job"
_OPENED = "opened_job.key"


class Step(Enum):
    """The step that a person is at; the value is its name on the screen."""

    CHOOSE = "1 Choose"
    REVIEW = "2 Review"
    APPLY = "3 Apply"


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
    """Open this job, and put it into the address."""
    st.session_state[_OPENED] = key
    _write(key)


def close_job() -> None:
    """Show the form and the list of jobs instead of a job."""
    open_job("")


def find_opened_job(desk: Desk) -> Job | None:
    """Return the opened job. Say so when it is not known or cannot be read."""
    key = opened_job()
    if not key:
        return None
    try:
        job = desk.bulk.store.job(key)
    except ItemVisibilityError as error:
        show_error(
            "The job could not be read. Nothing was changed by looking at it.", error, key="bulk_job_error"
        )
        return None
    if job is None:
        st.warning(
            "The link names a job that is not known here. Nothing was changed.", icon=":material/link_off:"
        )
        st.button("Leave it", key="leave_job", on_click=close_job)
    return job


def show_steps(job: Job | None) -> Step:
    """Draw the three steps in one line, and return the one that is open."""
    if job is None or job.is_given_up:
        step = Step.CHOOSE
    else:
        step = Step.REVIEW if job.state in NOT_BEGUN else Step.APPLY
    st.markdown(" · ".join(f"**{plain(one.value)}**" if one is step else plain(one.value) for one in Step))
    return step


def _write(key: str) -> None:
    address = st.query_params.to_dict() | {_JOB: key}
    st.query_params.from_dict({name: value for name, value in address.items() if value})
