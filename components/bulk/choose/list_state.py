"""The list of this window: the decisions about it, and the background runs that read it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from components.bulk.choose.steps import leave_job
from item_visibility.lists.bulk_list import Decisions
from item_visibility.lists.layout import Layout
from item_visibility.lists.table import Watch
from item_visibility.timeouts import REDRAW_READING_EVERY_S, WAIT_FOR_LIST_S
from item_visibility.use_cases.bulk.lists import HiddenCells, ReadingRun
from item_visibility.use_cases.desk import Desk

_LIST = "list_state.list"
_RUNS = "list_state.runs"
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """The decisions about one list. `stamp` says which upload or paste it is.

    `has_heading` is what the person said of the first row, None when nothing. `decisions` are those in the
    `layout`, which is None until the columns were drawn. The preview starts once all is decided while
    `awaits_preview`: for a file from the start, for other lists after a press of Preview.
    """

    stamp: str
    is_file: bool = False
    hidden: HiddenCells | None = None
    has_heading: bool | None = None
    skips_aside: bool = False
    layout: Layout | None = None
    decisions: Decisions = field(default_factory=Decisions)
    awaits_preview: bool = False


def list_state(stamp: str, *, is_file: bool = False) -> ListState:
    """Return the decisions about this list: none yet when the window had another one."""
    state: ListState | None = st.session_state.get(_LIST)
    if state is None or state.stamp != stamp:
        state = st.session_state[_LIST] = ListState(stamp=stamp, is_file=is_file, awaits_preview=is_file)
    return state


def change_list(stamp: str, **changes: Any) -> None:  # noqa: ANN401  (the fields of a ListState)
    """Keep a decision about this list."""
    st.session_state[_LIST] = replace(list_state(stamp), **changes)


def decide_again(stamp: str, **changes: Any) -> None:  # noqa: ANN401  (the fields of a ListState)
    """Take back a decision, or change it. The preview of a file then starts again by itself."""
    state = list_state(stamp)
    change_list(stamp, **{"awaits_preview": state.is_file or state.awaits_preview, **changes})


def read_list_again(stamp: str, **changes: Any) -> None:  # noqa: ANN401  (the fields of a ListState)
    """Keep how the list is to be read, with these changes, and no other decision about it."""
    leave_job()
    decide_again(stamp, **{"skips_aside": False, "layout": None, "decisions": Decisions(), **changes})


def read_in_background(
    desk: Desk, name: str, stamp: object, read: Callable[[Watch], _Read], *, words: str
) -> _Read | None:
    """Return the result, read once for each stamp. Draw progress and return None while it runs.

    Raises what the reading raises. A new stamp under the same name stops the reading before it.
    """
    runs = _runs()
    run: ReadingRun[_Read] | None
    read_for, run = runs.get(name, (None, None))
    if run is None or read_for != stamp:
        if run is not None:
            run.stop()
        run = desk.bulk.lists.start_reading(read)
        runs[name] = (stamp, run)
        run.wait(timeout_s=WAIT_FOR_LIST_S)
    if not run.wait(timeout_s=0):
        _follow(run, words)
        return None
    return run.result()


def is_reading() -> bool:
    """True while a list of this window is being read."""
    return any(not run.wait(timeout_s=0) for _, run in _runs().values())


def stop_reading() -> None:
    """Stop reading and forget the results, because there is no list any more."""
    for _, run in _runs().values():
        run.stop()
    _runs().clear()


def _runs() -> dict[str, tuple[object, ReadingRun[Any]]]:
    """The background runs of this window by name, each with the stamp it was started for."""
    runs: dict[str, tuple[object, ReadingRun[Any]]] = st.session_state.setdefault(_RUNS, {})
    return runs


@st.fragment(run_every=REDRAW_READING_EVERY_S)
def _follow(run: ReadingRun[Any], words: str) -> None:
    """Show the progress, and redraw the whole screen when the reading has ended."""
    if run.wait(timeout_s=0):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_reading"):
        st.progress(run.share, text=words)
        st.button("Cancel reading", key="cancel_reading", icon=":material/cancel:", on_click=run.stop)
