"""The words for a failed call: what happened, whether anything was changed, what to do next. Note N7."""

from dataclasses import dataclass

from item_visibility import errors
from item_visibility.api.answers import Failure
from item_visibility.api.operations import Operation
from item_visibility.api.requests import Request
from item_visibility.api.statuses import ADVICE

_PERHAPS_ELSEWHERE = "Check the ids, and whether the address leads to the service."
_READ_AGAIN = "Read the list again before you repeat it."
_CHECK_NETWORK = "Check the network, and try again in a minute."
_TRY_AGAIN = "Nothing was changed. Try again in a minute."


@dataclass(frozen=True, slots=True)
class Attempts:
    """The number of requests in a call. `may_be_applied` is True when one of them may have been applied."""

    count: int = 0
    may_be_applied: bool = False

    def and_one(self, *, may_be_applied: bool) -> "Attempts":
        """Return these attempts and one more."""
        return Attempts(self.count + 1, self.may_be_applied or may_be_applied)


def call_error(request: Request, failure: Failure, attempts: Attempts) -> errors.CallError:
    """Return the error that ends a call: its last failure, judged with the earlier attempts.

    A last attempt that was not sent says nothing about an earlier one that may have been applied. The
    outcome of the call is then unknown.
    """
    error = failure.error
    if attempts.may_be_applied and error is errors.NotSentError:
        error = errors.UnknownOutcomeError
    return _build(error, request, f"{failure.fact}.", attempts, failure)


def token_lost_error(request: Request, reason: errors.TokenError, attempts: Attempts) -> errors.CallError:
    """Return the error for a call that lost its token after it may have been applied."""
    return _build(errors.UnknownOutcomeError, request, reason.message, attempts, None)


def _build(
    error: type[errors.CallError],
    request: Request,
    fact: str,
    attempts: Attempts,
    failure: Failure | None,
) -> errors.CallError:
    operation = request.operation
    is_refusal = issubclass(error, errors.RefusedError | errors.NotSentError)
    is_known = is_refusal and not attempts.may_be_applied
    return error(
        f"{_what_happened(operation, is_known=is_known)}: {fact}",
        advice=_advice(error, failure, is_read=operation.is_read, may_be_applied=attempts.may_be_applied),
        operation=operation.name,
        problem=failure.problem if failure else None,
        attempts=attempts.count,
        was_ambiguous=attempts.may_be_applied,
    )


def _what_happened(operation: Operation, *, is_known: bool) -> str:
    if operation.is_read:
        return f"The {operation.thing} could not be {operation.done}"
    if is_known:
        return f"The {operation.thing} was not {operation.done}"
    return f"It is not known whether the {operation.thing} was {operation.done}"


def _advice(
    error: type[errors.CallError], failure: Failure | None, *, is_read: bool, may_be_applied: bool
) -> str:
    problem = failure.problem if failure else None
    if error is errors.NotFoundError and not may_be_applied and not (problem and problem.has_words):
        return _PERHAPS_ELSEWHERE  # nobody knows who answered
    if error is errors.NotSentError:
        # For a write the message says it: other changes of the same save may be made.
        return f"Nothing was changed. {_CHECK_NETWORK}" if is_read else _CHECK_NETWORK
    if error in ADVICE and (is_read or not may_be_applied):
        return ADVICE[error]
    return _TRY_AGAIN if is_read else _READ_AGAIN
