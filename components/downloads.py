"""Files to download: one button, or the one menu of a page; and what was asked and answered, as a ticket.

A file or ticket is made when somebody clicks.
"""

from collections.abc import Callable, Iterable

import streamlit as st

from components.notices import show_error
from components.verbatim import plain
from item_visibility.errors import ItemVisibilityError
from item_visibility.use_cases.ticket import Ticket

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


@st.fragment
def offer_ticket(make: Callable[[], Ticket], *, key: str) -> None:
    """Draw the popover with the ticket as text, as cURL and as JSON. The rest of the page does not rerun."""
    popover = st.popover(
        "Copy for ticket",
        key=f"ticket_{key}",
        icon=":material/content_copy:",
        on_change="rerun",
    )
    if popover.open:
        with popover:
            show_ticket(make, key=key)


def show_ticket(make: Callable[[], Ticket], *, key: str, is_curl_alone: bool = False) -> None:
    """Draw the ticket itself, or only its requests as cURL, for a place that is opened already."""
    try:
        ticket = make()
    except ItemVisibilityError as error:
        show_error("The ticket could not be made.", error, key=f"ticket_error_{key}")
        return
    if not is_curl_alone:
        st.code(ticket.text, language=None, wrap_lines=True)
    if ticket.curl:
        st.caption("The requests as cURL; `$TOKEN` is an access token")
        st.code(ticket.curl, language=None, wrap_lines=True)
    if not is_curl_alone:
        offer_download("Download JSON", "ticket.json", lambda: ticket.json, key=f"ticket_json_{key}")
