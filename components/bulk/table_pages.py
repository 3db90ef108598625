"""A long list a page at a time: each page begins after the last row of the one before."""

from typing import TypeVar

import streamlit as st

_PAGES = "bulk_pages."

Place = TypeVar("Place", int, tuple[int, str])


def page_of(name: str, *, start: Place) -> Place:
    """After which row the page begins that this window looks at, in the list of this name."""
    kept: list[Place] = st.session_state.get(_PAGES + name, [])
    return kept[-1] if kept else start


def show_ways(name: str, *, following: Place | None, key: str) -> None:
    """Draw the ways to the page before and to the next one, where there are others."""
    kept: list[Place] = st.session_state.get(_PAGES + name, [])
    if not kept and following is None:
        return
    with st.container(horizontal=True, key=f"{key}_ways"):
        st.button(
            "Previous",
            key=f"{key}_previous",
            icon=":material/chevron_left:",
            disabled=not kept,
            on_click=_turn,
            args=(name, kept[:-1]),
        )
        st.button(
            "Next",
            key=f"{key}_next",
            icon=":material/chevron_right:",
            disabled=following is None,
            on_click=_turn,
            args=(name, [*kept, following]),
        )


def _turn(name: str, pages: list[Place | None]) -> None:
    st.session_state[_PAGES + name] = pages
