"""A job under way: its progress, its speed, its outcomes so far, and the buttons for it."""

import time
from collections.abc import Callable

import streamlit as st

from components.bulk.job_labels import STATES, results, time_left
from components.clock import to_the_second
from components.notices import kept_error, show_error
from components.verbatim import plain, showable
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.in_words import many
from item_visibility.saving.job import UNDER_WAY, Job, JobState
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.desk import Desk

_SAMPLES = "progress.samples"
_SAMPLES_WITHIN_S = 30.0
"""The speed is that of this span: it follows the service, and does not jump."""


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def follow_job(desk: Desk, key: str, state: JobState) -> None:
    """Show the progress of a job in this state. Redraw the whole screen when the state changes."""
    try:
        job = desk.bulk.store.job(key)
    except ItemVisibilityError as error:
        show_error(
            "The progress could not be read. The job goes on by itself.", error, key="bulk_progress_error"
        )
        return
    if job is None or job.state is not state:
        st.rerun()
    with st.container(key="bulk_progress"):
        done = job.read_items if state is JobState.READING else job.ended_items
        share = done / job.item_count if job.item_count else 0.0
        st.progress(min(share, 1.0), text=plain(_words(job, done)))
        if job.outcomes:
            st.markdown(plain(results(job)))
        why = desk.bulk.dispatcher.trouble if job.state is JobState.QUEUED else ""
        for words in filter(None, (job.message, why)):
            st.text(showable(words))
    _offer_stops(desk, job)


def offer_resume(desk: Desk, job: Job, *, is_locked: bool) -> None:
    """Draw the button that resumes a job that was stopped before its end."""
    st.button(
        "Resume",
        key="resume",
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_locked,
        on_click=_do,
        args=(desk.bulk.resume, job.key),
    )


def _words(job: Job, done: int) -> str:
    words = f"{STATES[job.state]} · {done:,} of {many(job.item_count, 'item')}"
    if job.state is JobState.WAITING and job.next_try_at:
        return f"{words} · next try at {to_the_second(job.next_try_at)}"
    if job.state in {JobState.QUEUED, JobState.WAITING}:
        return words
    return " · ".join(filter(None, (words, _time_left(job, done))))


def _time_left(job: Job, done: int) -> str:
    """Return the speed over the last seconds, as this window saw it."""
    key, samples = st.session_state.get(_SAMPLES, ("", ()))
    now = time.monotonic()
    name = f"{job.key} {job.state}"
    recent = [one for one in samples if key == name and now - one[0] < _SAMPLES_WITHIN_S]
    recent.append((now, done))
    st.session_state[_SAMPLES] = (name, tuple(recent))
    return time_left(recent, total=job.item_count)


def _offer_stops(desk: Desk, job: Job) -> None:
    if not desk.bulk.may_work_with(job):
        return
    with st.container(horizontal=True, key="bulk_stops"):
        if job.state is JobState.READING and not desk.bulk.previews.is_running(job.key):
            offer_resume(desk, job, is_locked=False)
        if job.state in UNDER_WAY:
            st.button(
                "Pause", key="pause", icon=":material/pause:", on_click=_do, args=(desk.bulk.pause, job.key)
            )
        st.button(
            "Cancel", key="cancel", icon=":material/cancel:", on_click=_do, args=(desk.bulk.cancel, job.key)
        )
    if job.state in UNDER_WAY:
        st.caption("The job goes on when you close this window. Its link brings you back to it.")


def _do(step: Callable[[str], None], key: str) -> None:
    with kept_error("The job is as it was."):
        step(key)
