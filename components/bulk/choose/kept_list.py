"""The list of this window: what was decided about it, from its reading to its preview."""

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from item_visibility.desk.bulk.lists import HiddenCells
from item_visibility.intake.bulk_list import Decisions
from item_visibility.intake.layout import Layout

_LIST = "kept_list.list"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptList:
    """The decisions about one list. `stamp` says which upload or paste it is, and how it was read.

    `decisions` are those in the `layout`, which is None until the columns were drawn. `is_seen` once its
    preview began by itself, `is_applied` until the person asks to see it again.
    `understood` is what it asked for when it was last shown.
    """

    stamp: str
    hidden: HiddenCells | None = None
    skips_aside: bool = False
    layout: Layout | None = None
    decisions: Decisions = field(default_factory=Decisions)
    is_seen: bool = False
    is_applied: bool = False
    understood: object = None


def kept_list(stamp: str) -> KeptList:
    """Return what was decided about this list: nothing yet when the window had another one."""
    kept: KeptList | None = st.session_state.get(_LIST)
    return kept if kept is not None and kept.stamp == stamp else KeptList(stamp=stamp)


def change_list(stamp: str, **changes: Any) -> None:  # noqa: ANN401  (the fields of a KeptList)
    """Keep a decision about this list."""
    st.session_state[_LIST] = replace(kept_list(stamp), **changes)


def show_list_again() -> None:
    """Let the person look again at a list that was applied."""
    kept: KeptList | None = st.session_state.get(_LIST)
    if kept is not None:
        st.session_state[_LIST] = replace(kept, is_applied=False)


def read_list_again(stamp: str, hidden: HiddenCells | None) -> None:
    """Keep this decision about hidden cells, and no other: the list is read again."""
    st.session_state[_LIST] = KeptList(stamp=stamp, hidden=hidden)
