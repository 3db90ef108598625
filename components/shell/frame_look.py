"""The look of all screens beyond the theme: sizes on a telephone, one right role, presses that hold still."""

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
_mount_look = st.components.v2.component(
    "frame_look",
    css=(_HERE / "frame.css").read_text("utf-8"),
    js=(_HERE / "frame.js").read_text("utf-8"),
    isolate_styles=False,
)


def dress_screen() -> None:
    """Apply the styles to the whole screen."""
    _mount_look(key="frame_look", height=1)
