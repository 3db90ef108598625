"""The outcome of one step, from the results of its writes and the list as read after the last one.

Once a write was accepted or its outcome unknown, it stays so, whatever a later write gets.
"""

from collections.abc import Sequence

from item_visibility.changes.outcome import StepOutcome, StepResult
from item_visibility.changes.plan import ChangeStep, Goal, is_met
from item_visibility.changes.saving.write_result import WriteResult, WriteStatus

NOT_SHOWN = "The service accepted this change, but does not show it."
_MAY_SUCCEED_LATER = frozenset({WriteStatus.NOT_SENT, WriteStatus.UNKNOWN})


def may_be_sent(writes: Sequence[WriteResult]) -> bool:
    """True until the service accepts or refuses the step; an accepted step is never sent again."""
    return not _was_accepted(writes) and (not writes or writes[-1].status in _MAY_SUCCEED_LATER)


def is_final(step: ChangeStep, writes: Sequence[WriteResult], seen: frozenset[str]) -> bool:
    """True when no later read or write will change the outcome."""
    is_refused = not may_be_sent(writes) and not _was_accepted(writes)
    return is_met(step, seen) or (is_refused and not _found_nothing_to_remove(step, writes))


def step_result(step: ChangeStep, writes: Sequence[WriteResult], after: frozenset[str] | None) -> StepResult:
    """Return the outcome, given the list as read after the last write (None: no such read)."""
    outcome = _outcome(step, writes, after)
    attempts = sum(write.status is not WriteStatus.NOT_SENT for write in writes)
    if not writes or outcome in (StepOutcome.DONE, StepOutcome.IN_PLACE):
        return StepResult(step, outcome, attempts)
    message = NOT_SHOWN if _was_accepted(writes) else writes[-1].message
    return StepResult(step, outcome, attempts, writes[-1].problem, message)


def _outcome(step: ChangeStep, writes: Sequence[WriteResult], after: frozenset[str] | None) -> StepOutcome:
    was_accepted = _was_accepted(writes)
    is_perhaps_ours = was_accepted or any(write.status is WriteStatus.UNKNOWN for write in writes)
    if after is not None and is_met(step, after):
        return StepOutcome.DONE if is_perhaps_ours else StepOutcome.IN_PLACE
    if was_accepted and after is None:
        return StepOutcome.DONE
    if is_perhaps_ours or (after is None and _found_nothing_to_remove(step, writes)):
        return StepOutcome.UNKNOWN
    return StepOutcome.NOT_SENT if may_be_sent(writes) else StepOutcome.REFUSED


def _was_accepted(writes: Sequence[WriteResult]) -> bool:
    return any(write.status is WriteStatus.ACCEPTED for write in writes)


def _found_nothing_to_remove(step: ChangeStep, writes: Sequence[WriteResult]) -> bool:
    """True after 404 on a removal, which only a read can explain. Note N5."""
    is_removal = step.goal is Goal.NOT_VISIBLE
    return is_removal and bool(writes) and writes[-1].status is WriteStatus.NOT_FOUND
