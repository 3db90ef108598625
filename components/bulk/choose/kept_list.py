"""The list of this window: what was decided about it, from its reading to its preview."""

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from components.bulk.steps import leave_job
from item_visibility.lists.bulk_list import Decisions
from item_visibility.lists.layout import Layout
from item_visibility.use_cases.bulk.lists import HiddenCells

_LIST = "kept_list.list"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptList:
    """The decisions about one list. `stamp` says which upload or paste it is, and how it was read.

    `has_heading` is what the person said of the first row, None when nothing.
    `decisions` are those in the `layout`, which is None until the columns were drawn. `is_seen` once its
    preview began by itself.
    """

    stamp: str
    hidden: HiddenCells | None = None
    has_heading: bool | None = None
    skips_aside: bool = False
    layout: Layout | None = None
    decisions: Decisions = field(default_factory=Decisions)
    is_seen: bool = False


def kept_list(stamp: str) -> KeptList:
    """Return what was decided about this list: nothing yet when the window had another one."""
    kept: KeptList | None = st.session_state.get(_LIST)
    return kept if kept is not None and kept.stamp == stamp else KeptList(stamp=stamp)


def change_list(stamp: str, **changes: Any) -> None:  # noqa: ANN401  (the fields of a KeptList)
    """Keep a decision about this list."""
    st.session_state[_LIST] = replace(kept_list(stamp), **changes)


def read_list_again(stamp: str, **changes: Any) -> None:  # noqa: ANN401  (the fields of a KeptList)
    """Keep how the list is to be read, with these changes, and no other decision about it."""
    leave_job()
    kept = kept_list(stamp)
    as_now = KeptList(stamp=stamp, hidden=kept.hidden, has_heading=kept.has_heading)
    st.session_state[_LIST] = replace(as_now, **changes)
