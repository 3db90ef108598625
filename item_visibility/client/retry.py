"""Decides whether a failed call is retried, or builds its error. Notes N7, N12, N17."""

import re
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from item_visibility import errors
from item_visibility.client.answers import UNKNOWN_OUTCOME, Failure, HttpAnswer
from item_visibility.client.operations import Operation

CALL_ATTEMPTS = 4
"""The first attempt and three retries. This is enough when one of several servers
restarts."""

CALL_WAIT_S = 0.2
"""The longest wait before the first retry."""

BUSY_CALL_WAIT_S = 1.0
"""The longest wait before the first retry after a 429 or 503."""

LONGEST_CALL_WAIT_S = 10.0
"""The limit of the wait doubles with each retry, up to this value."""

LONGEST_RETRY_AFTER_S = 60.0
"""A call fails when the service sends a longer `Retry-After` than this. Note N12."""

LAST_ATTEMPT_WITHIN_S = 90.0
"""A call is not retried when more time than this has passed since its first attempt."""

RETRY_COST = 5
RETRY_CAPACITY = 500

_BUSY = {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}

_READ_AGAIN = "Read the list again before you repeat the change."


@dataclass(frozen=True, slots=True)
class Attempts:
    """The requests of a call so far.

    `is_outcome_unknown` is True when at least one of them may have been applied. It is
    always False for a read.
    """

    operation: Operation
    count: int = 0
    is_outcome_unknown: bool = False

    def with_failure(self, failure: Failure) -> "Attempts":
        """Return a copy that includes one more failed request."""
        is_unknown = failure.meaning.is_outcome_unknown and not self.operation.is_read
        is_unknown = is_unknown or self.is_outcome_unknown
        return Attempts(self.operation, self.count + 1, is_unknown)

    def wait_s(self, failure: Failure, *, chance: float, now: datetime) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up.

        The wait is the time in `Retry-After` plus a random time, whose limit doubles
        with each attempt. `chance` is a random number between 0 and 1.
        """
        if not failure.meaning.is_temporary or self.count >= CALL_ATTEMPTS:
            return None
        may_repeat = self.operation.may_repeat or not self.is_outcome_unknown
        if not may_repeat:
            return None

        required_s = 0.0
        limit_s = CALL_WAIT_S
        if failure.answer is not None:
            required_s = retry_after_s(failure.answer, now=now)
            if failure.answer.status in _BUSY:
                limit_s = BUSY_CALL_WAIT_S
        if required_s > LONGEST_RETRY_AFTER_S:
            return None

        limit_s *= 2.0 ** (self.count - 1)
        return required_s + chance * min(LONGEST_CALL_WAIT_S, limit_s)

    def error(self, failure: Failure) -> errors.CallError:
        """Return the error to raise after this last failure.

        The outcome is unknown if an earlier request may have been applied, even if the
        last one was not sent.
        """
        thing = self.operation.thing
        done = self.operation.done
        kind = failure.meaning.error
        if self.is_outcome_unknown and kind is errors.NotSentError:
            kind = UNKNOWN_OUTCOME.error

        if self.operation.is_read:
            what_happened = f"The {thing} could not be {done}"
        elif self.is_outcome_unknown or failure.meaning.is_outcome_unknown:
            what_happened = f"It is not known whether the {thing} was {done}"
        else:
            what_happened = f"The {thing} was not {done}"

        advice = _READ_AGAIN if self.is_outcome_unknown else failure.meaning.advice
        if self.operation.is_read and not issubclass(kind, errors.RefusedError):
            # Only for a read: when a write fails, another call of the same save may
            # have changed something.
            advice = f"Nothing was changed. {advice}"
        return kind(
            f"{what_happened}: {failure.fact}.",
            advice=advice,
            problem=failure.problem,
            is_outcome_unknown=self.is_outcome_unknown,
        )


class RetryBudget:
    """Limits the retries of a client, so that they do not overload a failing service.

    The budget starts at 500, which is also its limit. A retry takes 5 from it. A
    successful call puts back what its retries took, or 1 if it had none. Thread-safe.
    """

    def __init__(self) -> None:
        self._left = RETRY_CAPACITY
        self._lock = threading.Lock()

    def spend(self) -> bool:
        """Pay for one retry. Return False when the budget is too small."""
        with self._lock:
            if self._left < RETRY_COST:
                return False
            self._left -= RETRY_COST
            return True

    def succeed(self, retries: int) -> None:
        """Add to the budget after a successful call that had this number of retries."""
        with self._lock:
            gain = max(retries * RETRY_COST, 1)
            self._left = min(RETRY_CAPACITY, self._left + gain)


def retry_after_s(answer: HttpAnswer, *, now: datetime) -> float:
    """Return the seconds of `Retry-After`; 0 without a valid value.

    If it is a date, the seconds count from the `Date` of the same answer.
    """
    value = answer.retry_after.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    date = _read_date(value)
    if date is None:
        return 0.0
    sent_at = _read_date(answer.date) or now
    return max(0.0, (date - sent_at).total_seconds())


def clock_ahead_s(answer: HttpAnswer, *, now: datetime) -> float | None:
    """Return `now` minus the answer's `Date` in seconds; None without a valid date."""
    date = _read_date(answer.date)
    return None if date is None else (now - date).total_seconds()


def _read_date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
