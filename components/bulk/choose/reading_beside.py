"""Slow readings of a list, run in the background with their progress and a stop button."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from item_visibility.lists.table import Watch
from item_visibility.timeouts import REDRAW_READING_EVERY_S, WAIT_FOR_LIST_S
from item_visibility.use_cases.bulk.lists import ReadingRun
from item_visibility.use_cases.desk import Desk

_RUNS = "reading_beside.runs"

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A reading of this window, and the stamp it was started for."""

    stamp: object
    run: ReadingRun[Any]


def read_beside(
    desk: Desk, name: str, stamp: object, read: Callable[[Watch], _Read], *, words: str
) -> _Read | None:
    """Return the result, read once for each stamp. Draw progress and return None while it runs.

    Raises what the reading raises. A new stamp under the same name stops the reading before it.
    """
    runs = _runs()
    kept = runs.get(name)
    if kept is None or kept.stamp != stamp:
        if kept is not None:
            kept.run.stop()
        kept = runs[name] = _Kept(stamp, desk.bulk.start_reading(read))
        kept.run.wait(timeout_s=WAIT_FOR_LIST_S)
    run: ReadingRun[_Read] = kept.run
    if not run.wait(timeout_s=0):
        _follow(run, words)
        return None
    return run.result()


def is_reading() -> bool:
    """True while a reading of a list runs for this window."""
    return any(not kept.run.wait(timeout_s=0) for kept in _runs().values())


def stop_reading() -> None:
    """Stop reading and forget the results, because there is no list any more."""
    for kept in _runs().values():
        kept.run.stop()
    _runs().clear()


def _runs() -> dict[str, _Kept]:
    runs: dict[str, _Kept] = st.session_state.setdefault(_RUNS, {})
    return runs


@st.fragment(run_every=REDRAW_READING_EVERY_S)
def _follow(run: ReadingRun[Any], words: str) -> None:
    """Show the progress, and redraw the whole screen when the reading has ended."""
    if run.wait(timeout_s=0):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_reading"):
        st.progress(run.share, text=words)
        st.button("Cancel reading", key="cancel_reading", icon=":material/cancel:", on_click=run.stop)
