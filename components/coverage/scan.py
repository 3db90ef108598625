"""The scan that reads all items above its results: start, progress, cancel and resume."""

from collections.abc import Callable

import streamlit as st

from components.clock import to_the_second
from components.notices import error_as_notice
from components.verbatim import plain
from item_visibility.saving.in_words import many
from item_visibility.saving.job import JobState
from item_visibility.storage.fallback import or_else
from item_visibility.timeouts import REDRAW_PROGRESS_EVERY_S
from item_visibility.use_cases.coverage import Scan
from item_visibility.use_cases.desk import Desk

_START = "scan_start"
_STOPPED = {
    JobState.CANCELLED: "The scan was cancelled",
    JobState.READING: "The scan was interrupted",
    JobState.ENDED: "The scan has ended",
}


def show_scan(desk: Desk, supplier: str | None) -> None:
    """Draw the progress of the scan of the supplier's known items, or the button that starts one."""
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is not None and scan.is_under_way:
        _follow_scan(desk, supplier)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="scan"):
        is_resumable = scan is not None and scan.is_resumable
        if is_resumable:
            _offer("Resume the scan", "scan_resume", "play_arrow", desk.scans.resume, supplier)
        _offer("Read all items now", _START, "sync", desk.scans.start, supplier)
        if scan is not None and is_resumable:
            st.caption(plain(f"{_STOPPED[scan.job.state]}: {_progress(scan)}."))


@st.fragment(run_every=REDRAW_PROGRESS_EVERY_S)
def _follow_scan(desk: Desk, supplier: str | None) -> None:
    """Show the progress, and draw the whole page again when the scan has ended."""
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if scan is None or not scan.is_under_way:
        st.rerun()
    st.progress(scan.checked / scan.total if scan.total else 0.0, text=plain(_progress(scan)))
    if scan.job.next_try_at is not None:
        st.caption(
            f"The service does not answer. Next try at {plain(to_the_second(scan.job.next_try_at))}. "
            "An item that was not read does not count as a no."
        )
    _offer("Cancel the scan", "scan_cancel", "cancel", desk.scans.cancel, supplier)


def _progress(scan: Scan) -> str:
    return f"{scan.checked:,} of {many(scan.total, 'item')} checked"


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
