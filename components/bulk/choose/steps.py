"""The job that the bulk page shows, and its three steps. The preview takes the place of the form.

The job's key is in the address, so that a link opens it again.
"""

from contextlib import AbstractContextManager
from enum import Enum

import streamlit as st

from components.address import unread_visit
from components.notices import show_error
from components.verbatim import plain
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.job import NOT_BEGUN, Job
from item_visibility.use_cases.desk import Desk

FORM = "bulk_form"
_JOB = "job"
_OPENED = "steps.opened"
_LEFT = "steps.left"
_SEEN = "steps.seen"


class Step(Enum):
    """The step that a person is at; the value is its name on the screen."""

    CHOOSE = "1 Choose"
    REVIEW = "2 Review"
    APPLY = "3 Apply"


_FORM_LABELS = {
    Step.CHOOSE: "Choose a list",
    Step.REVIEW: "Back to the list",
    Step.APPLY: "Choose another list",
}


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
        st.button("Leave it", key="leave_job", on_click=open_job, args=("",))
    return job


def show_steps(job: Job | None) -> Step:
    """Draw the three steps in one line, and return the one that is open."""
    if job is None or job.is_given_up or has_left(job.key):
        step = Step.CHOOSE
    else:
        step = Step.REVIEW if job.state in NOT_BEGUN else Step.APPLY
    st.markdown(" · ".join(f"**{plain(one.value)}**" if one is step else plain(one.value) for one in Step))
    return step


def open_form(step: Step) -> AbstractContextManager[object]:
    """Draw the place of the form. It is folded once a list was previewed; opening it leads back to it."""
    st.session_state[FORM] = step is Step.CHOOSE
    icons = {Step.CHOOSE: ":material/upload_file:", Step.REVIEW: ":material/arrow_back:"}
    return st.expander(
        _FORM_LABELS[step], key=FORM, icon=icons.get(step, ":material/add:"), on_change=_toggle
    )


def is_form_open() -> bool:
    """True while the form is unfolded, as the browser says."""
    return bool(st.session_state[FORM])


def leave_job() -> None:
    """Show the form in place of the job, until another job is opened or the form is folded."""
    st.session_state[_LEFT] = opened_job()


def has_left(key: str) -> bool:
    """True when the form is shown in place of this job."""
    return bool(st.session_state.get(_LEFT) == key)


def return_to_job() -> None:
    """Show the opened job again."""
    st.session_state.pop(_LEFT, None)


def leave_job_for_new_list(stamp: str) -> None:
    """Show the form when the window has another list than in the run before."""
    if stamp and st.session_state.get(_SEEN) != stamp:
        st.session_state[_SEEN] = stamp
        if opened_job():
            leave_job()
            st.rerun()


def _toggle() -> None:
    if st.session_state[FORM]:
        leave_job()
    else:
        return_to_job()
