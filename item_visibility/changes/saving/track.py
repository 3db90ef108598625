"""The known facts of each step while a save runs, and its final outcome."""

from dataclasses import dataclass

from item_visibility.changes.outcome import StepOutcome, StepResult
from item_visibility.changes.plan import ChangeStep, Goal, is_met
from item_visibility.changes.saving.write_result import WriteResult, WriteStatus

NOT_SHOWN = "The service accepted this change, but does not show it."
_APPLIED_LATER = frozenset({WriteStatus.NOT_SENT, WriteStatus.UNKNOWN})


@dataclass(slots=True)
class StepTrack:
    """One step's answers so far. Once accepted or unknown, it stays so, whatever is answered later."""

    step: ChangeStep
    calls: int = 0
    is_accepted: bool = False
    is_unknown: bool = False
    last: WriteResult | None = None

    def note(self, result: WriteResult) -> None:
        """Add the result of one write."""
        self.last = result
        self.calls += result.status is not WriteStatus.NOT_SENT
        self.is_accepted |= result.status is WriteStatus.ACCEPTED
        self.is_unknown |= result.status is WriteStatus.UNKNOWN

    def refuse(self, result: WriteResult) -> None:
        """Mark the step as refused: a read showed that the service did not apply it."""
        self.last = result
        self.is_accepted = self.is_unknown = False

    @property
    def may_be_sent(self) -> bool:
        """True until the service accepts or refuses the step; an accepted step is never sent again."""
        return not self.is_accepted and (self.last is None or self.last.status in _APPLIED_LATER)

    def is_final(self, seen: frozenset[str]) -> bool:
        """True when no later read or write will change the outcome."""
        return is_met(self.step, seen) or self._is_refused()

    def result(self, after: frozenset[str] | None) -> StepResult:
        """Return the outcome, given the list as read after the last write (None: no such read)."""
        outcome = self._outcome(after)
        is_so = outcome in (StepOutcome.DONE, StepOutcome.IN_PLACE)
        if is_so or self.last is None:
            return StepResult(self.step, outcome, self.calls)
        message = NOT_SHOWN if self.is_accepted else self.last.message
        return StepResult(self.step, outcome, self.calls, self.last.problem, message)

    def _outcome(self, after: frozenset[str] | None) -> StepOutcome:
        if after is not None and is_met(self.step, after):
            return StepOutcome.DONE if self._was_applied_perhaps() else StepOutcome.IN_PLACE
        if self.is_accepted and after is None:
            return StepOutcome.DONE
        if self._was_applied_perhaps() or (self._found_nothing_to_remove() and after is None):
            return StepOutcome.UNKNOWN
        if self.may_be_sent:
            return StepOutcome.NOT_SENT
        return StepOutcome.REFUSED

    def _was_applied_perhaps(self) -> bool:
        return self.is_accepted or self.is_unknown

    def _is_refused(self) -> bool:
        return not self.may_be_sent and not self.is_accepted and not self._found_nothing_to_remove()

    def _found_nothing_to_remove(self) -> bool:
        """True after 404 on a removal, which only a read can explain. Note N5."""
        is_removal = self.step.goal is Goal.NOT_VISIBLE
        return is_removal and self.last is not None and self.last.status is WriteStatus.NOT_FOUND
