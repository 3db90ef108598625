"""The outcome of one step, from the errors of its calls and the list as read after the last one.

The error of an accepted call is None. Once a call was accepted or its outcome unknown, the step stays so,
whatever a later call returns. Spec: "Errors"; Notes N5, N7.
"""

from collections.abc import Callable, Sequence
from typing import ParamSpec

from item_visibility.client.answers import meaning_of
from item_visibility.errors import (
    CallError,
    IdentifierError,
    ItemVisibilityError,
    NotFoundError,
    NotSentError,
    RefusedError,
    TokenError,
)
from item_visibility.saving.outcome import Outcome, StepResult
from item_visibility.saving.plan import ChangeStep, Goal, is_met

P = ParamSpec("P")
CallErrors = Sequence[ItemVisibilityError | None]

NOT_SHOWN = "The service accepted this change, but does not show it."


def try_call(call: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> ItemVisibilityError | None:
    """Make one call. Return its error, or None when it was accepted."""
    try:
        call(*args, **kwargs)
    except (IdentifierError, TokenError, CallError) as error:
        return error.with_traceback(None)
    return None


def result_of(error: ItemVisibilityError | None) -> Outcome:
    """Return how a call with this error ended, as known before any read."""
    match error:
        case None:
            return Outcome.DONE
        case CallError(was_ambiguous=True):  # an earlier attempt of the same call may have been applied
            return Outcome.UNKNOWN
        case TokenError() | NotSentError():
            return Outcome.NOT_SENT
        case IdentifierError() | RefusedError():
            return Outcome.REFUSED
    return Outcome.UNKNOWN


def stops_others(error: ItemVisibilityError | None) -> bool:
    """True when more calls would do no better now."""
    if isinstance(error, RefusedError) and error.problem is not None:
        return meaning_of(error.problem.status).stops_others
    return isinstance(error, TokenError | NotSentError)


def in_words(error: ItemVisibilityError) -> str:
    """Return the error's message, and what the service itself said when it refused the call."""
    if not isinstance(error, RefusedError):
        return error.message
    words = str(error)
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def may_be_sent(errors: CallErrors) -> bool:
    """True until the service accepts or refuses the step; an accepted step is never sent again."""
    may_succeed_later = {Outcome.NOT_SENT, Outcome.UNKNOWN}
    return not errors or result_of(errors[-1]) in may_succeed_later


def is_final(step: ChangeStep, errors: CallErrors, seen: frozenset[str]) -> bool:
    """True when no later read or call will change the outcome."""
    is_refused = not may_be_sent(errors) and None not in errors
    return is_met(step, seen) or (is_refused and not _found_nothing_to_remove(step, errors))


def step_result(step: ChangeStep, errors: CallErrors, after: frozenset[str] | None) -> StepResult:
    """Return the outcome, given the list as read after the last call (None: no such read)."""
    outcome = _outcome(step, errors, after)
    attempts = sum(result_of(error) is not Outcome.NOT_SENT for error in errors)
    if not errors or outcome in (Outcome.DONE, Outcome.IN_PLACE):
        return StepResult(step, outcome, attempts)
    error = errors[-1]
    problem = error.problem if isinstance(error, CallError) else None
    message = NOT_SHOWN if error is None or None in errors else error.message
    return StepResult(step, outcome, attempts, problem, message)


def _outcome(step: ChangeStep, errors: CallErrors, after: frozenset[str] | None) -> Outcome:
    was_accepted = None in errors
    is_perhaps_ours = was_accepted or any(result_of(error) is Outcome.UNKNOWN for error in errors)
    if after is not None and is_met(step, after):
        return Outcome.DONE if is_perhaps_ours else Outcome.IN_PLACE
    if was_accepted and after is None:
        return Outcome.DONE
    if is_perhaps_ours or (after is None and _found_nothing_to_remove(step, errors)):
        return Outcome.UNKNOWN
    return Outcome.NOT_SENT if may_be_sent(errors) else Outcome.REFUSED


def _found_nothing_to_remove(step: ChangeStep, errors: CallErrors) -> bool:
    """True after 404 on a removal, which only a read can explain. Note N5."""
    if step.goal is Goal.VISIBLE or not errors:
        return False
    return isinstance(errors[-1], NotFoundError) and not errors[-1].was_ambiguous
