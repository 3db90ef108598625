"""The counts of this process, for Prometheus: calls, saves and jobs; numbers and fixed words, no ids.

The text format is that of Prometheus 0.0.4: a line a number, with its labels.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import RecordsError
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import SaveResult, Verdict
from item_visibility.saving.request import ChangeRequest
from item_visibility.storage.service_records import ServiceRecords

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""From a read on the same machine to the deadline of an exchange."""

_NO_ANSWER = "none"
_CALLS, _SAVES = "item_visibility_call_seconds", "item_visibility_saves_total"
_JOBS, _RECORDS = "item_visibility_jobs", "item_visibility_records_up"
_HELP = {
    _CALLS: ("histogram", "Requests to the service and the token endpoint, by operation and status."),
    _SAVES: ("counter", "Saves on the item page that ended, by verdict."),
    _JOBS: ("gauge", "Bulk jobs in our records, by state."),
    _RECORDS: ("gauge", "1 when our own database answers, else 0, and then the jobs are not known."),
}


@dataclass(slots=True)
class _Times:
    """The counts of exchanges by duration."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0


class Metrics:
    """Counts since the start of the process, for all environments. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[tuple[str, str, str], _Times] = {}
        self._saves: Counter[tuple[str, str]] = Counter()

    def count_call(self, environment: str, call: CallRecord) -> None:
        """Count one request."""
        status = _NO_ANSWER if call.status is None else str(call.status)
        with self._lock:
            times = self._calls.setdefault((environment, call.operation, status), _Times())
            times.buckets[bisect_left(BOUNDS_S, call.took_s)] += 1
            times.total_s += call.took_s

    def count_save(self, environment: str, _request: ChangeRequest, result: SaveResult) -> None:
        """Count one save that ended."""
        with self._lock:
            self._saves[environment, result.verdict] += 1

    def text(self, records: Mapping[str, ServiceRecords]) -> str:
        """Return all numbers, with what the records of the open environments hold now."""
        kept = {environment: _jobs(one) for environment, one in records.items()}
        with self._lock:
            calls = [
                line for labels, times in sorted(self._calls.items()) for line in _call_lines(labels, times)
            ]
            saves = [
                _line(_SAVES, self._saves[environment, verdict], environment=environment, verdict=verdict)
                for environment in kept
                for verdict in Verdict
            ]
        parts = {
            _CALLS: calls,
            _SAVES: saves,
            _JOBS: [
                _line(_JOBS, jobs.get(state, 0), environment=environment, state=state)
                for environment, jobs in kept.items()
                if jobs is not None
                for state in JobState
            ],
            _RECORDS: [
                _line(_RECORDS, int(jobs is not None), environment=environment)
                for environment, jobs in kept.items()
            ],
        }
        return "".join(f"{line}\n" for name, lines in parts.items() for line in _with_help(name, lines))


def _jobs(records: ServiceRecords) -> Mapping[JobState, int] | None:
    """Return the number of jobs by state; None when our own database cannot be used."""
    try:
        return records.jobs.count_by_state()
    except RecordsError:
        return None


def _call_lines(labels: tuple[str, str, str], times: _Times) -> Iterator[str]:
    environment, operation, status = labels
    named = {"environment": environment, "operation": operation, "status": status}
    *below, count = accumulate(times.buckets)
    for bound_s, so_far in zip((*BOUNDS_S, "+Inf"), (*below, count), strict=True):
        yield _line(f"{_CALLS}_bucket", so_far, **named, le=str(bound_s))
    yield _line(f"{_CALLS}_sum", round(times.total_s, 6), **named)
    yield _line(f"{_CALLS}_count", count, **named)


def _with_help(name: str, lines: Iterable[str]) -> Iterator[str]:
    kind, words = _HELP[name]
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"
    yield from lines


def _line(name: str, value: float, **labels: str) -> str:
    written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{written}}} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
