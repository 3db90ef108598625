"""What a save did: one line when all is verified, every recipient's outcome when not."""

import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.notices import show_problem
from components.saving import stage_undo
from components.verbatim import listed, plain, showable
from item_visibility.changes.claim import Claim, claim_of, claim_words
from item_visibility.changes.outcome import OthersChanges, SaveResult, StepOutcome
from item_visibility.changes.plan import Goal
from item_visibility.changes.worker import SaveStatus
from item_visibility.desk import Desk

_WORDS = {
    StepOutcome.DONE: "Done",
    StepOutcome.ALREADY_SO: "Already so",
    StepOutcome.REFUSED: "Refused",
    StepOutcome.NOT_SENT: "Not sent",
    StepOutcome.UNKNOWN: "Unknown",
}


def show_outcome(desk: Desk, status: SaveStatus, *, is_editable: bool) -> None:
    """Draw the outcome of the item's latest save, with Undo where it changed something."""
    result = status.result
    if result is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="outcome"):
        _show_headline(result)
        if is_editable and (result.added or result.removed):
            st.button("Undo", key="undo", icon=":material/undo:", on_click=stage_undo, args=(desk, status))
    for words in filter(None, (result.message, result.advice)):
        st.text(words)
    if not result.is_saved:
        _show_steps(result)
    _show_others(result.others)


def _show_headline(result: SaveResult) -> None:
    at = time_of_day(result.ended_at)
    words = claim_words(result)
    match claim_of(result):
        case Claim.VERIFIED:
            st.success(plain(f"{words} · verified {at}"), icon=":material/check_circle:")
        case Claim.NOT_KNOWN:
            st.warning(
                plain(f"{words} · {at}. ") + "What is not confirmed stays staged.",
                icon=":material/hourglass:",
            )
        case Claim.PARTLY:
            st.error(plain(f"{words} · {at}. ") + "What is missing stays staged.", icon=":material/error:")
        case Claim.NOTHING_CHANGED if result.steps:
            st.error(plain(f"{words} · {at}. ") + "What is missing stays staged.", icon=":material/error:")
        case Claim.NOTHING_CHANGED:
            st.warning(plain(f"{words} · {at}"), icon=":material/info:")


def _show_steps(result: SaveResult) -> None:
    rows = [
        (
            showable(step.step.recipient_id),
            "Add" if step.step.goal is Goal.VISIBLE else "Remove",
            _WORDS[step.outcome],
            step.message,
        )
        for step in result.steps
    ]
    if rows:
        st.dataframe(
            pd.DataFrame(rows, columns=["Recipient", "Change", "Outcome", "Why"], dtype=str),
            key="outcome_table",
            hide_index=True,
            alt="How the change ended for each recipient",
        )
    problem = next((step.problem for step in result.steps if step.problem is not None), None)
    show_problem(problem)


def _show_others(others: OthersChanges) -> None:
    if others.is_empty:
        return
    st.info(
        "Somebody else changed this item after you opened it. Their changes were kept."
        + _listed("  \nAdded by somebody else:", others.added)
        + _listed("  \nRemoved by somebody else:", others.removed),
        icon=":material/group:",
    )


def _listed(words: str, recipients: frozenset[str]) -> str:
    return f"{words} {listed(recipients)}" if recipients else ""
