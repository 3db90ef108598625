"""The card for an unforeseen error: a reference for the person, the details in the log."""

import logging
import secrets

import streamlit as st

from components.notices import show_error
from item_visibility.errors import RoleError, SignInError

_LOG = logging.getLogger(__name__)


def show_unexpected_error(error: Exception) -> bool:
    """Show a reference, log the details, and return True so that Streamlit shows nothing more.

    A press that the person may not make is no fault: it is told in its own words.
    """
    if isinstance(error, (SignInError, RoleError)):
        show_error("This was not done.", error)
        return True
    reference = secrets.token_hex(4)
    _LOG.error("reference %s: a screen could not be drawn", reference, exc_info=error)
    st.error(
        "This screen could not be shown. What was saved before stays saved. Load the page again. If it "
        "happens again, send this reference to your support:",
        title="Something went wrong",
        icon=":material/error:",
    )
    st.code(reference, language=None)
    return True
