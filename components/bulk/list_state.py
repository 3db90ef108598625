"""The list of this window: the decisions about it, and what was read of it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from components.bulk.opened_job import close_job
from item_visibility.lists.bulk_list import Decisions
from item_visibility.lists.table import Watch
from item_visibility.use_cases.bulk_lists import HiddenCells

_LIST = "list_state.list"
_RESULTS = "list_state.results"
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
