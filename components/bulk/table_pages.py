"""Pages of a long list: each page begins after the last row of the page before."""

from typing import TypeVar

import streamlit as st

_PAGES = "table_pages."

Cursor = TypeVar("Cursor", int, tuple[int, str])


def page_of(name: str, *, start: Cursor) -> Cursor:
    """Return the row after which this window's page of the named list begins."""
    kept: list[Cursor] = st.session_state.get(_PAGES + name, [])
    return kept[-1] if kept else start


def show_ways(name: str, *, following: Cursor | None, key: str) -> None:
    """Draw the buttons for the previous and the next page, where they exist."""
    kept: list[Cursor] = st.session_state.get(_PAGES + name, [])
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


def _turn(name: str, pages: list[Cursor | None]) -> None:
    st.session_state[_PAGES + name] = pages
