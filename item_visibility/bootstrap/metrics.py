"""The counts of this process, for Prometheus: calls, saves and jobs; numbers and fixed words, no ids.

The text format is that of Prometheus 0.0.4: a line a number, with its labels.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import RecordsError
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import SaveResult, Verdict
from item_visibility.saving.request import ChangeRequest
from item_visibility.storage.service_records import ServiceRecords

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NO_ANSWER = "none"
_CALLS, _SAVES = "item_visibility_call_seconds", "item_visibility_saves_total"
_JOBS, _RECORDS = "item_visibility_jobs", "item_visibility_records_up"
_HELP = {
    _CALLS: ("summary", "Requests to the service and the token endpoint, by operation and status."),
    _SAVES: ("counter", "Saves on the item page that ended, by verdict."),
    _JOBS: ("gauge", "Bulk jobs in our records, by state."),
    _RECORDS: ("gauge", "1 when our own database answers, else 0, and then the jobs are not known."),
}


class Metrics:
    """Counts since the start of the process, for all environments. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[tuple[str, str, str], float] = defaultdict(float)
        self._saves: Counter[tuple[str, str]] = Counter()

    def count_call(self, environment: str, call: CallRecord) -> None:
        """Count one request."""
        status = _NO_ANSWER if call.status is None else str(call.status)
        with self._lock:
            self._calls[environment, call.operation, status] += 1
            self._seconds[environment, call.operation, status] += call.took_s

    def count_save(self, environment: str, _request: ChangeRequest, result: SaveResult) -> None:
        """Count one save that ended."""
        with self._lock:
            self._saves[environment, result.verdict] += 1

    def text(self, records: Mapping[str, ServiceRecords]) -> str:
        """Return all numbers, with what the records of the open environments hold now."""
        kept = {environment: _jobs(one) for environment, one in records.items()}
        with self._lock:
            calls = [
                _line(name, value, environment=environment, operation=operation, status=status)
                for (environment, operation, status), count in sorted(self._calls.items())
                for name, value in (
                    (f"{_CALLS}_sum", round(self._seconds[environment, operation, status], 6)),
                    (f"{_CALLS}_count", count),
                )
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
