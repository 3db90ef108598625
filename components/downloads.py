"""Files to download: one button, or the one menu of a page. A file is made when somebody clicks."""

from collections.abc import Callable, Iterable

import streamlit as st

from components.verbatim import plain

File = tuple[str, str, Callable[[], bytes]]
"""The words, the file name, and what makes the content."""


def offer_download(  # noqa: PLR0913  (each is named where it is called)
    words: str,
    file_name: str,
    make: Callable[[], bytes],
    *,
    key: str,
    is_off: bool = False,
    help: str | None = None,  # noqa: A002  (as Streamlit calls it)
) -> None:
    """Draw the button of one file."""
    st.download_button(
        plain(words),
        make,
        file_name=file_name,
        key=key,
        icon=":material/download:",
        on_click="ignore",
        disabled=is_off,
        help=help,
    )


def offer_downloads(files: Iterable[File], *, key: str, caption: str = "") -> None:
    """Draw the menu of several files."""
    with st.popover("Download", icon=":material/download:", key=f"{key}_downloads"):
        for number, (words, file_name, make) in enumerate(files):
            st.download_button(
                plain(words), make, file_name=file_name, key=f"{key}_download_{number}", on_click="ignore"
            )
        if caption:
            st.caption(plain(caption))
