"""When a failed call is sent again, and when not. Note N12, Note N17."""

import re
import threading
from dataclasses import dataclass
from datetime import datetime

from item_visibility import patience
from item_visibility.api.answers import Failure
from item_visibility.api.dates import read_date


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently one call is repeated.

    A wait is random between 0 and `base_wait_s` doubled with each attempt, at most `max_wait_s`,
    on top of what `Retry-After` asks for. A call that would have to wait longer than
    `max_retry_after_s`, or would begin an attempt later than `deadline_s` after its first, gives up.
    """

    max_attempts: int = patience.CALL_ATTEMPTS
    base_wait_s: float = patience.CALL_WAIT_S
    busy_base_wait_s: float = patience.BUSY_CALL_WAIT_S
    max_wait_s: float = patience.LONGEST_CALL_WAIT_S
    max_retry_after_s: float = patience.LONGEST_RETRY_AFTER_S
    deadline_s: float = patience.LAST_ATTEMPT_WITHIN_S

    def wait_s(self, failure: Failure, *, attempt: int, chance: float, now: datetime) -> float | None:
        """How long to wait after this attempt, counted from 1; None to give up. `chance` lies in 0..1."""
        if not failure.is_temporary or attempt >= self.max_attempts:
            return None
        asked_s = 0.0
        if failure.answer is not None:
            now = read_date(failure.answer.date) or now
            asked_s = retry_after_s(failure.answer.retry_after, now=now) or 0.0
        if asked_s > self.max_retry_after_s:
            return None
        base_s = self.busy_base_wait_s if failure.is_busy else self.base_wait_s
        return asked_s + chance * min(self.max_wait_s, base_s * 2.0 ** (attempt - 1))


STANDARD_RETRY_POLICY = RetryPolicy()


class RetryBudget:
    """What all calls of one client may spend on retries, so that a service in trouble is not flooded.

    A retry costs 5, after a time-out 10. A success gives back what its retries cost, or 1. Thread-safe.
    """

    _RETRY, _RETRY_AFTER_TIMEOUT = 5, 10

    def __init__(self, capacity: int = 500) -> None:
        self._capacity = capacity
        self._left = capacity
        self._lock = threading.Lock()

    def spend(self, failure: Failure) -> int:
        """The cost of one retry, taken from the budget; 0 when the budget does not allow it."""
        cost = self._RETRY_AFTER_TIMEOUT if failure.is_timeout else self._RETRY
        with self._lock:
            if self._left < cost:
                return 0
            self._left -= cost
            return cost

    def succeed(self, spent: int) -> None:
        """Give back what the retries of a call that succeeded have cost, or 1."""
        with self._lock:
            self._left = min(self._capacity, self._left + max(spent, 1))


def retry_after_s(value: str, *, now: datetime) -> float | None:
    """The seconds that a `Retry-After` header asks for, given in seconds or as a date; None for neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    date = read_date(value)
    return None if date is None else max(0.0, (date - now).total_seconds())
