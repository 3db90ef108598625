"""The list of jobs, and the opened job: its progress, results, retry and undo."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from components import draw
from components.address import example
from components.bulk.list_form import PASTE
from components.bulk.list_review import (
    SKIPPED_SHOWN,
    show_how_it_was_read,
    show_skipped_rows,
)
from components.bulk.opened_job import JOB_NOT_READ, open_job
from components.bulk.preview import apply_once_read, show_preview
from components.clock import time_alone, time_column, time_of_day, to_the_second
from components.downloads import File, offer_downloads
from components.markdown_escape import escaped, phrase, showable
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
_ROWS = 500
_JOBS = 20
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
    "Row",
    "Item",
    "Recipient",
    "Change",
    "Outcome",
    "Why",
    "Recipient number",
    "Item number",
    "Supplier",
)


def show_steps(job: Job | None) -> bool:
    """Draw the steps Choose, Review and Apply in one line.

    Return True if the current step is Choose.
    """
    if job is None or job.is_given_up:
        current = 0
    elif job.state in NOT_BEGUN:
        current = 1
    else:
        current = 2

    steps = list(_STEPS)
    steps[current] = phrase("**{}**", steps[current])
    draw.markdown("{} · {} · {}", *steps)
    return current == 0


def list_jobs(desk: Desk) -> None:
    """Draw the table of jobs. Choosing a row opens its job."""
    jobs = [job for job in desk.bulk.store.jobs(limit=_JOBS) if not job.is_given_up]
    draw.header("Jobs")
    if not jobs:
        _show_no_jobs(desk)
        return

    picked = show_table(
        [
            (
                job.created_at,
                _job_title(job),
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
    if picked:
        open_job(jobs[picked[0]].key)
        st.rerun()


def _job_title(job: Job) -> str:
    if job.undo_of:
        return f"Undo: {job.title}"
    if job.retry_of:
        return f"Retry: {job.title}"
    return job.title


def _show_no_jobs(desk: Desk) -> None:
    if not desk.access.allows(Role.EDITOR):
        draw.caption("No jobs yet.")
        return

    draw.caption(
        "No jobs yet. Upload a list or paste rows. Nothing is sent before you press "
        "Apply."
    )
    shown = example(desk)
    if shown is None:
        return
    item, recipient = shown
    row = f"{item.supplier}\t{item.supplier_item_id}\t{recipient.id}"
    step_button(
        "Paste an example",
        st.session_state.update,
        {PASTE: f"Supplier\tItem\tRecipient\n{row}"},
        key="bulk_example",
        icon="content_paste",
    )


def show_job(desk: Desk, job: Job | None) -> None:
    """Draw the job, if any, and a message if this process cannot apply jobs."""
    with error_shown(
        "Lists cannot be applied here now. You can still preview them.",
        key="bulk_queue_error",
    ):
        desk.bulk.dispatcher.check()

    if job is None:
        return
    with (
        error_shown(JOB_NOT_READ, key="bulk_job_error"),
        st.container(border=True, key="bulk_job"),
    ):
        _show_heading(desk, job)
        if job.is_given_up:
            _show_given_up(desk, job)
        else:
            _show_state(desk, job)


def _show_heading(desk: Desk, job: Job) -> None:
    if job.undo_of:
        kind = "Undo of a job"
    elif job.retry_of:
        kind = "Retry of a job"
    else:
        kind = "Job"

    draw.markdown(
        "**{kind}** {title} · {person}, {time} · {state}",
        kind=kind,
        title=job.title,
        person=job.person,
        time=time_of_day(job.created_at),
        state=_state_words(desk, job),
    )
    if job.reason:
        st.text(f"Why: {showable(job.reason)}")


def _show_given_up(desk: Desk, job: Job) -> None:
    draw.info(
        "The preview was cancelled. Nothing was changed.", icon=":material/cancel:"
    )
    if _is_of_page(job) and _is_owner(desk, job):
        _offer_resume(desk, job)


def _show_state(desk: Desk, job: Job) -> None:
    is_locked = desk.is_locked
    if job.state in NOT_BEGUN:
        show_how_it_was_read(job.key)

    # Draw what the job does now.
    if job.state is JobState.READING or job.state in UNDER_WAY:
        _follow_job(desk, job.key, job.state)
    elif job.state is JobState.PREVIEWED and _is_of_page(job):
        show_preview(desk, job, is_locked=is_locked)
    elif job.state is JobState.PREVIEWED:
        draw.info(
            "A command made this preview. It was not applied.",
            icon=":material/terminal:",
        )
        _offer_cancel(desk, job)
    elif job.state in STOPPED:
        _show_stopped(desk, job, is_locked=is_locked)

    if job.state in STOPPED or job.state is JobState.ENDED:
        if job.message:
            st.text(showable(job.message))
        _show_results(desk, job, is_locked=is_locked)

    # Say why buttons are missing or disabled.
    if is_locked:
        draw.caption("Read only: nothing can be applied here.")
    elif _is_of_page(job) and not _is_owner(desk, job):
        draw.caption(
            "Only an admin, or the person who started this job, can continue it."
        )


def _is_of_page(job: Job) -> bool:
    return job.origin is JobOrigin.BULK_PAGE


def _is_owner(desk: Desk, job: Job) -> bool:
    return desk.access.allows_owner(job.person_key)


def _show_stopped(desk: Desk, job: Job, *, is_locked: bool) -> None:
    if job.origin is JobOrigin.COMMAND and job.state is JobState.PAUSED:
        _show_interrupted(desk, job)
        return
    _show_progress_at_stop(_STATES[job.state], job)
    if _is_of_page(job) and _is_owner(desk, job):
        _offer_resume(desk, job, is_off=is_locked)


def _show_interrupted(desk: Desk, job: Job) -> None:
    """Draw a job that only a command can continue, because a command started it."""
    _show_progress_at_stop(_state_words(desk, job), job)
    draw.caption(_OF_COMMAND)
    _offer_cancel(desk, job)


def _show_progress_at_stop(state: str, job: Job) -> None:
    draw.info(
        "{state}: {done:,} of {items} done.",
        state=state,
        done=job.ended_items,
        items=many(job.item_count, "item"),
        icon=":material/pause_circle:",
    )


def _state_words(desk: Desk, job: Job) -> str:
    return "Interrupted" if desk.bulk.is_interrupted(job) else _STATES[job.state]


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_job(desk: Desk, key: str, state: JobState) -> None:
    with error_shown(
        "The progress could not be read. The job continues by itself.",
        key="bulk_progress_error",
    ):
        job = desk.bulk.store.job(key)
        if job is None or job.state is not state:
            st.rerun()
        if desk.bulk.is_interrupted(job):
            _show_interrupted(desk, job)
            return
        _show_progress(desk, job)
        if _is_owner(desk, job):
            _offer_to_stop(desk, job)


def _show_progress(desk: Desk, job: Job) -> None:
    done = job.read_items if job.state is JobState.READING else job.ended_items
    share = done / job.item_count if job.item_count else 0.0
    with st.container(key="bulk_progress"):
        st.progress(min(share, 1.0), text=escaped(_progress_words(job, done)))
        if job.outcomes:
            draw.markdown("{}", job.rows_in_words)
        if job.message:
            st.text(showable(job.message))
        if job.state is JobState.QUEUED and desk.bulk.dispatcher.trouble:
            st.text(showable(desk.bulk.dispatcher.trouble))


def _offer_to_stop(desk: Desk, job: Job) -> None:
    with st.container(horizontal=True, key="bulk_stops"):
        # The process that read this preview may have ended.
        if (
            job.state is JobState.READING
            and _is_of_page(job)
            and not desk.bulk.engine.is_at_work(job.key)
        ):
            _offer_resume(desk, job)
        if job.state in UNDER_WAY:
            step_button("Pause", desk.bulk.pause, job.key, key="pause", icon="pause")
        _offer_cancel(desk, job)

    if job.state not in UNDER_WAY:
        return
    if _is_of_page(job):
        draw.caption(
            "The job continues if you close this window. Its link opens the job again."
        )
    else:
        draw.caption(
            "A command works on this job. It stops if you pause or cancel it here."
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
    if _is_owner(desk, job):
        step_button("Cancel", desk.bulk.cancel, job.key, key="cancel", icon="cancel")


def _show_results(desk: Desk, job: Job, *, is_locked: bool) -> None:
    if not job.outcomes:
        draw.caption("No row is done yet.")
        return

    words = job.rows_in_words
    if job.failed or job.skipped:
        draw.warning("{}", words, icon=":material/rule:")
    elif job.is_verified:
        draw.success("{}", words, icon=":material/check_circle:")
    else:
        draw.info("{}", words, icon=":material/info:")

    with st.container(horizontal=True, key="bulk_next"):
        if job.state in FINISHED and _is_owner(desk, job):
            _offer_next(desk, job, is_locked=is_locked)
        _offer_files(desk, job)

    _show_rows(desk, job)
    skipped = desk.bulk.store.skipped_rows(job.key, limit=SKIPPED_SHOWN)
    show_skipped_rows(skipped, job.skipped)


def _show_rows(desk: Desk, job: Job) -> None:
    # Choose the rows that failed or the rows that are done, if there are both.
    groups = {}
    for label, outcomes in (("Failed", FAILED), ("Done", AS_ASKED)):
        count = sum(job.outcomes.get(outcome, 0) for outcome in outcomes)
        if count:
            groups[f"{label} ({count:,})"] = outcomes, count
    outcomes, count = choose_group("Rows to look at", groups, key=LOOK)

    rows = tuple(desk.bulk.results(job.key, outcomes=outcomes, limit=_ROWS))
    held = desk.names.held()
    names = held.recipient_names(row.recipient_id for row in rows if row.recipient_id)
    show_table(
        [
            (
                in_spans(row.rows),
                held.item_title(row.intent.item),
                _recipient_words(row.recipient_id, names),
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
        draw.caption(
            "The first {:,} of {:,} are shown. The download contains all rows.",
            len(rows),
            count,
        )


def _recipient_words(recipient_id: str | None, names: Mapping[str, str]) -> str:
    """Return the name of the recipient. A row about all recipients has no id."""
    return "everybody" if recipient_id is None else names.get(recipient_id, "")


def _offer_next(desk: Desk, job: Job, *, is_locked: bool) -> None:
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

    attempts = desk.bulk.store.attempts(job.key)
    is_undoable = any(attempt.is_undoable for attempt in attempts)
    hint = None
    if len(attempts) > 1:
        hint = phrase("Undoes the job and its retries: {} jobs", len(attempts))
    step_button(
        "Undo this job",
        _undo,
        desk,
        job,
        key="undo_job",
        icon="undo",
        is_off=is_locked or not is_undoable,
        help=hint,
    )


def _undo(desk: Desk, job: Job) -> None:
    open_job(desk.bulk.undo(job.key))


def _retry(desk: Desk, job: Job) -> None:
    new = desk.bulk.retry_failed(job.key)
    open_job(new)
    # Rows that somebody else changed were not sent. They need a person's look.
    if not job.outcomes.get(Outcome.NOT_SENT):
        apply_once_read(new)


def _offer_files(desk: Desk, job: Job) -> None:
    write = partial(desk.bulk.write_results, job.key)
    write_skipped = partial(desk.bulk.write_skipped, job.key)
    files = _files(
        desk, "results", "All rows", partial(write, outcomes=frozenset(Outcome))
    )
    hint = ""
    if job.failed:
        failed = f"{job.failed:,} failed"
        files = _files(desk, "failed", failed, partial(write, outcomes=FAILED)) + files
        hint = "You can upload the file of failed rows again without changes."
    if job.skipped:
        skipped = f"{job.skipped:,} skipped, with reasons"
        files += _files(desk, "skipped", skipped, write_skipped)
    offer_downloads(files, key="bulk", caption=hint)


def _files(
    desk: Desk, stem: str, words: str, make: Callable[[FileKind], bytes]
) -> list[File]:
    return [
        (
            f"{words} ({kind.words})",
            kind.file_name(stem),
            partial(export_file, desk, partial(make, kind)),
        )
        for kind in FileKind
    ]
