"""Messages on screen: errors, and notices that are kept for the next run.

A coloured alert contains only a headline of ours. The text of an error can contain ids
and the service's words, so it is shown below the alert, as plain text.
"""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from components import draw
from components.markdown_escape import escaped, showable
from components.session import desks
from item_visibility.errors import (
    CallError,
    ItemVisibilityError,
    OtherEnvironmentError,
    ProblemDetail,
    RoleError,
    SignInError,
)

_LOG = logging.getLogger(__name__)
_NOTICES = "notices.next"


@dataclass(frozen=True, slots=True)
class Notice:
    """A headline of ours, and lines of any text, which are shown as plain text."""

    headline: str
    lines: tuple[str, ...] = ()


def show_error(
    headline: str, error: ItemVisibilityError, *, key: str = "error_card"
) -> None:
    """Show the headline, the reason, and what to do next.

    The headline says whether anything was changed.
    """
    with st.container(border=True, key=key):
        draw.error("{}", headline, icon=":material/error:")
        st.text(error.message)
        st.text(error.advice)
        if isinstance(error, CallError):
            show_problem(error.problem)


@contextmanager
def error_shown(headline: str, *, key: str = "error_card") -> Iterator[None]:
    """Call `show_error` for an error that is raised inside this block."""
    try:
        yield
    except ItemVisibilityError as error:
        show_error(headline, error, key=key)


def show_problem(problem: ProblemDetail | None) -> None:
    """Show what the service itself said about an error, if anything.

    Spec: "ProblemDetail".
    """
    if problem is None:
        return

    with st.expander("What the service answered", icon=":material/description:"):
        st.text(f"HTTP status {problem.status}")
        for line in filter(None, (problem.title, problem.detail, problem.instance)):
            st.text(line)
        if problem.request_id:
            st.text(f"Request id {problem.request_id}")


def keep_notice(headline: str, lines: tuple[str, ...] = ()) -> None:
    """Store a message until `show_notices` draws it."""
    st.session_state.setdefault(_NOTICES, []).append(Notice(headline, lines))


@contextmanager
def error_as_notice(headline: str) -> Iterator[None]:
    """Call `keep_notice` for an error that is raised inside this block."""
    try:
        yield
    except ItemVisibilityError as error:
        keep_notice(headline, (error.message, error.advice))


def step_button(  # noqa: PLR0913  # the parts of a button
    label: str,
    step: Callable[..., object],
    *args: object,
    key: str,
    icon: str,
    failed: str = "Nothing was changed.",
    is_primary: bool = False,
    is_off: bool = False,
    help: str | None = None,  # noqa: A002  # as Streamlit calls it
) -> None:
    """Draw a button that calls `step`.

    If `step` fails, show a notice with the headline `failed`.
    """
    st.button(
        escaped(label),
        key=key,
        icon=f":material/{icon}:",
        type="primary" if is_primary else "secondary",
        disabled=is_off,
        help=None if help is None else escaped(help),
        on_click=_take,
        args=(failed, step, *args),
    )


def _take(failed: str, step: Callable[..., object], *args: object) -> None:
    with error_as_notice(failed):
        step(*args)


def show_notices() -> None:
    """Draw the stored messages once."""
    for notice in st.session_state.pop(_NOTICES, []):
        show_notice(notice)


def show_notice(notice: Notice) -> None:
    """Draw one message."""
    draw.info("{}", notice.headline, icon=":material/info:")
    for line in notice.lines:
        st.text(showable(line))


def show_unexpected_error(error: Exception) -> bool:
    """Show a reference number and log the details.

    Return True, so that Streamlit shows nothing more.
    """
    if isinstance(error, (SignInError, RoleError, OtherEnvironmentError)):
        show_error("This was not done.", error)
        return True

    desks.metrics.screen_errors.inc()
    reference = secrets.token_hex(4)
    _LOG.error("A screen could not be drawn, reference %s", reference, exc_info=error)
    draw.alert(
        "This screen could not be shown. Changes that you saved before are still "
        "saved. Load the page again. If it happens again, send this reference to your "
        "support team:",
        title="Something went wrong",
        kind="error",
        icon=":material/error:",
    )
    st.code(reference, language=None)
    return True
