"""The outcome of each row of a job, failures first, with retry, undo and download."""

from collections.abc import Callable, Collection, Sequence
from itertools import product

import pandas as pd
import streamlit as st

from components.bulk.apply_once_read import want_applied
from components.bulk.choose.skipped_table import show_skipped_rows
from components.bulk.job_address import open_job
from components.bulk.job_labels import ACTIONS, outcome_words, results
from components.bulk.table_pages import page_of, show_ways
from components.notices import kept_error
from components.table import chosen as chosen_rows
from components.table import key_for
from components.ticket import offer_ticket
from components.verbatim import plain, showable
from item_visibility.saving.claim import Claim, claim_of_job
from item_visibility.saving.job import AS_ASKED, FAILED, FINISHED, Job
from item_visibility.saving.outcome import Outcome
from item_visibility.use_cases.bulk.results import ResultRow, in_spans
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.table_files import FileKind

LOOK = "bulk_look"
_ROWS = 50
_IN_ORDER = ("Row", "Name", "Recipient", "Outcome", "Change", "Item name", "Item", "Why", "Supplier")
_OFTEN_EMPTY = frozenset({"Row", "Name", "Item name", "Why"})


def show_results(desk: Desk, job: Job, *, is_locked: bool) -> None:
    """Draw the counts, one page of the rows, and the next steps."""
    if not job.outcomes:
        st.caption("No row is done yet.")
        return
    words = plain(results(job))
    if job.failed or job.skipped:
        st.warning(words, icon=":material/rule:")
    elif claim_of_job(job) is Claim.VERIFIED:
        st.success(words, icon=":material/check_circle:")
    else:
        st.info(words, icon=":material/info:")
    _show_rows(desk, job)
    show_skipped_rows(desk, job)
    if job.state in FINISHED and desk.bulk.may_work_with(job):
        _offer_next(desk, job, is_locked=is_locked)
    _offer_downloads(desk, job)


def _show_rows(desk: Desk, job: Job) -> None:
    choices: dict[str, Collection[Outcome]] = {}
    if job.failed:
        choices[f"Failed ({job.failed:,})"] = FAILED
    if job.as_asked:
        choices[f"Done ({job.as_asked:,})"] = AS_ASKED
    there = [plain(words) for words in choices]
    chosen = there[0]
    if len(there) > 1:
        chosen = st.segmented_control(
            "Rows to look at", there, key=LOOK, default=there[0], required=True, label_visibility="collapsed"
        )
    name = f"{job.key} {choices[chosen] is FAILED}"
    after = page_of(name, start=(-1, ""))
    rows = desk.bulk.store.rows(job.key, outcomes=choices[chosen], after=after, limit=_ROWS + 1)
    row = _draw(desk, desk.bulk.results.page(job.key, outcomes=choices[chosen], after=after, limit=_ROWS))
    is_more = len(rows) > _ROWS
    following = (rows[-2].position, rows[-2].recipient_id) if is_more else None
    show_ways(name, following=following, key="bulk_rows")
    if row is not None:
        offer_ticket(lambda: desk.tickets.of_row(job, row), key="row")


def _draw(desk: Desk, rows: Sequence[ResultRow]) -> ResultRow | None:
    """Draw the rows. Return the one that is chosen; None when none is."""
    names = desk.names.recipient_names({row.recipient_id for row in rows if row.recipient_id is not None})
    table = [
        (
            showable(row.item.supplier),
            showable(row.item.supplier_item_id),
            showable(desk.names.item_name(row.item)),
            "everybody" if row.recipient_id is None else showable(row.recipient_id),
            showable(names.get(row.recipient_id or "", "")),
            ACTIONS[row.action],
            outcome_words(row),
            showable(row.message),
            in_spans(row.rows),
        )
        for row in rows
    ]
    columns = ["Supplier", "Item", "Item name", "Recipient", "Name", "Change", "Outcome", "Why", "Row"]
    frame = pd.DataFrame(table, columns=columns, dtype=str)
    state = st.dataframe(
        frame,
        key=key_for("bulk_rows", rows),
        hide_index=True,
        column_order=[name for name in _IN_ORDER if name not in _OFTEN_EMPTY or frame[name].any()],
        alt="How each row of the job ended",
        on_select="rerun",
        selection_mode="single-row",
    )
    st.caption("Choose a row to copy it for a ticket.")
    return next(iter(chosen_rows(state, rows)), None)


def _offer_next(desk: Desk, job: Job, *, is_locked: bool) -> None:
    attempts = desk.bulk.store.attempts(job.key)
    with st.container(horizontal=True, key="bulk_next"):
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
        )
    if len(attempts) > 1:
        st.caption(plain(f"Undo covers all {len(attempts)} attempts at this list."))


def _offer_downloads(desk: Desk, job: Job) -> None:
    choices: list[tuple[str, str, Collection[Outcome]]] = [("results", "All rows", frozenset(Outcome))]
    if job.skipped:
        choices.append(("skipped", f"{job.skipped:,} skipped, with reasons", frozenset()))
    if job.failed:
        choices.insert(0, ("failed", f"{job.failed:,} failed", FAILED))
    with st.popover("Download", icon=":material/download:", key="bulk_downloads"):
        for (stem, what, outcomes), kind in product(choices, FileKind):
            st.download_button(
                plain(f"{what} ({kind.words})"),
                _results(desk, job.key, kind, outcomes),
                file_name=kind.file_name(stem),
                key=f"{stem}_{kind.value}",
                on_click="ignore",
            )
        if job.failed:
            st.caption("The file of failed rows can be uploaded again as it is.")


def _results(desk: Desk, key: str, kind: FileKind, outcomes: Collection[Outcome]) -> Callable[[], bytes]:
    """Write the file when it is asked for."""
    if not outcomes:
        return lambda: desk.bulk.results.write_skipped(key, kind)
    return lambda: desk.bulk.results.write(key, kind, outcomes=outcomes)


def _retry(desk: Desk, job: Job) -> None:
    """Preview the failed rows again, and apply them if neither job nor preview needs a decision."""
    if (new := _open_new(desk.bulk.retry_failed, job.key)) is not None and job.is_retried_unasked:
        want_applied(new)


def _undo(desk: Desk, key: str) -> None:
    """Preview the undo of the job. Apply carries it out."""
    _open_new(desk.bulk.undo, key)


def _open_new(make: Callable[[str], str], key: str) -> str | None:
    """Make a new job from this one and open its preview."""
    new = None
    with kept_error("No new job was started. Nothing was changed."):
        new = make(key)
        open_job(new)
    return new
