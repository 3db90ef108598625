"""From a list to its preview, which starts by itself for a file that needs no more decisions."""

from typing import NamedTuple

import streamlit as st

from components.bulk.choose.kept_list import change_list, kept_list, show_list_again
from components.bulk.choose.reading_beside import is_reading, read_beside
from components.bulk.choose.skipped_table import show_understood
from components.bulk.choose.source import Source, empty_paste
from components.bulk.job_address import open_job, opened_job
from components.notices import show_error
from item_visibility.changes.job import NOT_BEGUN, JobState
from item_visibility.desk.bulk.lists import HiddenCells
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.intake.bulk_list import BulkList, Decisions, Understood
from item_visibility.intake.layout import Fixed, Layout

_PRESSED = "start.pressed"
_STARTED = "start.started"


class _Asked(NamedTuple):
    """A list with all decisions about it. Equal values ask for the same preview."""

    stamp: str
    hidden: HiddenCells | None
    layout: Layout
    fixed: Fixed
    decisions: Decisions


def offer_preview() -> None:
    """Draw the button that previews what was uploaded or pasted."""
    st.button("Preview", key="preview", icon=":material/preview:", on_click=_press)


def was_pressed() -> bool:
    """True from a press of Preview until it is handled: the next click can cut a run short."""
    return bool(st.session_state.get(_PRESSED, False))


def forget_press() -> None:
    """Mark the press of Preview as handled, unless the list is still being read."""
    if not is_reading():
        st.session_state.pop(_PRESSED, None)


def tell_nothing_to_preview(source: Source | None) -> None:
    """Say what is missing when Preview was pressed with no list, or with open decisions."""
    if source is not None and not source.is_decided:
        st.info(
            "Decide above which rows belong to the list; then the preview begins.", icon=":material/rule:"
        )
    elif source is None and not is_reading():
        st.info("There is nothing to preview yet: upload a file, or paste rows.", icon=":material/info:")


def is_applied(source: Source) -> bool:
    """True when this exact list was applied. Its job is shown instead."""
    return kept_list(source.stamp).is_applied


def note_applied(key: str) -> None:
    """Fold the list that this job was made from. Call it only from callbacks."""
    asked, started = _started()
    if asked is not None and started == key:
        change_list(asked.stamp, is_applied=True, understood=None)
        empty_paste()


def start_preview(desk: Desk, source: Source, checked: BulkList, *, is_pressed: bool) -> None:
    """Say what was understood. Start the preview on request, or when nothing is left to decide."""
    asked = _Asked(source.stamp, source.hidden, checked.layout, checked.fixed, checked.decisions)
    try:
        understood = read_beside(
            desk,
            "understood",
            asked,
            lambda watch: checked.understood(watch=watch),
            words="The rows of the list are being understood",
        )
    except ItemVisibilityError as error:
        show_error("The list was not taken. Nothing was changed.", error, key="bulk_start_error")
        return
    if understood is None:
        return
    show_understood(understood)
    is_first = source.is_file and not kept_list(source.stamp).is_seen and checked.is_decided
    change_list(source.stamp, understood=asked)
    if not understood.items:
        st.info("No row can be taken, so there is nothing to preview.", icon=":material/info:")
    elif is_pressed or is_first:
        change_list(source.stamp, is_seen=True)
        _start(desk, source, asked, understood)
    elif not checked.is_decided:
        st.info("Decide above about what may be damaged; then the preview begins.", icon=":material/rule:")
    elif _started()[0] != asked:
        st.info("Press Preview to see what this list would do.", icon=":material/preview:")


def is_outdated(source: Source | None, key: str) -> bool:
    """True when this window started the preview, and the list was changed or replaced since."""
    asked, started = _started()
    if source is None or asked is None or started != key:
        return False
    return asked.stamp != source.stamp or kept_list(source.stamp).understood not in {None, asked}


def _press() -> None:
    st.session_state[_PRESSED] = True
    show_list_again()


def _start(desk: Desk, source: Source, asked: _Asked, understood: Understood) -> None:
    """Start reading. Cancel this window's previous preview if it was not applied."""
    before, key = _started()
    try:
        job = desk.bulk.store.job(key) if key else None
        if job is not None and job.state in NOT_BEGUN:
            if before == asked and job.state is JobState.READING and opened_job() == key:
                return  # a reading runs already
            desk.bulk.cancel(key)
        key = desk.bulk.start_preview(understood.items, title=source.title, skipped=understood.skipped)
    except ItemVisibilityError as error:
        show_error("The preview could not be begun. Nothing was changed.", error, key="bulk_start_error")
        return
    st.session_state[_STARTED] = (asked, key)
    open_job(key)


def _started() -> tuple[_Asked | None, str]:
    started: tuple[_Asked | None, str] = st.session_state.get(_STARTED, (None, ""))
    return started
