"""The list of jobs, and the opened job: its progress, the outcome of each row, retry and undo."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components.address import example, unread_visit, write_address
from components.bulk.list_form import OPENED_JOB, PASTE, close_job, open_job
from components.bulk.list_review import (
    SKIPPED_SHOWN,
    show_how_it_was_read,
    show_skipped_rows,
)
from components.bulk.preview import apply_once_read, show_preview
from components.clock import time_alone, time_column, time_of_day, to_the_second
from components.downloads import File, offer_downloads
from components.markdown_escape import plain, showable
from components.notices import error_shown, step_button
from components.table import choose_group, show_table
from item_visibility.access.people import Role
from item_visibility.lists.writer import FileKind
from item_visibility.model.job import (
    AS_ASKED,
    FAILED,
    FINISHED,
    NOT_BEGUN,
    ROW_WORDS,
    STOPPED,
    UNDER_WAY,
    Job,
    JobOrigin,
    JobState,
)
from item_visibility.model.outcome import Outcome
from item_visibility.model.words import many
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.bulk import in_spans
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import export_file

LOOK = "bulk_look"
_JOB = "job"
_ROWS, _JOBS = 500, 20
_NOT_READ = "The job could not be read. If it is running, it continues."
_Make = Callable[[FileKind], bytes]
_STEPS = ("1 Choose", "2 Review", "3 Apply")
_STATES = {
    JobState.READING: "Preview is being read",
    JobState.PREVIEWED: "Previewed, not applied",
    JobState.QUEUED: "Waiting its turn",
    JobState.RUNNING: "Running",
    JobState.WAITING: "Waiting for the service",
    JobState.PAUSED: "Paused",
    JobState.CANCELLED: "Cancelled",
    JobState.ENDED: "Ended",
}
_OF_COMMAND = (
    "It was started by a command, and only a command can continue it: run"
    ' "item-visibility apply" again. With --resume it finishes this job first, with '
    "--drop it cancels it."
)
_COLUMNS = (
    *("Row", "Item", "Recipient", "Change", "Outcome", "Why"),
    *("Recipient number", "Item number", "Supplier"),
)


def find_opened_job(desk: Desk) -> Job | None:
    """Return the job whose key is in the address, if any.

    Show a message if it cannot be read.
    """
    visit = unread_visit(_JOB)
    if visit is not None:
        open_job(visit.first(_JOB))
    key: str = st.session_state.get(OPENED_JOB, "")
    write_address({_JOB: key})
    if not key:
        return None
    job = None
    with error_shown(_NOT_READ, key="bulk_job_error"):
        job = desk.bulk.store.job(key)
        if job is None:
            words = "The job in this link does not exist here. Nothing was changed."
            st.warning(words, icon=":material/link_off:")
            st.button("Show all jobs", key="leave_job", on_click=close_job)
    return job


def show_steps(job: Job | None) -> bool:
    """Draw the steps Choose, Review and Apply in one line.

    Return True if the current step is Choose.
    """
    step = 0 if job is None or job.is_given_up else 1 if job.state in NOT_BEGUN else 2
    st.markdown(
        " · ".join(
            f"**{plain(one)}**" if at == step else plain(one)
            for at, one in enumerate(_STEPS)
        )
    )
    return step == 0


def list_jobs(desk: Desk) -> None:
    """Draw the table of jobs. Choosing a row opens its job."""
    jobs = [job for job in desk.bulk.store.jobs(limit=_JOBS) if not job.is_given_up]
    st.header("Jobs")
    if not jobs:
        is_editor = desk.access.allows(Role.EDITOR)
        hint = (
            " Upload a list or paste rows. Nothing is sent before you press Apply."
            if is_editor
            else ""
        )
        st.caption(f"No jobs yet.{plain(hint)}")
        if is_editor and (shown := example(desk)):
            item, recipient = shown
            rows = f"Supplier\tItem\tRecipient\n{item.supplier}\t{item.supplier_item_id}\t{recipient.id}"
            values, icon = {PASTE: rows}, "content_paste"
            step_button(
                "Paste an example",
                st.session_state.update,
                values,
                key="bulk_example",
                icon=icon,
            )
        return
    picked = show_table(
        [
            (
                job.created_at,
                ("Undo: " if job.undo_of else "Retry: " if job.retry_of else "")
                + job.title,
                _state_words(desk, job),
                job.rows_in_words if job.outcomes else "",
                job.person,
                job.item_count,
                job.reason,
            )
            for job in jobs
        ],
        ["When", "What", "State", "Outcome", "Who", "Items", "Why"],
        key="bulk_jobs",
        about=[job.key for job in jobs],
        alt="Bulk jobs, newest first",
        config={
            "When": time_column("When"),
            "State": st.column_config.TextColumn(width=150),
        },
        optional=("Why",),
        choose="single-row",
    )
    for at in picked:
        open_job(jobs[at].key)
        st.rerun()


def show_job(desk: Desk, job: Job | None) -> None:
    """Draw the job, if any, and a message if this process cannot apply jobs."""
    headline = "Lists cannot be applied here now. You can still preview them."
    with error_shown(headline, key="bulk_queue_error"):
        desk.bulk.dispatcher.check()
    if job is None:
        return
    with (
        error_shown(_NOT_READ, key="bulk_job_error"),
        st.container(border=True, key="bulk_job"),
    ):
        kind = (
            "Undo of a job"
            if job.undo_of
            else "Retry of a job"
            if job.retry_of
            else "Job"
        )
        who = plain(f"{job.person}, {time_of_day(job.created_at)}")
        st.markdown(
            f"**{kind}** {plain(job.title)} · {who} · {plain(_state_words(desk, job))}"
        )
        if job.reason:
            st.text(f"Why: {showable(job.reason)}")
        if job.is_given_up:
            st.info(
                "The preview was cancelled. Nothing was changed.",
                icon=":material/cancel:",
            )
            if (
                desk.access.allows_owner(job.person_key)
                and job.origin is JobOrigin.BULK_PAGE
            ):
                _offer_resume(desk, job)
        else:
            _show(desk, job)


def _show(desk: Desk, job: Job) -> None:
    is_locked = desk.is_locked
    is_of_page = job.origin is JobOrigin.BULK_PAGE
    if job.state in NOT_BEGUN:
        show_how_it_was_read(job.key)
    if job.state is JobState.READING or job.state in UNDER_WAY:
        _follow_job(desk, job.key, job.state)
    elif job.state is JobState.PREVIEWED and is_of_page:
        show_preview(desk, job, is_locked=is_locked)
    elif job.state is JobState.PREVIEWED:
        st.info(
            "A command made this preview. It was not applied.",
            icon=":material/terminal:",
        )
        _offer_cancel(desk, job)
    if job.state in STOPPED:
        _show_stopped(desk, job, is_locked=is_locked)
    if job.state in STOPPED or job.state is JobState.ENDED:
        if job.message:
            st.text(showable(job.message))
        _show_results(desk, job, is_locked=is_locked)
    if is_locked:
        st.caption("Read only: nothing can be applied here.")
    elif is_of_page and not desk.access.allows_owner(job.person_key):
        st.caption(
            "Only an admin, or the person who started this job, can continue it."
        )


def _show_stopped(desk: Desk, job: Job, *, is_locked: bool) -> None:
    if job.origin is JobOrigin.COMMAND and job.state is JobState.PAUSED:
        _show_interrupted(desk, job)
        return
    ended = f"{job.ended_items:,} of {many(job.item_count, 'item')} done"
    st.info(plain(f"{_STATES[job.state]}: {ended}."), icon=":material/pause_circle:")
    if job.origin is JobOrigin.BULK_PAGE and desk.access.allows_owner(job.person_key):
        _offer_resume(desk, job, is_off=is_locked)


def _show_interrupted(desk: Desk, job: Job) -> None:
    """Draw a job that only a command can continue, because a command started it."""
    ended = f"{job.ended_items:,} of {many(job.item_count, 'item')} done"
    st.info(
        plain(f"{_state_words(desk, job)}: {ended}."), icon=":material/pause_circle:"
    )
    st.caption(plain(_OF_COMMAND))
    _offer_cancel(desk, job)


def _state_words(desk: Desk, job: Job) -> str:
    return "Interrupted" if desk.bulk.is_interrupted(job) else _STATES[job.state]


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_job(desk: Desk, key: str, state: JobState) -> None:
    headline = "The progress could not be read. The job continues by itself."
    with error_shown(headline, key="bulk_progress_error"):
        job = desk.bulk.store.job(key)
        if job is None or job.state is not state:
            st.rerun()
        if desk.bulk.is_interrupted(job):
            _show_interrupted(desk, job)
            return
        with st.container(key="bulk_progress"):
            done = job.read_items if state is JobState.READING else job.ended_items
            share = done / job.item_count if job.item_count else 0.0
            st.progress(min(share, 1.0), text=plain(_progress_words(job, done)))
            if job.outcomes:
                st.markdown(plain(job.rows_in_words))
            why = desk.bulk.dispatcher.trouble if job.state is JobState.QUEUED else ""
            for words in filter(None, (job.message, why)):
                st.text(showable(words))
        if not desk.access.allows_owner(job.person_key):
            return
        is_of_page = job.origin is JobOrigin.BULK_PAGE
        with st.container(horizontal=True, key="bulk_stops"):
            if (
                state is JobState.READING
                and is_of_page
                and not desk.bulk.engine.is_at_work(job.key)
            ):
                _offer_resume(desk, job)
            if state in UNDER_WAY:
                step_button(
                    "Pause", desk.bulk.pause, job.key, key="pause", icon="pause"
                )
            _offer_cancel(desk, job)
        if state in UNDER_WAY:
            st.caption(
                "The job continues if you close this window. Its link opens the job "
                "again."
                if is_of_page
                else "A command works on this job. It stops if you pause or cancel "
                "it here."
            )


def _progress_words(job: Job, done: int) -> str:
    items = f"{done:,} of {many(job.item_count, 'item')}"
    if job.waiting_since and job.next_try_at:
        since = f"Waiting for the service since {time_alone(job.waiting_since)}"
        return f"{since} · {items} · next try at {to_the_second(job.next_try_at)}"
    return f"{_STATES[job.state]} · {items}"


def _offer_resume(desk: Desk, job: Job, *, is_off: bool = False) -> None:
    step_button(
        "Resume",
        desk.bulk.resume,
        job.key,
        key="resume",
        icon="play_arrow",
        is_primary=True,
        is_off=is_off,
    )


def _offer_cancel(desk: Desk, job: Job) -> None:
    if desk.access.allows_owner(job.person_key):
        step_button("Cancel", desk.bulk.cancel, job.key, key="cancel", icon="cancel")


def _show_results(desk: Desk, job: Job, *, is_locked: bool) -> None:
    if not job.outcomes:
        st.caption("No row is done yet.")
        return
    words = plain(job.rows_in_words)
    if job.failed or job.skipped:
        st.warning(words, icon=":material/rule:")
    elif job.is_verified:
        st.success(words, icon=":material/check_circle:")
    else:
        st.info(words, icon=":material/info:")
    with st.container(horizontal=True, key="bulk_next"):
        if job.state in FINISHED and desk.access.allows_owner(job.person_key):
            _offer_next(desk, job, is_locked=is_locked)
        _offer_files(desk, job)
    _show_rows(desk, job)
    show_skipped_rows(
        desk.bulk.store.skipped_rows(job.key, limit=SKIPPED_SHOWN), job.skipped
    )


def _show_rows(desk: Desk, job: Job) -> None:
    groups = {}
    for words, outcomes in (("Failed", FAILED), ("Done", AS_ASKED)):
        count = sum(job.outcomes.get(one, 0) for one in outcomes)
        if count:
            groups[f"{words} ({count:,})"] = outcomes, count
    outcomes, count = choose_group("Rows to look at", groups, key=LOOK)
    rows = tuple(desk.bulk.results(job.key, outcomes=outcomes, limit=_ROWS))
    held = desk.names.held()
    names = held.recipient_names(
        {row.recipient_id for row in rows if row.recipient_id is not None}
    )
    show_table(
        [
            (
                in_spans(row.rows),
                held.item_title(row.intent.item),
                "everybody"
                if row.recipient_id is None
                else names.get(row.recipient_id, ""),
                row.action.capitalize(),
                ROW_WORDS[row.outcome].capitalize(),
                row.message,
                row.recipient_id or "",
                row.intent.item.supplier_item_id,
                row.intent.item.supplier,
            )
            for row in rows
        ],
        _COLUMNS,
        key="bulk_rows",
        alt="Rows of the job, each with its outcome",
        optional=("Row", "Recipient", "Why"),
    )
    if count > len(rows):
        st.caption(
            plain(
                f"The first {len(rows):,} of {count:,} are shown. The download "
                "contains all rows."
            )
        )


def _offer_next(desk: Desk, job: Job, *, is_locked: bool) -> None:
    attempts = desk.bulk.store.attempts(job.key)
    if job.failed:
        step_button(
            "Retry failed",
            _retry,
            desk,
            job,
            key="retry_failed",
            icon="replay",
            is_primary=True,
            is_off=is_locked,
        )
    step_button(
        "Undo this job",
        lambda: open_job(desk.bulk.undo(job.key)),
        key="undo_job",
        icon="undo",
        is_off=is_locked or not any(one.is_undoable for one in attempts),
        help=plain(f"Undoes the job and its retries: {len(attempts)} jobs")
        if len(attempts) > 1
        else None,
    )


def _retry(desk: Desk, job: Job) -> None:
    new = desk.bulk.retry_failed(job.key)
    open_job(new)
    if not job.outcomes.get(
        Outcome.NOT_SENT
    ):  # rows that somebody else changed are not sent either
        apply_once_read(new)


def _offer_files(desk: Desk, job: Job) -> None:
    write, write_skipped = desk.bulk.write_results, desk.bulk.write_skipped
    choices: list[tuple[str, str, _Make]] = [
        (
            "results",
            "All rows",
            lambda kind: write(job.key, kind, outcomes=frozenset(Outcome)),
        )
    ]
    if job.failed:
        failed = f"{job.failed:,} failed"
        choices.insert(
            0, ("failed", failed, lambda kind: write(job.key, kind, outcomes=FAILED))
        )
    if job.skipped:
        skipped = f"{job.skipped:,} skipped, with reasons"
        choices.append(("skipped", skipped, partial(write_skipped, job.key)))
    files: list[File] = [
        (
            f"{words} ({kind.words})",
            kind.file_name(stem),
            partial(export_file, desk, partial(make, kind)),
        )
        for stem, words, make in choices
        for kind in FileKind
    ]
    hint = (
        "You can upload the file of failed rows again without changes."
        if job.failed
        else ""
    )
    offer_downloads(files, key="bulk", caption=hint)
