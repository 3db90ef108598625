"""The outcome of a save: one line when all is verified, else the outcome of each recipient."""

import streamlit as st

from components.clock import time_of_day
from components.history.entry_labels import GOALS
from components.notices import show_problem
from components.saving.press import is_as_left, stage_undo
from components.shell.browser_cookie import this_browser
from components.text_table import show_table
from components.verbatim import listed_after, plain
from item_visibility.changes.claim import Claim, claim_of, claim_words
from item_visibility.changes.draft import Draft
from item_visibility.changes.outcome import OthersChanges, SaveResult, Verdict
from item_visibility.changes.saving.save_worker import SaveStatus
from item_visibility.desk.use_cases import Desk


def show_outcome(desk: Desk, status: SaveStatus, draft: Draft, *, is_editable: bool) -> None:
    """Draw the outcome of the item's latest save while it still describes the item.

    Offer undo where the save changed something and nothing else is staged.
    """
    result, whose = status.result, status.request.owner
    if result is None or (result.verdict is Verdict.NOTHING_SENT and whose != this_browser()):
        return
    if not result.has_left(draft.recipients):
        _show_as_past(result, draft)
    elif result.is_saved and not draft.is_empty and not is_as_left(draft, status):
        _offer_no_undo(result)
    else:
        _show_outcome(desk, status, result, is_undoable=is_editable and draft.is_empty)


def _show_outcome(desk: Desk, status: SaveStatus, result: SaveResult, *, is_undoable: bool) -> None:
    where = _where(status.request.owner)
    with st.container(horizontal=True, vertical_alignment="center", key="outcome"):
        _show_headline(result, where)
        if is_undoable and (result.added or result.removed):
            st.button("Undo", key="undo", icon=":material/undo:", on_click=stage_undo, args=(desk, status))
    if not result.is_saved and status.request.owner and where:
        st.caption("Save was pressed in another browser.")
    for words in filter(None, (result.message, result.advice)):
        st.text(words)
    if not result.is_saved:
        _show_steps(result)
    if status.request.owner == this_browser():
        _show_others(result.others)


def _where(owner: str) -> str:
    """Return words for a save made in another browser or by an unknown one; empty for this browser."""
    if owner == this_browser():
        return ""
    return " · saved in another browser" if owner else " · the last save here"


def _show_as_past(result: SaveResult, draft: Draft) -> None:
    """Describe a save that is not the last change, or that the list on the screen does not show yet."""
    at = time_of_day(result.ended_at)
    done = _told(result)
    if result.ended_at <= draft.read_at:
        st.info(plain(f"Last save here {at}: {done}. The list has changed since."), icon=":material/history:")
    else:
        st.warning(
            plain(f"The last save here ended {at}, after the list below was read: {done}. ")
            + "Load the list again before you change anything.",
            icon=":material/update:",
        )


def _offer_no_undo(result: SaveResult) -> None:
    st.caption(
        plain(f"Last save here {time_of_day(result.ended_at)}: {_told(result)}.")
        + " To undo it, first save or discard what is staged."
    )


def _told(result: SaveResult) -> str:
    """Return in a few words what may be claimed of an earlier save."""
    is_verified = claim_of(result) is Claim.VERIFIED
    return f"{claim_words(result)} · verified then" if is_verified else claim_words(result)


def _show_headline(result: SaveResult, where: str) -> None:
    at = time_of_day(result.ended_at)
    words = claim_words(result)
    missing = "" if where else "What is missing stays staged."
    match claim_of(result):
        case Claim.VERIFIED:
            st.success(plain(f"{words} · verified {at}") + where, icon=":material/check_circle:")
        case Claim.NOT_KNOWN:
            stays = "" if where else "What is not confirmed stays staged."
            st.warning(plain(f"{words} · {at}. ") + stays, icon=":material/hourglass:")
        case Claim.PARTLY:
            st.error(plain(f"{words} · {at}. ") + missing, icon=":material/error:")
        case Claim.NOTHING_CHANGED if result.steps:
            st.error(plain(f"{words} · {at}. ") + missing, icon=":material/error:")
        case Claim.NOTHING_CHANGED:
            st.warning(plain(f"{words} · {at}"), icon=":material/info:")


def _show_steps(result: SaveResult) -> None:
    rows = [
        (
            step.step.recipient_id,
            GOALS[step.step.goal],
            step.outcome.capitalize(),
            step.message,
        )
        for step in result.steps
    ]
    if rows:
        show_table(
            rows,
            ["Recipient", "Change", "Outcome", "Why"],
            key="outcome_table",
            alt="How the change ended for each recipient",
        )
    problem = next((step.problem for step in result.steps if step.problem is not None), None)
    show_problem(problem)


def _show_others(others: OthersChanges) -> None:
    if others.is_empty:
        return
    st.info(
        "The list had changed since it was read here. Those changes were kept."
        + listed_after("  \nAdded meanwhile:", others.added)
        + listed_after("  \nRemoved meanwhile:", others.removed),
        icon=":material/history:",
    )
