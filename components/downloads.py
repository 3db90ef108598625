"""The one menu of downloads on a page."""

from collections.abc import Callable, Iterable

import streamlit as st

from components.verbatim import plain

File = tuple[str, str, Callable[[], bytes]]
"""The words, the file name, and what makes the content when somebody downloads it."""


def offer_downloads(files: Iterable[File], *, key: str, caption: str = "") -> None:
    """Draw the menu. Each file is made on the click."""
    with st.popover("Download", icon=":material/download:", key=f"{key}_downloads"):
        for number, (words, file_name, make) in enumerate(files):
            st.download_button(
                plain(words), make, file_name=file_name, key=f"{key}_download_{number}", on_click="ignore"
            )
        if caption:
            st.caption(plain(caption))
