"""From a list to its preview, which starts by itself for a file that needs no more decisions."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from components.bulk.choose.findings import decided_words
from components.bulk.choose.list_state import change_list, is_reading, list_state, read_in_background
from components.bulk.choose.source import Source, put_paste
from components.bulk.choose.steps import Step, leave_job, open_job, opened_job, return_to_job
from components.notices import show_error
from components.table import show_table
from components.verbatim import plain, visible
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.layout import Fixed, Layout
from item_visibility.lists.table import heading_words, title_words
from item_visibility.saving.in_words import many
from item_visibility.saving.job import NOT_BEGUN, Job, JobState, SkippedRow
from item_visibility.use_cases.bulk.lists import write_template
from item_visibility.use_cases.desk import Desk

_PRESSED = "start.pressed"
"""True after a press of Preview, until there is a list to which it belongs."""
_STARTED = "start.started"
_DOUBTS_SHOWN, _ROWS_SHOWN = 6, 200


class _HowRead(NamedTuple):
    """The words about a list: what was read, and what may not be as it was meant."""

    summary: str
    words: tuple[str, ...]
    doubts: tuple[str, ...]


class _Content(NamedTuple):
    """A list with all decisions about it. Equal values lead to the same preview."""

    stamp: str
    reading: object
    layout: Layout
    fixed: Fixed
    decisions: Decisions


class _Started(NamedTuple):
    """The last preview that this window started, and how its list was read."""

    key: str = ""
    content: _Content | None = None
    how: _HowRead | None = None


def offer_template() -> None:
    """Draw the download of an empty list whose columns are recognised automatically."""
    st.download_button(
        "Download a template",
        write_template,
        file_name="bulk-template.xlsx",
        key="bulk_template",
        icon=":material/download:",
        on_click="ignore",
    )


def offer_preview(source: Source | None, step: Step) -> None:
    """Draw the button that previews the list, also again: every item is then read as it is now."""
    if step is Step.CHOOSE or (step is Step.REVIEW and source is not None):
        st.button("Preview", key="preview", icon=":material/preview:", on_click=_press)


def settle_press(source: Source | None) -> None:
    """Hand a press of Preview to the list, which keeps it until all is decided. Say when there is no list."""
    if not st.session_state.get(_PRESSED) or (source is None and is_reading()):
        return
    del st.session_state[_PRESSED]
    if source is None:
        st.info("There is nothing to preview yet: upload a file, or paste rows.", icon=":material/info:")
    else:
        change_list(source.stamp, awaits_preview=True)


def then_words(source: Source) -> str:
    """Return what follows once all is decided about this list."""
    awaits = list_state(source.stamp).awaits_preview
    return "then the preview begins" if awaits else "then press Preview"


def note_applied(key: str) -> None:
    """Empty the field of the pasted rows that this job was made from. Call it only from callbacks."""
    if _started().key == key:
        put_paste("")


def show_how_it_was_read(key: str) -> None:
    """Draw how the list of this job was read, in the window that read it."""
    started = _started()
    if started.key == key and started.how is not None:
        _show_how_read(started.how)


def start_preview(desk: Desk, source: Source, checked: BulkList) -> None:
    """Say what was understood. Start the preview when it is awaited and nothing is left to decide."""
    content = _Content(source.stamp, source.reading, checked.layout, checked.fixed, checked.decisions)
    try:
        understood = read_in_background(
            desk,
            "understood",
            content,
            lambda watch: checked.understood(watch=watch),
            words="The rows of the list are being read",
        )
        if understood is None:
            return
        how = _how_read(checked, understood, source.encoding_question)
        _show_how_read(how)
        if understood.skipped:
            with st.expander("Skipped rows, and why", icon=":material/rule:", key="bulk_skipped"):
                _show_skipped(understood.skipped)
        if not checked.is_decided:
            st.info(
                plain(f"Decide above about what may be wrong; {then_words(source)}."), icon=":material/rule:"
            )
        elif not understood.items:
            st.info("No row can be used, so there is nothing to preview.", icon=":material/info:")
        elif list_state(source.stamp).awaits_preview:
            _start(desk, source, content, understood, how)
        else:
            st.info("Press Preview to see what this list would do.", icon=":material/preview:")
    except ItemVisibilityError as error:
        show_error("The list could not be used. Nothing was changed.", error, key="bulk_start_error")


def show_skipped_rows(desk: Desk, job: Job) -> None:
    """Draw the rows of the list that the job skips, folded, with the reasons."""
    if not job.skipped:
        return
    with st.expander("Skipped rows of the list, and why", icon=":material/rule:", key="job_skipped"):
        rows = desk.bulk.store.skipped_rows(job.key, limit=_ROWS_SHOWN)
        show_table(
            [
                (str(row.number), row.supplier, row.supplier_item_id, row.recipients, visible(row.reason))
                for row in rows
            ],
            ["Row", "Supplier", "Item", "Recipient", "Why"],
            key="job_skipped_rows",
            alt="Rows of the list that the job does not take",
        )
        if job.skipped > _ROWS_SHOWN:
            st.caption(plain(f"The first {_ROWS_SHOWN} of {job.skipped:,} are shown."))


def _show_skipped(skipped: Sequence[SkippedRow]) -> None:
    show_table(
        [(str(row.number), visible(row.reason)) for row in skipped],
        ["Row", "Why"],
        key="bulk_problems",
        alt="Skipped rows, and why",
        limit=_ROWS_SHOWN,
    )


def _press() -> None:
    st.session_state[_PRESSED] = True
    leave_job()


def _how_read(chosen: BulkList, understood: Understood, encoding_question: str) -> _HowRead:
    table = chosen.table
    decided = f"{decided_words(chosen)}." if chosen.findings else ""
    rows = sum(len(one.row_numbers) for one in understood.items)
    summary = f"{many(rows, 'row')} for {many(len(understood.items), 'item')}"
    skipped = len(understood.skipped)
    return _HowRead(
        summary=f"{summary}, {many(skipped, 'row')} skipped" if skipped else summary,
        words=tuple(filter(None, (table.sheet, title_words(table), heading_words(table), decided))),
        doubts=(*filter(None, [encoding_question, chosen.unread_words]), *table.warnings),
    )


def _show_how_read(how: _HowRead) -> None:
    """Draw the words, and the doubts in amber."""
    st.markdown(f"**{plain(how.summary)}**")
    st.caption(" ".join(map(plain, how.words)))
    if how.doubts:
        more = len(how.doubts) - _DOUBTS_SHOWN
        lines = [*how.doubts[:_DOUBTS_SHOWN], *([f"And {more:,} more."] if more > 0 else [])]
        st.warning("  \n".join(map(plain, lines)), icon=":material/view_column:")


def _start(desk: Desk, source: Source, content: _Content, understood: Understood, how: _HowRead) -> None:
    """Start reading. Cancel this window's previous preview if it was not applied."""
    started = _started()
    job = desk.bulk.store.job(started.key) if started.key else None
    is_same = False
    if job is not None and job.state in NOT_BEGUN:
        is_same = started.content == content and job.state is JobState.READING and opened_job() == started.key
        if not is_same:
            desk.bulk.cancel(started.key)
    if not is_same:
        key = desk.bulk.start_preview(
            understood.items, title=source.title, skipped=understood.skipped, repeated=understood.repeated
        )
        st.session_state[_STARTED] = _Started(key, content, how)
        open_job(key)
    change_list(source.stamp, awaits_preview=False)
    return_to_job()
    st.rerun()


def _started() -> _Started:
    started: _Started = st.session_state.get(_STARTED, _Started())
    return started
