"""The scan above its results: start, progress, cancel and resume."""

from collections.abc import Callable

import streamlit as st

from components.clock import to_the_second
from components.notices import error_as_notice, show_notices
from components.verbatim import plain
from item_visibility.saving.in_words import many
from item_visibility.saving.job import JobState
from item_visibility.storage.fallback import or_else
from item_visibility.timeouts import REDRAW_NEW_SCAN_EVERY_S, REDRAW_SCAN_EVERY_S
from item_visibility.use_cases.coverage import Scan
from item_visibility.use_cases.desk import Desk

_STOPPED = {
    JobState.CANCELLED: "The scan was cancelled",
    JobState.READING: "The scan was interrupted",
    JobState.ENDED: "The scan has ended",
}


def show_with_scan(desk: Desk, supplier: str | None, show: Callable[[], None]) -> None:
    """Draw the scan of the supplier's known items, and `show` below it; both each second while it runs."""
    every_s = _every_s(or_else(None, lambda: desk.scans.progress(supplier)))
    st.fragment(_draw, run_every=every_s)(desk, supplier, show, every_s=every_s)


def _every_s(scan: Scan | None) -> float | None:
    """Return after how many seconds to look again; None when nothing is under way."""
    if scan is None or not scan.is_under_way:
        return None
    is_first = not scan.checked and scan.job.next_try_at is None
    return REDRAW_NEW_SCAN_EVERY_S if is_first else REDRAW_SCAN_EVERY_S


def _draw(desk: Desk, supplier: str | None, show: Callable[[], None], *, every_s: float | None) -> None:
    scan = or_else(None, lambda: desk.scans.progress(supplier))
    if every_s != _every_s(scan):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="scan"):
        if scan is not None and scan.is_under_way:
            _show_running(desk, supplier, scan)
        else:
            _offer_scan(desk, supplier, scan)
    show_notices()
    show()


def _show_running(desk: Desk, supplier: str | None, scan: Scan) -> None:
    words = f"{scan.checked:,} of {many(scan.total, 'item')} checked"
    with st.container(key="scan_progress"):
        st.progress(scan.checked / scan.total if scan.total else 0.0, text=plain(words))
        if scan.job.next_try_at is not None:
            st.caption(
                f"The service does not answer. Next try at {plain(to_the_second(scan.job.next_try_at))}. "
                "An item that was not read does not count as a no."
            )
    st.button(
        "Cancel the scan",
        key="scan_cancel",
        icon=":material/cancel:",
        on_click=_do,
        args=(desk.scans.cancel, supplier),
    )


def _offer_scan(desk: Desk, supplier: str | None, scan: Scan | None) -> None:
    is_resumable = scan is not None and scan.is_resumable
    if scan is not None and is_resumable:
        st.button(
            "Resume the scan",
            key="scan_resume",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_do,
            args=(desk.scans.resume, supplier),
        )
    st.button(
        "Read all items now",
        key="scan_start",
        type="secondary" if is_resumable else "primary",
        icon=":material/sync:",
        on_click=_do,
        args=(desk.scans.start, supplier),
        help="Each known item is read at the service, in the background. Nothing is changed.",
    )
    if scan is not None and is_resumable:
        stopped = _STOPPED[scan.job.state]
        st.caption(plain(f"{stopped}: {scan.checked:,} of {many(scan.total, 'item')} checked."))


def _do(step: Callable[[str | None], object], supplier: str | None) -> None:
    with error_as_notice("The scan is as it was."):
        step(supplier)
