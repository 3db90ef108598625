"""The requests of this process to one environment: the last ones, the last failures, and the last hour.

All clients of the environment report here: pages, previews and jobs. Kept in memory.
"""

import threading
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from math import ceil, inf

from item_visibility.client.call_records import CallRecord
from item_visibility.use_cases.connection.us_or_them import RECENT, Cause, RecentCalls, cause_of, is_failure

KEPT_CALLS = 50
"""How many last calls to show, and how many failures: in one list, a job would push the failures out."""

_MINUTES = 60
_BOUNDS_S = tuple(0.001 * 1.1**step for step in range(116))
"""Times are counted in steps of a tenth, from a millisecond to the deadline of an exchange."""


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
    """The requests of one minute. `count_before` are those before its first failure."""

    count: int = 0
    count_before: int = 0
    first_failure: CallRecord | None = None
    failed: Counter[Cause] = field(default_factory=Counter)
    last: dict[Cause, CallRecord] = field(default_factory=dict)
    retries_succeed: bool = False
    failed_by_operation: Counter[str] = field(default_factory=Counter)
    times: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, call: CallRecord, *, has_failed: bool) -> None:
        self.times[call.operation][bisect_left(_BOUNDS_S, call.took_s)] += 1
        if has_failed:
            cause = cause_of(call)
            self.failed[cause] += 1
            self.last[cause] = call
            self.failed_by_operation[call.operation] += 1
            if self.first_failure is None:
                self.first_failure, self.count_before = call, self.count
        else:
            self.retries_succeed |= call.attempt > 1
        self.count += 1


class CallWatch:
    """Watches every request. Thread-safe; a record costs some microseconds."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._calls: deque[CallRecord] = deque(maxlen=KEPT_CALLS)
        self._failures: deque[CallRecord] = deque(maxlen=KEPT_CALLS)
        self._minutes: dict[int, _Minute] = {}

    def observe(self, call: CallRecord) -> None:
        """Record one request."""
        has_failed, minute = is_failure(call), _minute_of(call.sent_at)
        with self._lock:
            self._calls.append(call)
            if has_failed:
                self._failures.append(call)
            if minute not in self._minutes:
                for old in [one for one in self._minutes if one <= minute - _MINUTES]:
                    del self._minutes[old]
                self._minutes[minute] = _Minute()
            self._minutes[minute].add(call, has_failed=has_failed)

    @property
    def recent(self) -> RecentCalls:
        """The calls of the last minutes, counted from the first failure if there was one."""
        first = _minute_of(self._now() - RECENT)
        with self._lock:
            minutes = [one for at, one in sorted(self._minutes.items()) if at >= first]
            while minutes and minutes[0].first_failure is None and any(one.failed for one in minutes):
                del minutes[0]
            failure = minutes[0].first_failure if minutes else None
            return RecentCalls(
                since=None if failure is None else failure.sent_at,
                count=sum(one.count for one in minutes) - (minutes[0].count_before if failure else 0),
                failed=sum((one.failed for one in minutes), Counter[Cause]()),
                last={cause: call for one in minutes for cause, call in one.last.items()},
                retries_succeed=any(one.retries_succeed for one in minutes),
                ends_well=not self._failures or self._calls[-1] is not self._failures[-1],
            )

    @property
    def last_calls(self) -> tuple[CallRecord, ...]:
        """The last calls, the newest first."""
        with self._lock:
            return tuple(reversed(self._calls))

    @property
    def last_failures(self) -> tuple[CallRecord, ...]:
        """The last calls that failed, the newest first; some may be older than the last calls."""
        with self._lock:
            return tuple(reversed(self._failures))

    @property
    def last_hour(self) -> tuple[OperationHour, ...]:
        """The numbers of the last hour, by operation."""
        since = _minute_of(self._now()) - _MINUTES
        times: defaultdict[str, Counter[int]] = defaultdict(Counter)
        failed: Counter[str] = Counter()
        with self._lock:
            for one in [one for at, one in self._minutes.items() if at > since]:
                failed.update(one.failed_by_operation)
                for operation, counts in one.times.items():
                    times[operation].update(counts)
        return tuple(_hour_of(name, counts, failed[name]) for name, counts in sorted(times.items()))


def _minute_of(at: datetime) -> int:
    return int(at.timestamp()) // 60


def _hour_of(operation: str, times: Counter[int], failed: int) -> OperationHour:
    count = times.total()
    median_s, most_s, nearly_all_s = (_within_s(times, ceil(count * share)) for share in (0.5, 0.95, 0.99))
    return OperationHour(operation, count, failed, (median_s, most_s, nearly_all_s))


def _within_s(times: Counter[int], count: int) -> float:
    """Return the time within which `count` requests ended."""
    steps = sorted(times)
    ended = accumulate(times[step] for step in steps)
    return next((*_BOUNDS_S, inf)[step] for step, so_far in zip(steps, ended, strict=True) if so_far >= count)
