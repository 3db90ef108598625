"""The history's words for actions, people and outcomes."""

from datetime import datetime

from item_visibility.saving.outcome import Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind

KINDS = {
    ChangeKind.EDIT: "Change",
    ChangeKind.UNDO: "Undo",
    ChangeKind.OBSERVED: "Made elsewhere",
    ChangeKind.BULK: "Bulk job",
}
VERDICTS = {
    Verdict.VERIFIED: "Verified",
    Verdict.NOT_CONFIRMED: "Not confirmed",
    Verdict.DIFFERS: "Not everything",
    Verdict.NOTHING_SENT: "Nothing changed",
}
OPEN = "Not known yet"
GOALS = {Goal.VISIBLE: "Add", Goal.NOT_VISIBLE: "Remove"}


def ending(kind: ChangeKind, verdict: Verdict | None, ended_at: datetime | None) -> str:
    """Return the outcome in a word or two."""
    if kind is ChangeKind.OBSERVED:
        return "Seen by a read"
    return OPEN if verdict is None or ended_at is None else VERDICTS[verdict]
