"""The outcome of one step, from the errors of its writes and the list as read after the last one.

The error of an accepted write is None. Once a write was accepted or its outcome unknown, it stays so,
whatever a later write gets.
"""

from collections.abc import Sequence

from item_visibility.changes.outcome import StepOutcome, StepResult
from item_visibility.changes.plan import ChangeStep, Goal, is_met
from item_visibility.changes.saving.write_result import WriteResult, result_of
from item_visibility.errors import CallError, ItemVisibilityError

Writes = Sequence[ItemVisibilityError | None]
NOT_SHOWN = "The service accepted this change, but does not show it."
_MAY_SUCCEED_LATER = frozenset({WriteResult.NOT_SENT, WriteResult.UNKNOWN})


def may_be_sent(writes: Writes) -> bool:
    """True until the service accepts or refuses the step; an accepted step is never sent again."""
    return not _was_accepted(writes) and (not writes or result_of(writes[-1]) in _MAY_SUCCEED_LATER)


def is_final(step: ChangeStep, writes: Writes, seen: frozenset[str]) -> bool:
    """True when no later read or write will change the outcome."""
    is_refused = not may_be_sent(writes) and not _was_accepted(writes)
    return is_met(step, seen) or (is_refused and not _found_nothing_to_remove(step, writes))


def step_result(step: ChangeStep, writes: Writes, after: frozenset[str] | None) -> StepResult:
    """Return the outcome, given the list as read after the last write (None: no such read)."""
    outcome = _outcome(step, writes, after)
    attempts = sum(result_of(write) is not WriteResult.NOT_SENT for write in writes)
    if not writes or outcome in (StepOutcome.DONE, StepOutcome.IN_PLACE):
        return StepResult(step, outcome, attempts)
    error = writes[-1]
    problem = error.problem if isinstance(error, CallError) else None
    message = NOT_SHOWN if error is None or _was_accepted(writes) else error.message
    return StepResult(step, outcome, attempts, problem, message)


def _outcome(step: ChangeStep, writes: Writes, after: frozenset[str] | None) -> StepOutcome:
    was_accepted = _was_accepted(writes)
    is_perhaps_ours = was_accepted or any(result_of(write) is WriteResult.UNKNOWN for write in writes)
    if after is not None and is_met(step, after):
        return StepOutcome.DONE if is_perhaps_ours else StepOutcome.IN_PLACE
    if was_accepted and after is None:
        return StepOutcome.DONE
    if is_perhaps_ours or (after is None and _found_nothing_to_remove(step, writes)):
        return StepOutcome.UNKNOWN
    return StepOutcome.NOT_SENT if may_be_sent(writes) else StepOutcome.REFUSED


def _was_accepted(writes: Writes) -> bool:
    return None in writes


def _found_nothing_to_remove(step: ChangeStep, writes: Writes) -> bool:
    """True after 404 on a removal, which only a read can explain. Note N5."""
    is_removal = step.goal is Goal.NOT_VISIBLE
    return is_removal and bool(writes) and result_of(writes[-1]) is WriteResult.NOT_FOUND
