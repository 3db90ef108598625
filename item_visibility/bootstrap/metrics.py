"""The metrics of this process, for Prometheus. They contain no ids."""

import logging
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Info,
    ProcessCollector,
    Summary,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from item_visibility import __version__
from item_visibility.client.call_records import CallRecord
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeRequest
from item_visibility.model.job import JobState
from item_visibility.model.outcome import Outcome, SaveResult, Verdict
from item_visibility.storage.service_records import ServiceRecords

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_NAMESPACE = "item_visibility"


class Metrics:
    """Counts what this process does in all environments. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        registry = CollectorRegistry()
        self._registry = registry
        counter = partial(Counter, namespace=_NAMESPACE, registry=registry)
        gauge = partial(Gauge, namespace=_NAMESPACE, registry=registry)
        ProcessCollector(registry=registry)
        build = Info(
            "build",
            "The version of this program.",
            namespace=_NAMESPACE,
            registry=registry,
        )
        build.info({"version": __version__})
        self._calls = Summary(
            "call_seconds",
            "Requests to the service and the token endpoint, by operation and status.",
            ("environment", "operation", "status"),
            namespace=_NAMESPACE,
            registry=registry,
        )
        saves = "Finished saves on the item page, by verdict."
        self._saves = counter("saves", saves, ("environment", "verdict"))
        lines = "Lines of the access log, by event and by the role of the person."
        self._access = counter("access", lines, ("event", "role"))
        self.screen_errors = counter(
            "screen_errors", "Screens that could not be drawn."
        )
        self._jobs = gauge(
            "jobs", "Bulk jobs in our records, by state.", ("environment", "state")
        )
        rows = "Finished rows of the bulk jobs in our records, by outcome."
        self._rows = gauge("job_rows", rows, ("environment", "outcome"))
        is_up = (
            "1 if our own database answers."
            " If 0, the numbers of jobs and rows are missing."
        )
        self._records = gauge("records_up", is_up, ("environment",))

    def count_call(self, environment: str, call: CallRecord) -> None:
        """Count one request."""
        calls = self._calls.labels(environment, call.operation, call.status or "none")
        calls.observe(call.took_s)

    def count_save(
        self, environment: str, _request: ChangeRequest, result: SaveResult
    ) -> None:
        """Count one finished save."""
        self._saves.labels(environment, result.verdict).inc()

    def count_access(self, record: logging.LogRecord) -> bool:
        """Count a line of the access log, as a logging filter that lets it pass."""
        self._access.labels(record.getMessage(), vars(record).get("role", "")).inc()
        return True

    def text(self, records: Mapping[str, ServiceRecords]) -> str:
        """Return all metrics.

        `records` maps the names of open environments to their records.
        """
        with self._lock:
            self._jobs.clear()
            self._rows.clear()
            for environment, service_records in records.items():
                # Each verdict has a value from the start, even if it is 0.
                for verdict in Verdict:
                    self._saves.labels(environment, verdict)

                # Count the jobs and their rows, if our own database answers.
                self._records.labels(environment).set(0)
                with suppress(RecordsError):
                    jobs, rows = service_records.jobs.counts()
                    for state in JobState:
                        self._jobs.labels(environment, state).set(jobs[state])
                    for outcome in Outcome:
                        self._rows.labels(environment, outcome).set(rows[outcome])
                    self._records.labels(environment).set(1)
            return generate_latest(self._registry).decode()
