"""What a save did: one line when all is verified, every recipient's outcome when not."""

import pandas as pd
import streamlit as st

from components.clock import time_of_day
from components.notices import show_problem
from components.saving import stage_undo
from components.verbatim import listed, plain, showable
from item_visibility.changes.outcome import OthersChanges, SaveResult, StepOutcome, Verdict
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


def summary_of(result: SaveResult) -> str:
    """What was added and removed, in words."""
    parts = [
        f"{len(done)} {word}" for done, word in ((result.added, "added"), (result.removed, "removed")) if done
    ]
    return ", ".join(parts)


def _show_headline(result: SaveResult) -> None:
    at = time_of_day(result.ended_at)
    done = summary_of(result)
    match result.verdict:
        case Verdict.VERIFIED:
            st.success(
                plain(f"{done or 'The list was already so'} · verified {at}"), icon=":material/check_circle:"
            )
        case Verdict.NOT_CONFIRMED:
            st.warning(
                plain(
                    f"Not yet confirmed · {at}. The changes were sent, but the list does not show them yet. "
                )
                + "What is not confirmed stays staged.",
                icon=":material/hourglass:",
            )
        case Verdict.DIFFERS:
            st.error(
                plain(f"{f'{done}, not everything' if done else 'Nothing was changed'} · {at}. ")
                + "What is missing stays staged.",
                icon=":material/error:",
            )
        case Verdict.NOTHING_SENT:
            st.warning(plain(f"Nothing was changed · {at}"), icon=":material/info:")


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
