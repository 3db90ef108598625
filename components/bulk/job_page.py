"""The opened job: its progress while it is under way, then the outcome of each row, with retry and undo."""

from collections.abc import Callable, Collection

import streamlit as st

from components.bulk.job_list import STATES
from components.bulk.list_review import show_how_it_was_read
from components.bulk.opened_job import open_job
from components.bulk.preview_page import apply_once_read, show_preview, show_skipped_rows
from components.clock import time_alone, time_of_day, to_the_second
from components.downloads import File, offer_downloads
from components.notices import error_as_notice, show_error
from components.table import show_table
from components.verbatim import plain, showable
from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.lists.writer import LIST_KINDS, FileKind
from item_visibility.saving.in_words import ACTIONS, many
from item_visibility.saving.job import (
    AS_ASKED,
    FAILED,
    FINISHED,
    NOT_BEGUN,
    ROW_WORDS,
    STOPPED,
    UNDER_WAY,
    Job,
    JobState,
)
from item_visibility.saving.outcome import Outcome
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.bulk import in_spans
from item_visibility.use_cases.desk import Desk

LOOK = "bulk_look"
_ROWS = 500
_COLUMNS = (
    *("Row", "Item", "Recipient", "Change", "Outcome", "Why"),
    *("Recipient number", "Item number", "Supplier"),
)


def show_job(desk: Desk, job: Job | None) -> None:
    """Draw the job, if any. Say so when no job can be applied here."""
    try:
        desk.bulk.dispatcher.check()
    except RecordsError as error:
        show_error(
            "No list can be applied here now. Looking at what one would do changes nothing.",
            error,
            key="bulk_queue_error",
        )
    if job is None:
        return
    try:
        with st.container(border=True, key="bulk_job"):
            _show_head(job)
            if job.is_given_up:
                st.info("The preview was cancelled. Nothing was changed.", icon=":material/cancel:")
                if desk.bulk.may_work_with(job):
                    _offer_resume(desk, job, is_locked=False)
            else:
                _show(desk, job)
    except ItemVisibilityError as error:
        show_error(
            "The job could not be read. Nothing was changed by looking at it.", error, key="bulk_job_error"
        )


def _show_head(job: Job) -> None:
    kind = "Undo of a job" if job.undo_of else "Retry of a job" if job.retry_of else "Job"
    who = plain(f"{job.person}, {time_of_day(job.created_at)}")
    st.markdown(f"**{kind}** {plain(job.title)} · {who} · {plain(STATES[job.state])}")
    if job.reason:
        st.text(f"Why: {showable(job.reason)}")


def _show(desk: Desk, job: Job) -> None:
    is_locked, may_work = desk.is_locked, desk.bulk.may_work_with(job)
    if job.state in NOT_BEGUN:
        show_how_it_was_read(job.key)
    if job.state is JobState.READING or job.state in UNDER_WAY:
        _follow_job(desk, job.key, job.state)
    elif job.state is JobState.PREVIEWED:
        show_preview(desk, job, is_locked=is_locked)
    if job.state in STOPPED:
        ended = f"{job.ended_items:,} of {many(job.item_count, 'item')} done"
        st.info(plain(f"{STATES[job.state]}: {ended}."), icon=":material/pause_circle:")
        if may_work:
            _offer_resume(desk, job, is_locked=is_locked)
    if job.state in STOPPED or job.state is JobState.ENDED:
        if job.message:
            st.text(showable(job.message))
        _show_results(desk, job, is_locked=is_locked)
    if is_locked:
        st.caption("Read only: nothing can be applied here.")
    elif not may_work:
        st.caption("Only who began this job, or somebody with the role admin, can continue it.")


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_job(desk: Desk, key: str, state: JobState) -> None:
    """Show the progress of a job in this state. Redraw the whole screen when the state changes."""
    try:
        job = desk.bulk.store.job(key)
    except ItemVisibilityError as error:
        show_error(
            "The progress could not be read. The job continues by itself.", error, key="bulk_progress_error"
        )
        return
    if job is None or job.state is not state:
        st.rerun()
    with st.container(key="bulk_progress"):
        done = job.read_items if state is JobState.READING else job.ended_items
        share = done / job.item_count if job.item_count else 0.0
        st.progress(min(share, 1.0), text=plain(_progress_words(job, done)))
        if job.outcomes:
            st.markdown(plain(job.rows_in_words))
        why = desk.bulk.dispatcher.trouble if job.state is JobState.QUEUED else ""
        for words in filter(None, (job.message, why)):
            st.text(showable(words))
    if desk.bulk.may_work_with(job):
        _offer_stops(desk, job)


def _progress_words(job: Job, done: int) -> str:
    items = f"{done:,} of {many(job.item_count, 'item')}"
    if job.waiting_since and job.next_try_at:
        since = f"Waiting for the service since {time_alone(job.waiting_since)}"
        return f"{since} · {items} · next try at {to_the_second(job.next_try_at)}"
    return f"{STATES[job.state]} · {items}"


