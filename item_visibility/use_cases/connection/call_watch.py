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
from math import ceil, log

from item_visibility.client.call_records import CallRecord
from item_visibility.use_cases.connection.us_or_them import RECENT, Cause, RecentCalls, cause_of

KEPT_CALLS = 50
"""How many last calls to show, and how many failures: in one list, a job would push the failures out."""

_MINUTES = 60
_STEP, _SHORTEST_S = log(1.1), 0.001
"""Times are counted in steps of a tenth, from a millisecond."""


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
    first_failed_at: datetime | None = None
    retries_succeed: bool = False
    failed: Counter[tuple[str, Cause]] = field(default_factory=Counter)
    last: dict[Cause, CallRecord] = field(default_factory=dict)
    steps: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))


class CallWatch:
    """Watches every request. Thread-safe; a record costs some microseconds."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._calls: deque[tuple[int, CallRecord]] = deque(maxlen=KEPT_CALLS)
        self._failures: deque[tuple[int, CallRecord]] = deque(maxlen=KEPT_CALLS)
        self._minutes: defaultdict[int, _Minute] = defaultdict(_Minute)
        self._count = 0

    def observe(self, call: CallRecord) -> None:
        """Record one request."""
        cause, at = cause_of(call), _minute_of(call.sent_at)
        with self._lock:
            self._count += 1
            self._calls.append((self._count, call))
            for old in [one for one in self._minutes if one <= at - _MINUTES]:
                del self._minutes[old]
            minute = self._minutes[at]
            minute.steps[call.operation][ceil(log(max(call.took_s, _SHORTEST_S)) / _STEP)] += 1
            if cause is not None:
                self._failures.append((self._count, call))
                minute.failed[call.operation, cause] += 1
                minute.last[cause] = call
                if minute.first_failed_at is None:
                    minute.first_failed_at, minute.count_before = call.sent_at, minute.count
            elif call.attempt > 1:
                minute.retries_succeed = True
            minute.count += 1

    @property
    def recent(self) -> RecentCalls:
        """The calls of the last minutes, counted from the first failure if there was one."""
        first = _minute_of(self._now() - RECENT)
        failed: Counter[Cause] = Counter()
        with self._lock:
            minutes = [one for at, one in sorted(self._minutes.items()) if at >= first]
            while minutes and not minutes[0].failed and any(one.failed for one in minutes):
                del minutes[0]
            for minute in minutes:
                for (_, cause), count in minute.failed.items():
                    failed[cause] += count
            return RecentCalls(
                since=minutes[0].first_failed_at if minutes else None,
                count=sum(one.count for one in minutes) - (minutes[0].count_before if minutes else 0),
                failed=failed,
                last={cause: call for one in minutes for cause, call in one.last.items()},
                retries_succeed=any(one.retries_succeed for one in minutes),
            )

    @property
    def exchanges(self) -> tuple[CallRecord, ...]:
        """The last calls and the last failures, which may be older, the newest first."""
        with self._lock:
            calls = dict([*self._failures, *self._calls])
        return tuple(call for _, call in sorted(calls.items(), reverse=True))

    @property
    def last_hour(self) -> tuple[OperationHour, ...]:
        """The numbers of the last hour, by operation."""
        since = _minute_of(self._now()) - _MINUTES
        steps: defaultdict[str, Counter[int]] = defaultdict(Counter)
        failed: Counter[str] = Counter()
        with self._lock:
            for minute in [one for at, one in self._minutes.items() if at > since]:
                for (operation, _), count in minute.failed.items():
                    failed[operation] += count
                for operation, counts in minute.steps.items():
                    steps[operation].update(counts)
        return tuple(_hour_of(name, counts, failed[name]) for name, counts in sorted(steps.items()))


def _minute_of(at: datetime) -> int:
    return int(at.timestamp()) // 60


def _hour_of(operation: str, counts: Counter[int], failed: int) -> OperationHour:
    steps, total = sorted(counts), counts.total()
    ended = list(accumulate(counts[step] for step in steps))
    half, most, nearly_all = (1.1 ** steps[bisect_left(ended, total * share)] for share in (0.5, 0.95, 0.99))
    return OperationHour(operation, total, failed, (half, most, nearly_all))
