"""The rules for retrying a failed call. Note N12, Note N17."""

import re
import threading
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from item_visibility import timings_and_retries
from item_visibility.client.answers import Answer, Failure


def wait_s(failure: Failure, *, attempt: int, chance: float, now: datetime) -> float | None:
    """Return the wait after this attempt (from 1), or None to give up. `chance` lies in 0..1.

    A wait is random, between 0 and a maximum that doubles with each attempt, up to a limit. It is added
    to what `Retry-After` asks for.
    """
    if not failure.meaning.is_temporary or attempt >= timings_and_retries.CALL_ATTEMPTS:
        return None
    asked_s = retry_after_s(failure.answer, now=now) if failure.answer else 0.0
    if asked_s > timings_and_retries.LONGEST_RETRY_AFTER_S:
        return None
    first_s = (
        timings_and_retries.BUSY_CALL_WAIT_S if failure.meaning.is_busy else timings_and_retries.CALL_WAIT_S
    )
    return asked_s + chance * min(timings_and_retries.LONGEST_CALL_WAIT_S, first_s * 2.0 ** (attempt - 1))


class RetryBudget:
    """The retry budget of one client's calls, so that a service in trouble is not flooded.

    A retry has a cost, higher after a timeout. A success returns what its retries cost, or 1. Thread-safe.
    """

    def __init__(self, capacity: int = timings_and_retries.RETRY_CAPACITY) -> None:
        self._capacity = capacity
        self._left = capacity
        self._lock = threading.Lock()

    def spend(self, failure: Failure) -> int:
        """Take the cost of one retry from the budget and return it; 0 when too little is left."""
        cost = (
            timings_and_retries.RETRY_COST_AFTER_TIMEOUT
            if failure.meaning.is_timeout
            else timings_and_retries.RETRY_COST
        )
        with self._lock:
            if self._left < cost:
                return 0
            self._left -= cost
            return cost

    def succeed(self, spent: int) -> None:
        """Return to the budget what the retries of a successful call cost, or 1."""
        with self._lock:
            self._left = min(self._capacity, self._left + max(spent, 1))


def retry_after_s(answer: Answer, *, now: datetime) -> float:
    """Return the seconds in `Retry-After`, given as seconds or as a date on the service's clock; or 0."""
    value = answer.retry_after.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    date = read_date(value)
    return max(0.0, (date - (read_date(answer.date) or now)).total_seconds()) if date else 0.0


def read_date(value: str) -> datetime | None:
    """Return the time of an HTTP date, or None when it is none."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
