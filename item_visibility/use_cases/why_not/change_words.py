"""The last change of a pair in one line: what, by whom, when, why, and how it ended."""

from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import PairStep
from item_visibility.use_cases.why_not.telling import VERDICTS, When, between, joined

HOW = {ChangeKind.BULK: " in a bulk job"}


def change_in_words(step: PairStep, *, when: When) -> str:
    """Return the last change of a pair: what, by whom, when, why, and how it ended."""
    verb = "Added" if step.goal is Goal.VISIBLE else "Removed"
    verdict = VERDICTS[step.verdict] if step.verdict else ""
    if step.kind is ChangeKind.OBSERVED:
        return joined(f"{verb} elsewhere", between(step.seen_before_at, step.started_at, when))
    how = " by Undo" if step.kind is ChangeKind.UNDO else HOW.get(step.kind, "")
    return joined(f"{verb} by {step.person}{how}", when(step.started_at), step.reason, verdict)
