"""How far a scan is, with its buttons; and what it showed so far, drawn anew while it goes on."""

from collections.abc import Callable

import streamlit as st

from components.clock import time_of_day, to_the_second
from components.notices import kept_error, show_error
from components.verbatim import plain, showable
from item_visibility.changes.in_words import many
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import ItemVisibilityError
from item_visibility.records.scans.scan_state import Scan, ScanState

_STATES = {
    ScanState.ENDED: "Checked",
    ScanState.CANCELLED: "Check cancelled",
    ScanState.INTERRUPTED: "Check interrupted",
}


def show_scan(desk: Desk, supplier: str | None, show: Callable[[], None]) -> None:
    """Draw how far the scan of the supplier is, or of all; then `show`, again and again while it goes on."""
    scan = _progress(desk, supplier)
    if scan is not None and scan.is_under_way:
        _follow_scan(desk, supplier, show)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="scan"):
        _offer_steps(desk, supplier, scan)
    if scan is not None:
        st.caption(plain(_words(scan)))
    show()


def is_scanned_now(desk: Desk, supplier: str | None) -> bool:
    """True while a scan of the supplier, or of all, is under way."""
    scan = _progress(desk, supplier)
    return scan is not None and scan.is_under_way


@st.fragment(run_every=1.0)
def _follow_scan(desk: Desk, supplier: str | None, show: Callable[[], None]) -> None:
    scan = _progress(desk, supplier)
    if scan is None or not scan.is_under_way:
        st.rerun()
    with st.container(key="scan_progress"):
        share = (scan.checked + scan.failed) / scan.total if scan.total else 0.0
        st.progress(min(share, 1.0), text=plain(_words(scan)))
        if scan.message:
            st.text(showable(scan.message))
    _offer_step(supplier, "Cancel", desk.scans.cancel, key="cancel_scan", icon=":material/cancel:")
    show()


def _offer_steps(desk: Desk, supplier: str | None, scan: Scan | None) -> None:
    """Draw the button that begins a scan, and the one that goes on with the last one."""
    can_resume = scan is not None and scan.is_resumable
    if can_resume:
        _offer_step(
            supplier,
            "Resume",
            desk.scans.resume,
            key="resume_scan",
            icon=":material/play_arrow:",
            is_first=True,
        )
    _offer_step(
        supplier,
        "Check all items" if scan is None else "Check all items again",
        desk.scans.start,
        key="start_scan",
        icon=":material/refresh:",
        is_first=not can_resume,
    )


def _offer_step(  # noqa: PLR0913  (each is named where it is called)
    supplier: str | None,
    label: str,
    step: Callable[[str | None], object],
    *,
    key: str,
    icon: str,
    is_first: bool = False,
) -> None:
    st.button(
        label,
        key=key,
        icon=icon,
        type="primary" if is_first else "secondary",
        on_click=_do,
        args=(step, supplier),
    )


def _words(scan: Scan) -> str:
    """Return how far the scan is, and when it began or tries again."""
    done = f"{scan.checked:,} of {many(scan.total, 'item')} checked"
    if scan.failed:
        done = f"{done} · {scan.failed:,} could not be read"
    if scan.state is ScanState.WAITING:
        again = "" if scan.next_try_at is None else f" · next try at {to_the_second(scan.next_try_at)}"
        return f"{done} · waiting for the service{again}"
    if scan.is_under_way:
        return f"{done} · begun by {scan.person}"
    return f"{_STATES[scan.state]} {time_of_day(scan.begun_at)} by {scan.person}: {done}"


def _progress(desk: Desk, supplier: str | None) -> Scan | None:
    try:
        return desk.scans.progress(supplier)
    except ItemVisibilityError as error:
        show_error("It is not known how far the check is. It goes on by itself.", error, key="scan_error")
        return None


def _do(step: Callable[[str | None], object], supplier: str | None) -> None:
    with kept_error("The check is as it was. No item was changed."):
        step(supplier)
