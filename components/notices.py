"""Messages to a person: errors, and notices that outlive a rerun.

An alert holds only fixed words of ours. The text of an error can hold ids and the service's words, so it is
shown as plain text below.
"""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from components.session import desks
from components.verbatim import plain, showable
from item_visibility.errors import CallError, ItemVisibilityError, ProblemDetail, RoleError, SignInError

_LOG = logging.getLogger(__name__)
_NOTICES = "notices.next"


@dataclass(frozen=True, slots=True)
class Notice:
    """A headline of our own fixed words, and lines of text shown as they are."""

    headline: str
    lines: tuple[str, ...] = ()


def show_error(headline: str, error: ItemVisibilityError, *, key: str = "error_card") -> None:
    """Show what happened and whether anything changed (the headline), why, and what to do next.

    Cards that can be on one screen together need different keys.
    """
    with st.container(border=True, key=key):
        st.error(headline, icon=":material/error:")
        st.text(error.message)
        st.text(error.advice)
        if isinstance(error, CallError):
            show_problem(error.problem)


@contextmanager
def error_shown(headline: str, *, key: str = "error_card") -> Iterator[None]:
    """Show an error of this block in its place, as `show_error` does."""
    try:
        yield
    except ItemVisibilityError as error:
        show_error(headline, error, key=key)


def show_problem(problem: ProblemDetail | None) -> None:
    """Show the service's own words about an error, where it sent any. Spec: "ProblemDetail"."""
    if problem is None or not (problem.has_words or problem.request_id):
        return
    with st.expander("What the service answered", icon=":material/description:"):
        st.text(f"HTTP status {problem.status}")
        for words in filter(None, (problem.title, problem.detail, problem.instance)):
            st.text(words)
        if problem.request_id:
            st.text(f"Request id {problem.request_id}")


def keep_notice(notice: Notice) -> None:
    """Keep a message for the next run, because a rerun removes what is on the page."""
    st.session_state.setdefault(_NOTICES, []).append(notice)


@contextmanager
def error_as_notice(headline: str) -> Iterator[None]:
    """Show an error of this block in the next run, under the headline."""
    try:
        yield
    except ItemVisibilityError as error:
        keep_notice(Notice(headline, (error.message, error.advice)))


def step_button(  # noqa: PLR0913  (each is named where it is called)
    label: str,
    step: Callable[..., object],
    *args: object,
    key: str,
    icon: str,
    failed: str,
    is_primary: bool = False,
    is_off: bool = False,
    help: str | None = None,  # noqa: A002  (as Streamlit calls it)
) -> None:
    """Draw a button that takes this step. An error of the step is shown under the headline `failed`."""
    st.button(
        plain(label),
        key=key,
        icon=f":material/{icon}:",
        type="primary" if is_primary else "secondary",
        disabled=is_off,
        help=help,
        on_click=_take,
        args=(failed, step, *args),
    )


def _take(failed: str, step: Callable[..., object], *args: object) -> None:
    with error_as_notice(failed):
        step(*args)


def show_notices() -> None:
    """Draw the messages for this run, once."""
    for notice in st.session_state.pop(_NOTICES, []):
        show_notice(notice)


def show_notice(notice: Notice) -> None:
    """Draw a message."""
    st.info(notice.headline, icon=":material/info:")
    for line in notice.lines:
        st.text(showable(line))


def show_unexpected_error(error: Exception) -> bool:
    """Show a reference, log the details, and return True so that Streamlit shows nothing more.

    An action that the person's role does not allow is no fault: its own message is shown.
    """
    if isinstance(error, (SignInError, RoleError)):
        show_error("This was not done.", error)
        return True
    desks.metrics.screen_errors.inc()
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
