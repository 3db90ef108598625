"""The popover "Copy for ticket": what was asked and answered, as text, as cURL and as JSON."""

from collections.abc import Callable

import streamlit as st

from components.downloads import offer_download
from components.notices import show_error
from item_visibility.errors import ItemVisibilityError
from item_visibility.use_cases.ticket import Ticket


@st.fragment
def offer_ticket(make: Callable[[], Ticket], *, key: str) -> None:
    """Draw the popover. The ticket is made when it is opened, and the rest of the page does not rerun."""
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
