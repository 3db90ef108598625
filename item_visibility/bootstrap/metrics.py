"""The metrics of this process, for Prometheus. They contain no ids."""

import logging
import threading
from collections.abc import Mapping
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Gauge, Info, ProcessCollector, Summary
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from item_visibility import __version__
from item_visibility.client.call_records import CallRecord
from item_visibility.errors import RecordsError
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome, SaveResult, Verdict
from item_visibility.saving.request import ChangeRequest
from item_visibility.storage.service_records import ServiceRecords

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_NO_ANSWER = "none"


class Metrics:
    """Counts since the start of the process, for all environments. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        Info("item_visibility_build", "The version of this program.", registry=registry).info(
            {"version": __version__}
        )
        self._calls = Summary(
            "item_visibility_call_seconds",
            "Requests to the service and the token endpoint, by operation and status.",
            ("environment", "operation", "status"),
            registry=registry,
        )
        self._saves = Counter(
            "item_visibility_saves",
            "Finished saves on the item page, by verdict.",
            ("environment", "verdict"),
            registry=registry,
        )
        self._access = Counter(
            "item_visibility_access",
            "Lines of the access log, by event and by the role of the person.",
            ("event", "role"),
            registry=registry,
        )
        self.screen_errors = Counter(
            "item_visibility_screen_errors", "Screens that could not be drawn.", registry=registry
        )
        self._jobs = Gauge(
            "item_visibility_jobs",
            "Bulk jobs in our records, by state.",
            ("environment", "state"),
            registry=registry,
        )
        self._rows = Gauge(
            "item_visibility_job_rows",
            "Finished rows of the bulk jobs in our records, by outcome.",
            ("environment", "outcome"),
            registry=registry,
        )
        self._records = Gauge(
            "item_visibility_records_up",
            "1 if our own database answers, otherwise 0. With 0, the numbers of jobs and rows are missing.",
            ("environment",),
            registry=registry,
        )

    def count_call(self, environment: str, call: CallRecord) -> None:
        """Count one request."""
        status = _NO_ANSWER if call.status is None else str(call.status)
        self._calls.labels(environment, call.operation, status).observe(call.took_s)

    def count_save(self, environment: str, _request: ChangeRequest, result: SaveResult) -> None:
        """Count one finished save."""
        self._saves.labels(environment, result.verdict).inc()

    def count_access(self, record: logging.LogRecord) -> bool:
        """Count a line of the access log. This is a logging filter; True means that the line is written."""
        self._access.labels(record.getMessage(), vars(record).get("role", "")).inc()
        return True

    def text(self, records: Mapping[str, ServiceRecords]) -> str:
        """Return all metrics. `records` maps the names of open environments to their records."""
        with self._lock:
            self._jobs.clear()
            self._rows.clear()
            for environment, one in records.items():
                for verdict in Verdict:
                    self._saves.labels(environment, verdict)
                self._records.labels(environment).set(0)
                with suppress(RecordsError):
                    jobs, rows = one.jobs.counts()
                    for state in JobState:
                        self._jobs.labels(environment, state).set(jobs[state])
                    for outcome in Outcome:
                        self._rows.labels(environment, outcome).set(rows[outcome])
                    self._records.labels(environment).set(1)
            return generate_latest(self._registry).decode()
