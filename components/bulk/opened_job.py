"""The job in the address, drawn for its state: reading, previewed, under way, ended."""

import streamlit as st

from components.bulk.choose.start import tell_how_it_was_read
from components.bulk.job_labels import STATES
from components.bulk.job_results import show_results
from components.bulk.preview_page import show_preview
from components.bulk.progress import follow_job, offer_resume
from components.bulk.steps import Step
from components.clock import time_of_day
from components.notices import show_error
from components.verbatim import plain, showable
from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.saving.in_words import many
from item_visibility.saving.job import NOT_BEGUN, STOPPED, UNDER_WAY, Job, JobState
from item_visibility.use_cases.desk import Desk


def show_job(desk: Desk, job: Job | None, step: Step) -> None:
    """Draw the job of this step, if any. Say so when no job can be applied here."""
    _tell_of_queue(desk)
    if job is None or (step is Step.CHOOSE and not job.is_given_up):
        return
    try:
        with st.container(border=True, key="bulk_job"):
            _show_head(job)
            if job.is_given_up:
                _show_given_up(desk, job)
            else:
                _show(desk, job)
    except ItemVisibilityError as error:
        show_error(
            "The job could not be read. Nothing was changed by looking at it.", error, key="bulk_job_error"
        )


def _tell_of_queue(desk: Desk) -> None:
    try:
        desk.bulk.dispatcher.check()
    except RecordsError as error:
        show_error(
            "No list can be applied here now. Looking at what one would do changes nothing.",
            error,
            key="bulk_queue_error",
        )


def _show_given_up(desk: Desk, job: Job) -> None:
    """Draw a preview that was cancelled: there is nothing to count, and it can be taken up again."""
    st.info("The preview was cancelled. Nothing was changed.", icon=":material/cancel:")
    if desk.bulk.may_work_with(job):
        offer_resume(desk, job, is_locked=False)


def _show(desk: Desk, job: Job) -> None:
    is_locked = desk.is_locked
    may_work = desk.bulk.may_work_with(job)
    if job.state in NOT_BEGUN:
        tell_how_it_was_read(job.key)
    if job.state is JobState.READING or job.state in UNDER_WAY:
        follow_job(desk, job.key, job.state)
    elif job.state is JobState.PREVIEWED:
        show_preview(desk, job, is_locked=is_locked)
    if job.state in STOPPED:
        ended = f"{job.ended_items:,} of {many(job.item_count, 'item')} done"
        st.info(plain(f"{STATES[job.state]}: {ended}."), icon=":material/pause_circle:")
        if may_work:
            offer_resume(desk, job, is_locked=is_locked)
    if job.state in STOPPED or job.state is JobState.ENDED:
        if job.message:
            st.text(showable(job.message))
        show_results(desk, job, is_locked=is_locked)
    if is_locked:
        st.caption("Read only: nothing can be applied here.")
    elif not may_work:
        st.caption("Only who began this job can go on with it, or somebody with the role admin.")


def _show_head(job: Job) -> None:
    kind = "Undo of a job" if job.undo_of else "Retry of a job" if job.retry_of else "Job"
    who = plain(f"{job.person}, {time_of_day(job.created_at)}")
    st.markdown(f"**{kind}** {plain(job.title)} · {who} · {plain(STATES[job.state])}")
    if job.reason:
        st.text(f"Why: {showable(job.reason)}")
