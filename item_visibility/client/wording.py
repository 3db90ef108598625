"""The words for a failed call: what happened, whether anything was changed, what to do next. Note N7."""

from dataclasses import dataclass

from item_visibility import errors
from item_visibility.client.answers import Failure
from item_visibility.client.operations import Operation
from item_visibility.client.requests import Request
from item_visibility.client.statuses import NOT_KNOWN

_PERHAPS_ELSEWHERE = "Check the ids, and whether the address leads to the service."
_READ_AGAIN = "Read the list again before you repeat it."


@dataclass(frozen=True, slots=True)
class Attempts:
    """The number of requests in a call. `may_be_applied` is True when one of them may have been applied."""

    count: int = 0
    may_be_applied: bool = False

    def and_one(self, failure: Failure, operation: Operation) -> "Attempts":
        """Return these attempts and one more, which failed."""
        may_be_applied = failure.meaning.may_be_applied and not operation.is_read
        return Attempts(self.count + 1, self.may_be_applied or may_be_applied)


def call_error(request: Request, failure: Failure, attempts: Attempts) -> errors.CallError:
    """Return the error that ends a call: its last failure, judged with the earlier attempts.

    A last attempt that was not sent says nothing about an earlier one that may have been applied. The
    outcome of the call is then unknown.
    """
    error = failure.meaning.error
    if attempts.may_be_applied and error is errors.NotSentError:
        error = NOT_KNOWN.error
    return error(
        f"{_what_happened(request.operation, error, attempts)}: {failure.fact}.",
        advice=_READ_AGAIN if attempts.may_be_applied else _advice(request.operation, failure),
        operation=request.operation.name,
        problem=failure.problem,
        attempts=attempts.count,
        was_ambiguous=attempts.may_be_applied,
    )


def token_lost_error(request: Request, reason: errors.TokenError, attempts: Attempts) -> errors.CallError:
    """Return the error for a call that lost its token after it may have been applied."""
    return call_error(request, Failure(NOT_KNOWN, reason.message.removesuffix(".")), attempts)


def _what_happened(operation: Operation, error: type[errors.CallError], attempts: Attempts) -> str:
    if operation.is_read:
        return f"The {operation.thing} could not be {operation.done}"
    if issubclass(error, errors.RefusedError | errors.NotSentError) and not attempts.may_be_applied:
        return f"The {operation.thing} was not {operation.done}"
    return f"It is not known whether the {operation.thing} was {operation.done}"


def _advice(operation: Operation, failure: Failure) -> str:
    """Return the next step when nothing was applied."""
    meaning, problem = failure.meaning, failure.problem
    if meaning.error is errors.NotFoundError and not (problem and problem.has_words):
        return _PERHAPS_ELSEWHERE  # nobody knows who answered
    if operation.is_read and not issubclass(meaning.error, errors.RefusedError):
        return f"Nothing was changed. {meaning.advice}"
    return meaning.advice  # for a write the message says it: other changes of the same save may be made
