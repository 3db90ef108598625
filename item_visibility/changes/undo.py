"""Undoing a save: exactly what it did, and nothing that somebody changed since."""

from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.changes.outcome import StepOutcome, StepResult
from item_visibility.changes.plan import Goal, is_met, recipients_of


@dataclass(frozen=True, slots=True)
class UndoChanges:
    """The changes that undo a save. `left_alone` are its recipients that were changed again since."""

    add: frozenset[str]
    remove: frozenset[str]
    left_alone: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to undo."""
        return not self.add and not self.remove


def undo_changes(steps: Iterable[StepResult], *, current: frozenset[str]) -> UndoChanges:
    """Return the changes that undo the save's own steps, given the current recipients.

    Steps that were already in place, refused, not sent or unknown are not undone.
    """
    done = [result.step for result in steps if result.outcome is StepOutcome.DONE]
    still_done = [step for step in done if is_met(step, current)]
    return UndoChanges(
        add=recipients_of(still_done, Goal.NOT_VISIBLE),
        remove=recipients_of(still_done, Goal.VISIBLE),
        left_alone=tuple(step.recipient_id for step in done if not is_met(step, current)),
    )
