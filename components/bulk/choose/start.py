"""From a list to its preview, which starts by itself for a file that needs no more decisions."""

from typing import NamedTuple

import streamlit as st

from components.bulk.choose.how_read import HowRead, how_read, show_how_read
from components.bulk.choose.kept_list import change_list, kept_list
from components.bulk.choose.reading_beside import is_reading, read_beside
from components.bulk.choose.skipped_table import show_skipped
from components.bulk.choose.source import Reading, Source, empty_paste
from components.bulk.steps import Step, leave_job, open_job, opened_job, return_to_job
from components.notices import show_error
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.layout import Fixed, Layout
from item_visibility.saving.job import NOT_BEGUN, JobState
from item_visibility.use_cases.desk import Desk

_PRESSED = "start.pressed"
"""The list whose preview begins once all is decided, by its stamp; empty just after a press of Preview."""
_STARTED = "start.started"


class _Asked(NamedTuple):
    """A list with all decisions about it. Equal values ask for the same preview."""

    stamp: str
    reading: Reading
    layout: Layout
    fixed: Fixed
    decisions: Decisions


class _Started(NamedTuple):
    """The last preview that this window started, and how its list was read."""

    key: str = ""
    asked: _Asked | None = None
    how: HowRead | None = None


def offer_preview(source: Source | None, step: Step) -> None:
    """Draw the button that previews the list, also again: every item is then read as it is now."""
    if step is Step.CHOOSE or (step is Step.REVIEW and source is not None):
        st.button("Preview", key="preview", icon=":material/preview:", on_click=_press)


def was_pressed() -> bool:
    """True from a press of Preview until it is handled: the next click can cut a run short."""
    return st.session_state.get(_PRESSED) == ""


def begins_once_decided(source: Source) -> bool:
    """True when the preview begins by itself once all is decided: of a new file, or after a press."""
    is_new = source.is_file and not kept_list(source.stamp).is_seen
    return is_new or st.session_state.get(_PRESSED) in {"", source.stamp}


def settle_press(source: Source | None, *, is_open: bool) -> None:
    """Mark the press of Preview as handled. Keep it for a list with open decisions, or one that is read."""
    if is_reading():
        return
    if is_open and source is not None and begins_once_decided(source):
        st.session_state[_PRESSED] = source.stamp
    else:
        st.session_state.pop(_PRESSED, None)


def then_words(source: Source) -> str:
    """Return what follows once all is decided about this list."""
    return "then the preview begins" if begins_once_decided(source) else "then press Preview"


def tell_nothing_to_preview(source: Source | None) -> None:
    """Say what is missing when Preview was pressed with no list, or with open decisions."""
    if source is not None and not source.is_decided:
        st.info(
            "Decide above which rows belong to the list; then the preview begins.", icon=":material/rule:"
        )
    elif source is None and not is_reading():
        st.info("There is nothing to preview yet: upload a file, or paste rows.", icon=":material/info:")


def note_applied(key: str) -> None:
    """Empty the field of the pasted rows that this job was made from. Call it only from callbacks."""
    if _started().key == key:
        empty_paste()


def tell_how_it_was_read(key: str) -> None:
    """Draw how the list of this job was read, in the window that read it."""
    started = _started()
    if started.key == key and started.how is not None:
        show_how_read(started.how)


def start_preview(desk: Desk, source: Source, checked: BulkList, *, is_pressed: bool) -> None:
    """Say what was understood. Start the preview on request, or when nothing is left to decide."""
    begins = begins_once_decided(source)
    asked = _Asked(source.stamp, source.reading, checked.layout, checked.fixed, checked.decisions)
    try:
        understood = read_beside(
            desk,
            "understood",
            asked,
            lambda watch: checked.understood(watch=watch),
            words="The rows of the list are being understood",
        )
    except ItemVisibilityError as error:
        show_error("The list could not be used. Nothing was changed.", error, key="bulk_start_error")
        return
    if understood is None:
        return
    how = how_read(checked, understood, letters=source.letters)
    show_how_read(how)
    show_skipped(understood.skipped)
    if not understood.items and checked.is_decided:
        st.info("No row can be used, so there is nothing to preview.", icon=":material/info:")
    elif understood.items and (is_pressed or (begins and checked.is_decided)):
        change_list(source.stamp, is_seen=True)
        _start(desk, source, asked, understood, how)
    elif not checked.is_decided:
        st.info(f"Decide above about what may be wrong; {then_words(source)}.", icon=":material/rule:")
    else:
        st.info("Press Preview to see what this list would do.", icon=":material/preview:")


def _press() -> None:
    st.session_state[_PRESSED] = ""
    leave_job()


def _start(desk: Desk, source: Source, asked: _Asked, understood: Understood, how: HowRead) -> None:
    """Start reading. Cancel this window's previous preview if it was not applied."""
    started = _started()
    key = started.key
    try:
        job = desk.bulk.store.job(key) if key else None
        if job is not None and job.state in NOT_BEGUN:
            if started.asked == asked and job.state is JobState.READING and opened_job() == key:
                _show_preview()  # a reading runs already
            desk.bulk.cancel(key)
        key = desk.bulk.start_preview(
            understood.items,
            title=source.title,
            skipped=understood.skipped,
            repeated=understood.repeated,
        )
    except ItemVisibilityError as error:
        show_error("The preview could not be started. Nothing was changed.", error, key="bulk_start_error")
        return
    st.session_state[_STARTED] = _Started(key, asked, how)
    open_job(key)
    _show_preview()


def _show_preview() -> None:
    """Show the preview in place of the form."""
    st.session_state.pop(_PRESSED, None)
    return_to_job()
    st.rerun()


def _started() -> _Started:
    started: _Started = st.session_state.get(_STARTED, _Started())
    return started
