"""What the bulk page shows: the list of this window with the decisions about it, and the opened job.

The key of the job is in the address, so that a link opens it again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from components.address import unread_visit
from components.notices import error_shown
from item_visibility.lists.bulk_list import Decisions
from item_visibility.lists.table import Watch
from item_visibility.saving.job import Job
from item_visibility.use_cases.bulk_lists import HiddenCells
from item_visibility.use_cases.desk import Desk

_JOB = "job"
_OPENED = "bulk_state.opened"
_LIST = "bulk_state.list"
_RESULTS = "bulk_state.results"
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """The decisions about one list. `stamp` says which upload or paste it is.

    `sheets` are the names to choose the sheet from. `has_heading` is what the user said of the first row,
    None when nothing. The preview starts once all is decided while `awaits_preview`: for a file from the
    start, for other lists after a press of Preview.
    """

    stamp: str
    sheets: tuple[str, ...] = ()
    hidden: HiddenCells | None = None
    has_heading: bool | None = None
    decisions: Decisions = field(default_factory=Decisions)
    is_file: bool = False
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
    """Take back the decisions about ids and columns. The preview of a file then starts again by itself."""
    close_job()
    state = list_state(stamp)
    awaits = state.is_file or state.awaits_preview
    change_list(stamp, **{"decisions": Decisions(), "awaits_preview": awaits, **changes})


def read_once(name: str, key: object, read: Callable[[Watch], _Read], *, words: str) -> _Read:
    """Return the result of `read`, which is kept until it is asked for with another key.

    Draw the progress meanwhile. A rerun of the script ends the reading. Raises what `read` raises.
    """
    results: dict[str, tuple[object, Any]] = st.session_state.setdefault(_RESULTS, {})
    if name not in results or results[name][0] != key:
        results.pop(name, None)
        place = st.empty()
        bar = place.progress(0.0, text=words)

        def show(share: float) -> None:
            bar.progress(share, text=words)

        try:
            results[name] = key, read(show)
        finally:
            place.empty()
    result: _Read = results[name][1]
    return result


def find_opened_job(desk: Desk) -> Job | None:
    """Return the opened job. Say so when it is not known or cannot be read."""
    visit = unread_visit(_JOB)
    if visit is not None:
        st.session_state[_OPENED] = visit.first(_JOB)
    key: str = st.session_state.get(_OPENED, "")
    if st.query_params.get(_JOB, "") != key:
        open_job(key)
    if not key:
        return None
    job = None
    headline = "The job could not be read. Nothing was changed by looking at it."
    with error_shown(headline, key="bulk_job_error"):
        job = desk.bulk.store.job(key)
        if job is None:
            words = "The link names a job that is not known here. Nothing was changed."
            st.warning(words, icon=":material/link_off:")
            st.button("Leave it", key="leave_job", on_click=close_job)
    return job


def open_job(key: str) -> None:
    """Open this job, and put it into the address."""
    st.session_state[_OPENED] = key
    address = st.query_params.to_dict() | {_JOB: key}
    st.query_params.from_dict({name: value for name, value in address.items() if value})


def close_job() -> None:
    """Show the form and the list of jobs instead of a job."""
    open_job("")
