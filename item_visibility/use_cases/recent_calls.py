"""The recent calls of an environment by pages, previews and jobs, kept in memory."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from item_visibility.client.call_records import CallRecord
from item_visibility.use_cases.us_or_them import Call, cause_of

RECENT = timedelta(minutes=15)
KEPT_CALLS = 50
"""At most this many calls, and at most this many failed calls, are listed."""
_MOST_COUNTED = 20_000
"""The statistics cover at most this many calls.

A fast job sends this many in about a minute.
"""


@dataclass(frozen=True, slots=True)
class OperationHour:
    """One operation in the last hour.

    `within_s` are the 50th, 95th and 99th percentiles of the durations.
    """

    operation: str
    count: int
    failed: int
    within_s: tuple[float, ...]


class CallWatch:
    """Records all requests of an environment. Thread-safe."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._calls: deque[Call] = deque(maxlen=_MOST_COUNTED)

    def observe(self, record: CallRecord) -> None:
        """Record one request."""
        call = Call(record, cause_of(record))
        with self._lock:
            self._calls.append(call)

    @property
    def recent(self) -> Sequence[Call]:
        """The calls of the last minutes, oldest first."""
        return self._since(RECENT)

    @property
    def exchanges(self) -> tuple[CallRecord, ...]:
        """The last calls and the last failed calls, newest first."""
        with self._lock:
            calls = [*reversed(self._calls)]

        failed = [call for call in calls if call.cause]
        listed = (*calls[:KEPT_CALLS], *failed[:KEPT_CALLS])
        records = dict.fromkeys(call.record for call in listed)
        return tuple(sorted(records, key=lambda record: record.sent_at, reverse=True))

    @property
    def last_hour(self) -> tuple[OperationHour, ...]:
        """The statistics of the last hour, by operation."""
        by_operation: defaultdict[str, list[Call]] = defaultdict(list)
        for call in self._since(timedelta(hours=1)):
            by_operation[call.record.operation].append(call)

        hours = []
        for operation, calls in sorted(by_operation.items()):
            took_s = sorted(call.record.took_s for call in calls)
            within_s = tuple(
                took_s[ceil(len(calls) * share) - 1] for share in (0.5, 0.95, 0.99)
            )
            failed = sum(call.cause is not None for call in calls)
            hours.append(OperationHour(operation, len(calls), failed, within_s))
        return tuple(hours)

    def _since(self, period: timedelta) -> Sequence[Call]:
        start = self._now() - period
        with self._lock:
            return [call for call in self._calls if call.record.sent_at >= start]
