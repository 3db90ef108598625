"""What follows a failed attempt of a call: another one after a wait, or an error. Notes N7, N12, N17."""

import re
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from item_visibility import errors, timeouts
from item_visibility.client.answers import NOT_KNOWN, Answer, Failure
from item_visibility.client.operations import Operation

_PERHAPS_ELSEWHERE = "Check the ids, and whether the address leads to the service."
_READ_AGAIN = "Read the list again before you repeat it."


@dataclass(frozen=True, slots=True)
class Attempts:
    """The requests of one call so far. `may_be_applied` is True when one of them may have been applied."""

    operation: Operation
    count: int = 0
    may_be_applied: bool = False

    def and_one(self, failure: Failure) -> "Attempts":
        """Return these attempts and one more, which failed."""
        may_be_applied = failure.meaning.may_be_applied and not self.operation.is_read
        return Attempts(self.operation, self.count + 1, self.may_be_applied or may_be_applied)

    def wait_s(self, failure: Failure, *, chance: float, now: datetime) -> float | None:
        """Return the wait before another attempt, or None to give up. `chance` lies in 0..1.

        A wait is random, between 0 and a maximum that doubles with each attempt, up to a limit. It is added
        to what `Retry-After` asks for.
        """
        meaning = failure.meaning
        may_repeat = self.operation.may_repeat or not self.may_be_applied
        if not meaning.is_temporary or not may_repeat or self.count >= timeouts.CALL_ATTEMPTS:
            return None
        asked_s = retry_after_s(failure.answer, now=now) if failure.answer else 0.0
        if asked_s > timeouts.LONGEST_RETRY_AFTER_S:
            return None
        first_s = timeouts.BUSY_CALL_WAIT_S if meaning.is_busy else timeouts.CALL_WAIT_S
        return asked_s + chance * min(timeouts.LONGEST_CALL_WAIT_S, first_s * 2.0 ** (self.count - 1))

    def error(self, failure: Failure) -> errors.CallError:
        """Return the error that ends the call: its last failure, judged with the earlier attempts.

        A last attempt that was not sent says nothing about an earlier one that may have been applied. The
        outcome of the call is then unknown.
        """
        kind, thing, done = failure.meaning.error, self.operation.thing, self.operation.done
        if self.may_be_applied and kind is errors.NotSentError:
            kind = NOT_KNOWN.error
        what_happened = f"It is not known whether the {thing} was {done}"
        if self.operation.is_read:
            what_happened = f"The {thing} could not be {done}"
        elif issubclass(kind, errors.RefusedError | errors.NotSentError) and not self.may_be_applied:
            what_happened = f"The {thing} was not {done}"
        return kind(
            f"{what_happened}: {failure.fact}.",
            advice=_READ_AGAIN if self.may_be_applied else _advice(self.operation, failure),
            operation=self.operation.name,
            problem=failure.problem,
            attempts=self.count,
            was_ambiguous=self.may_be_applied,
        )


class RetryBudget:
    """The retry budget of one client's calls, so that a service in trouble is not flooded.

    A success pays back its retries, or else earns a fifth of one. Thread-safe.
    """

    def __init__(self, capacity: int = timeouts.RETRY_CAPACITY) -> None:
        self._capacity = capacity
        self._left = capacity
        self._lock = threading.Lock()

    def spend(self) -> bool:
        """Take one retry from the budget; False when too little is left."""
        with self._lock:
            is_enough = self._left >= timeouts.RETRY_COST
            self._left -= timeouts.RETRY_COST if is_enough else 0
            return is_enough

    def succeed(self, retries: int) -> None:
        """Count a successful call, with its number of retries."""
        with self._lock:
            self._left = min(self._capacity, self._left + max(retries * timeouts.RETRY_COST, 1))


def retry_after_s(answer: Answer, *, now: datetime) -> float:
    """Return the seconds in `Retry-After`, given as seconds or as a date on the service's clock; or 0."""
    value = answer.retry_after.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    date = _read_date(value)
    return max(0.0, (date - (_read_date(answer.date) or now)).total_seconds()) if date else 0.0


def _read_date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date


def _advice(operation: Operation, failure: Failure) -> str:
    """Return the next step when nothing was applied."""
    meaning, problem = failure.meaning, failure.problem
    if meaning.error is errors.NotFoundError and not (problem and problem.has_words):
        return _PERHAPS_ELSEWHERE  # something else may have answered
    if operation.is_read and not issubclass(meaning.error, errors.RefusedError):
        return f"Nothing was changed. {meaning.advice}"
    return meaning.advice  # for a write the message says it: other changes of the same save may be made
