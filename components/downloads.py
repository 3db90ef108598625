"""Buttons for downloads and for tickets.

A ticket shows requests to the service and its answers.
"""

from collections.abc import Callable, Iterable

import streamlit as st

from components import draw
from components.markdown_escape import escaped
from components.notices import show_error
from components.session import in_this_window
from item_visibility.errors import ItemVisibilityError
from item_visibility.use_cases.ticket import Ticket

File = tuple[str, str, Callable[[], bytes]]
"""The label of the button, the file name, and the function that makes the content."""


def offer_download(
    label: str, file_name: str, make: Callable[[], bytes], *, key: str
) -> None:
    """Draw a button that downloads a file."""
    st.download_button(
        escaped(label),
        in_this_window(make),
        file_name=file_name,
        key=key,
        icon=":material/download:",
        on_click="ignore",
    )


def offer_downloads(files: Iterable[File], *, key: str, caption: str = "") -> None:
    """Draw a menu of files to download."""
    with st.popover("Download", icon=":material/download:", key=f"{key}_downloads"):
        for number, (label, file_name, make) in enumerate(files):
            offer_download(label, file_name, make, key=f"{key}_download_{number}")
        if caption:
            draw.caption("{}", caption)


@st.fragment
def offer_ticket(make: Callable[[], Ticket], *, key: str) -> None:
    """Draw a popover with the ticket, which is made when the popover is opened."""
    icon = ":material/content_copy:"
    popover = st.popover(
        "Copy for ticket", key=f"ticket_{key}", icon=icon, on_change="rerun"
    )
    if popover.open:
        with popover:
            show_ticket(make, key=key)


def show_ticket(
    make: Callable[[], Ticket], *, key: str, is_curl_alone: bool = False
) -> None:
    """Draw the ticket as text, cURL and JSON, or as cURL only."""
    try:
        ticket = make()
    except ItemVisibilityError as error:
        show_error("The ticket could not be made.", error, key=f"ticket_error_{key}")
        return
    if not is_curl_alone:
        st.code(ticket.text, language=None, wrap_lines=True)
    if ticket.curl:
        draw.caption("The requests as cURL; `$TOKEN` is an access token")
        st.code(ticket.curl, language=None, wrap_lines=True)
    if not is_curl_alone:
        offer_download(
            "Download JSON",
            "ticket.json",
            lambda: ticket.json,
            key=f"ticket_json_{key}",
        )
