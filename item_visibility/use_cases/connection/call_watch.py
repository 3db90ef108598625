"""The requests of this process to one environment: the last ones, the last failures, and the last hour.

All clients of the environment report here: pages, previews and jobs. Kept in memory.
"""

import threading
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from itertools import accumulate
from math import ceil, inf

from item_visibility.client.call_records import CallRecord
from item_visibility.client.operations import GET_VISIBILITIES, REQUEST_TOKEN

KEPT_CALLS = 50
"""How many last calls to show, and how many failures: in one list, a job would push the failures out."""

RECENT_CALLS = 100
RECENT = timedelta(minutes=15)
"""The headline is about at most this many calls, and none older than this."""

_MINUTES = 60
_BOUNDS_S = tuple(0.001 * 1.1**step for step in range(116))
"""Times are counted in steps of a tenth, from a millisecond to the deadline of an exchange."""

_REFUSALS = frozenset({400, 404, 405, 409, 410, 411, 413, 414, 415, 422})
"""Statuses that refuse a request, and are no sign of a bad connection."""


@dataclass(frozen=True, slots=True)
class OperationHour:
    """The requests of one operation within the last hour.

    `within_s` says within how many seconds 50, 95 and 99 of 100 requests ended, to a tenth.
    """

    operation: str
    count: int
    failed: int
    within_s: tuple[float, float, float]


@dataclass(slots=True)
class _Minute:
    """The requests of one operation within a minute."""

    failed: int = 0
    times: Counter[int] = field(default_factory=Counter)


class CallWatch:
    """Watches every request. Thread-safe; a record costs some microseconds."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._calls: deque[CallRecord] = deque(maxlen=RECENT_CALLS)
        self._failures: deque[CallRecord] = deque(maxlen=KEPT_CALLS)
        self._minutes: dict[int, defaultdict[str, _Minute]] = {}

    def observe(self, call: CallRecord) -> None:
        """Record one request."""
        has_failed = is_failure(call)
        minute = _minute_of(call.sent_at)
        with self._lock:
            self._calls.append(call)
            if has_failed:
                self._failures.append(call)
            counted = self._counted(minute)[call.operation]
            counted.failed += has_failed
            counted.times[bisect_left(_BOUNDS_S, call.took_s)] += 1

    @property
    def recent_calls(self) -> tuple[CallRecord, ...]:
        """The calls that the headline is about, the oldest first."""
        since = self._now() - RECENT
        with self._lock:
            return tuple(call for call in self._calls if call.sent_at >= since)

    @property
    def last_calls(self) -> tuple[CallRecord, ...]:
        """The last calls, the newest first."""
        with self._lock:
            return tuple(self._calls)[: -KEPT_CALLS - 1 : -1]

    @property
    def last_failures(self) -> tuple[CallRecord, ...]:
        """The last calls that failed, the newest first; some may be older than the last calls."""
        with self._lock:
            return tuple(reversed(self._failures))

    @property
    def last_hour(self) -> tuple[OperationHour, ...]:
        """The numbers of the last hour, by operation."""
        since = _minute_of(self._now()) - _MINUTES
        totals: dict[str, _Minute] = {}
        with self._lock:
            for minute, operations in self._minutes.items():
                for operation, counted in operations.items() if minute > since else ():
                    total = totals.setdefault(operation, _Minute())
                    total.failed += counted.failed
                    total.times.update(counted.times)
        return tuple(_hour_of(operation, total) for operation, total in sorted(totals.items()))

    def _counted(self, minute: int) -> defaultdict[str, _Minute]:
        """Return the counts of this minute; those of more than an hour ago are dropped."""
        counted = self._minutes.get(minute)
        if counted is None:
            for old in [one for one in self._minutes if one <= minute - _MINUTES]:
                del self._minutes[old]
            counted = self._minutes[minute] = defaultdict(_Minute)
        return counted


def is_failure(call: CallRecord) -> bool:
    """Return True when the call shows a fault between here and the service, not only a refused request."""
    if call.is_renewed:
        return False
    if call.status is None:
        return True
    if call.operation == GET_VISIBILITIES.name and call.status == HTTPStatus.NOT_FOUND:
        return call.has_content  # an empty 404 is a result (Note N4)
    if call.status in _REFUSALS and call.operation not in {REQUEST_TOKEN.name, GET_VISIBILITIES.name}:
        return False
    return bool(call.failure) or call.status >= HTTPStatus.MULTIPLE_CHOICES


def _minute_of(at: datetime) -> int:
    return int(at.timestamp()) // 60


def _hour_of(operation: str, total: _Minute) -> OperationHour:
    count = total.times.total()
    median_s, most_s, nearly_all_s = (
        _within_s(total.times, ceil(count * share)) for share in (0.5, 0.95, 0.99)
    )
    return OperationHour(operation, count, total.failed, (median_s, most_s, nearly_all_s))


def _within_s(times: Counter[int], count: int) -> float:
    """Return the time within which `count` requests ended."""
    steps = sorted(times)
    ended = accumulate(times[step] for step in steps)
    return next((*_BOUNDS_S, inf)[step] for step, so_far in zip(steps, ended, strict=True) if so_far >= count)
