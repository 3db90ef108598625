"""Adds what Streamlit's own table and buttons lack for a finger, a tired hand and a screen reader.

A click anywhere in a tick's cell ticks it. Streamlit 1.67 toggles on the box alone, 16 pixels of a cell of
92, and has no setting for it. So a press in the cell reaches the table as one on the box of the same row: the
position of the browser's event is moved. The column of ticks is pinned, so it stands at the left and has a
fixed width, unless somebody moved or resized columns. Then the box alone ticks, as in any other table.
"""

from pathlib import Path

import streamlit as st

TICK_PX = 92
"""The width of the column of ticks."""

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "recipients_touch",
    css=(_HERE / "touch.css").read_text("utf-8"),
    js=(_HERE / "touch.js").read_text("utf-8"),
    isolate_styles=False,
)


def ease_touch(*, row_px: int) -> None:
    """Let the whole cell tick in a table with rows of this height, and give fingers room."""
    _mount(key="recipients_touch", data={"tickPx": TICK_PX, "rowPx": row_px}, height=1)
