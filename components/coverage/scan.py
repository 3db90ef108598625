"""The scan that reads all items above its results: start, progress, cancel and resume."""

from collections.abc import Callable

import streamlit as st

from components.clock import to_the_second
from components.notices import error_as_notice
from components.verbatim import plain
from item_visibility.saving.in_words import many
from item_visibility.saving.job import Job, JobState
from item_visibility.storage.fallback import or_else
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.desk import Desk

_START = "scan_start"
_STOPPED = {
    JobState.CANCELLED: "The scan was cancelled",
    JobState.PAUSED: "The scan was interrupted",
    JobState.ENDED: "The scan has ended",
}


def show_scan(desk: Desk, supplier: str | None) -> None:
    """Draw the progress of the scan of the supplier's known items, or the button that starts one."""
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is not None and scan.state is JobState.READING:
        _follow_scan(desk, supplier)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="scan"):
        is_resumable = scan is not None and bool(scan.unread)
        if is_resumable:
            _offer("Resume the scan", "scan_resume", "play_arrow", desk.scans.resume, supplier)
        _offer("Read all items now", _START, "sync", desk.scans.start, supplier)
        if scan is not None and is_resumable:
            st.caption(plain(f"{_STOPPED[scan.state]}: {_progress(scan)}."))


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_scan(desk: Desk, supplier: str | None) -> None:
    """Show the progress, and draw the whole page again when the scan has ended."""
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is None or scan.state is not JobState.READING:
        st.rerun()
    st.progress(scan.read_items / scan.item_count if scan.item_count else 0.0, text=plain(_progress(scan)))
    if scan.next_try_at is not None:
        st.caption(
            f"The service does not answer. Next try at {plain(to_the_second(scan.next_try_at))}. "
            "An item that was not read does not count as a no."
        )
    _offer("Cancel the scan", "scan_cancel", "cancel", desk.scans.cancel, supplier)


def _progress(scan: Job) -> str:
    return f"{scan.read_items:,} of {many(scan.item_count, 'item')} checked"


def _offer(
    label: str, key: str, icon: str, step: Callable[[str | None], object], supplier: str | None
) -> None:
    st.button(
        plain(label),
        key=key,
        type="primary" if key == _START else "secondary",
        icon=f":material/{icon}:",
        on_click=_do,
        args=(step, supplier),
    )


def _do(step: Callable[[str | None], object], supplier: str | None) -> None:
    with error_as_notice("The scan is as it was."):
        step(supplier)