def _offer_stops(desk: Desk, job: Job) -> None:
    with st.container(horizontal=True, key="bulk_stops"):
        if job.state is JobState.READING and not desk.bulk.is_being_read(job.key):
            _offer_resume(desk, job, is_locked=False)
        if job.state in UNDER_WAY:
            st.button(
                "Pause", key="pause", icon=":material/pause:", on_click=_do, args=(desk.bulk.pause, job.key)
            )
        st.button(
            "Cancel", key="cancel", icon=":material/cancel:", on_click=_do, args=(desk.bulk.cancel, job.key)
        )
    if job.state in UNDER_WAY:
        st.caption("The job continues when you close this window. Its link brings you back to it.")


def _offer_resume(desk: Desk, job: Job, *, is_locked: bool) -> None:
    st.button(
        "Resume",
        key="resume",
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_locked,
        on_click=_do,
        args=(desk.bulk.resume, job.key),
    )


def _do(step: Callable[[str], None], key: str) -> None:
    with error_as_notice("The job is as it was."):
        step(key)


def _show_results(desk: Desk, job: Job, *, is_locked: bool) -> None:
    """Draw the counts, the next steps, and the rows: the failed ones first."""
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
        if job.state in FINISHED and desk.bulk.may_work_with(job):
            _offer_next(desk, job, is_locked=is_locked)
        _offer_files(desk, job)
    _show_rows(desk, job)
    show_skipped_rows(desk, job)


def _show_rows(desk: Desk, job: Job) -> None:
    found = {
        f"Failed ({job.failed:,})": (FAILED, job.failed),
        f"Done ({job.as_asked:,})": (AS_ASKED, job.as_asked),
    }
    there = [plain(words) for words, (_, count) in found.items() if count]
    chosen = there[0]
    if len(there) > 1:
        chosen = st.segmented_control(
            "Rows to look at", there, key=LOOK, default=there[0], required=True, label_visibility="collapsed"
        )
    outcomes, count = found[chosen]
    rows = desk.bulk.results(job.key, outcomes=outcomes, limit=_ROWS)
    names = desk.names.recipient_names({row.recipient_id for row in rows if row.recipient_id is not None})
    items = desk.names.item_titles({row.item for row in rows})
    show_table(
        [
            (
                in_spans(row.rows),
                items[row.item],
                "everybody" if row.recipient_id is None else names.get(row.recipient_id, ""),
                ACTIONS[row.action],
                ROW_WORDS[row.outcome].capitalize(),
                row.message,
                row.recipient_id or "",
                row.item.supplier_item_id,
                row.item.supplier,
            )
            for row in rows
        ],
        _COLUMNS,
        key="bulk_rows",
        alt="How each row of the job ended",
        optional=("Row", "Recipient", "Why"),
    )
    if count > len(rows):
        st.caption(plain(f"The first {len(rows):,} of {count:,} are shown; the download has all."))


def _offer_next(desk: Desk, job: Job, *, is_locked: bool) -> None:
    attempts = desk.bulk.store.attempts(job.key)
    if job.failed:
        st.button(
            "Retry failed",
            key="retry_failed",
            type="primary",
            icon=":material/replay:",
            disabled=is_locked,
            on_click=_retry,
            args=(desk, job),
        )
    st.button(
        "Undo this job",
        key="undo_job",
        icon=":material/undo:",
        disabled=is_locked or not any(one.is_undoable for one in attempts),
        on_click=_undo,
        args=(desk, job.key),
        help=plain(f"Covers all {len(attempts)} attempts at this list") if len(attempts) > 1 else None,
    )


def _offer_files(desk: Desk, job: Job) -> None:
    choices: list[tuple[str, str, Collection[Outcome]]] = [("results", "All rows", frozenset(Outcome))]
    if job.failed:
        choices.insert(0, ("failed", f"{job.failed:,} failed", FAILED))
    files: list[File] = [
        (f"{words} ({kind.words})", kind.file_name(stem), _rows_file(desk, job.key, kind, outcomes))
        for stem, words, outcomes in choices
        for kind in LIST_KINDS
    ]
    if job.skipped:
        words = f"{job.skipped:,} skipped, with reasons"
        files += [
            (f"{words} ({kind.words})", kind.file_name("skipped"), _skipped_file(desk, job.key, kind))
            for kind in LIST_KINDS
        ]
    hint = "The file of failed rows can be uploaded again as it is." if job.failed else ""
    offer_downloads(files, key="bulk", caption=hint)


def _rows_file(desk: Desk, key: str, kind: FileKind, outcomes: Collection[Outcome]) -> Callable[[], bytes]:
    return lambda: desk.bulk.write_results(key, kind, outcomes=outcomes)


def _skipped_file(desk: Desk, key: str, kind: FileKind) -> Callable[[], bytes]:
    return lambda: desk.bulk.write_skipped(key, kind)


def _retry(desk: Desk, job: Job) -> None:
    """Preview the failed rows again, and apply them if neither job nor preview needs a decision."""
    new = _open_new(desk.bulk.retry_failed, job.key)
    if new and job.is_retried_unasked:
        apply_once_read(new)


def _undo(desk: Desk, key: str) -> None:
    """Preview the undo of the job. Apply carries it out."""
    _open_new(desk.bulk.undo, key)


def _open_new(make: Callable[[str], str], key: str) -> str:
    """Make a new job from this one and open its preview. Return its key; empty when that failed."""
    new = ""
    with error_as_notice("No new job was started. Nothing was changed."):
        new = make(key)
        open_job(new)
    return new
