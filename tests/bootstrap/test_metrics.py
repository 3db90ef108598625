"""The counters of the process, as Prometheus reads them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.bootstrap.metrics import Metrics
from item_visibility.client.call_records import CallRecord
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Verdict
from item_visibility.storage.database import open_records
from item_visibility.storage.service_records import ServiceRecords
from tests.storage.entries import begin
from tests.storage.jobs import a_job
from tests.support.waiting import START

ENVIRONMENT = 'live "north"'
LABELS = r'{environment="live \"north\""'


@pytest.fixture
def records(tmp_path: Path) -> Iterator[ServiceRecords]:
    """Records with three jobs."""
    database = open_records(f"sqlite:///{tmp_path}/records.sqlite")
    kept = ServiceRecords(database, service="https://a", environment=ENVIRONMENT)
    for key, state in (("a", JobState.RUNNING), ("b", JobState.ENDED), ("c", JobState.ENDED)):
        kept.jobs.create(a_job(key, created_at=START, state=state), ())
    yield kept
    database.close()


def lines_of(text: str, name: str) -> list[str]:
    """The numbers of one name, without its labels' environment."""
    return [
        line.replace(f"{LABELS},", "{").replace(LABELS, "{")
        for line in text.splitlines()
        if line.startswith(name)
    ]


def test_calls_are_counted_by_operation_and_status(records: ServiceRecords) -> None:
    metrics = Metrics()
    for took_s in (0.25, 0.5):
        metrics.count_call(ENVIRONMENT, CallRecord("addVisibility", 204, took_s=took_s, sent_at=START))
    metrics.count_call(ENVIRONMENT, CallRecord("addVisibility", None, "too late", took_s=60.0, sent_at=START))
    assert lines_of(metrics.text({ENVIRONMENT: records}), "item_visibility_call_seconds") == [
        'item_visibility_call_seconds_sum{operation="addVisibility",status="204"} 0.75',
        'item_visibility_call_seconds_count{operation="addVisibility",status="204"} 2',
        'item_visibility_call_seconds_sum{operation="addVisibility",status="none"} 60.0',
        'item_visibility_call_seconds_count{operation="addVisibility",status="none"} 1',
    ]


def test_saves_are_counted_by_verdict(records: ServiceRecords) -> None:
    metrics = Metrics()
    result = begin(records.history, "k", add="R")
    entry = records.history.entry("k")
    assert entry is not None
    metrics.count_save(ENVIRONMENT, entry.request, result)
    metrics.count_save(ENVIRONMENT, entry.request, replace(result, verdict=Verdict.DIFFERS))
    assert lines_of(metrics.text({ENVIRONMENT: records}), "item_visibility_saves_total") == [
        'item_visibility_saves_total{verdict="verified"} 1',
        'item_visibility_saves_total{verdict="not confirmed"} 0',
        'item_visibility_saves_total{verdict="differs"} 1',
        'item_visibility_saves_total{verdict="nothing sent"} 0',
    ]


def test_jobs_are_those_of_the_records(records: ServiceRecords) -> None:
    text = Metrics().text({ENVIRONMENT: records})
    jobs = lines_of(text, "item_visibility_jobs")
    assert [line for line in jobs if not line.endswith(" 0")] == [
        'item_visibility_jobs{state="running"} 1',
        'item_visibility_jobs{state="ended"} 2',
    ]
    assert lines_of(text, "item_visibility_records_up") == ["item_visibility_records_up{} 1"]
    assert [line.split()[2:] for line in text.splitlines() if line.startswith("# TYPE")] == [
        ["item_visibility_call_seconds", "summary"],
        ["item_visibility_saves_total", "counter"],
        ["item_visibility_jobs", "gauge"],
        ["item_visibility_records_up", "gauge"],
    ]


def test_what_is_not_known_is_no_number(records: ServiceRecords, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as database:
        database.execute("ALTER TABLE job RENAME TO gone")
    text = Metrics().text({ENVIRONMENT: records})
    assert lines_of(text, "item_visibility_records_up") == ["item_visibility_records_up{} 0"]
    assert lines_of(text, "item_visibility_jobs") == []
