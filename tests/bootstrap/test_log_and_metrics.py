"""The log and the metrics of a running program."""

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from item_visibility import __version__
from item_visibility.access.access_log import ACCESS_LOG, Event, log_access
from item_visibility.access.people import Role
from item_visibility.bootstrap.log_lines import JsonLine, TextLine, write_log
from item_visibility.bootstrap.metrics import Metrics
from item_visibility.client.call_records import CallRecord
from item_visibility.errors import SettingsError
from item_visibility.model.change import ChangeStep, Goal
from item_visibility.model.job import BulkItem, JobState
from item_visibility.model.outcome import Outcome, StepResult, Verdict
from item_visibility.settings import read_variables
from item_visibility.storage.service_records import ServiceRecords
from tests.access.signing_in import signed_in
from tests.storage.entries import ITEM, a_job, begin
from tests.support.desk import TEST_ENVIRONMENT, open_kit
from tests.support.waiting import START


def record(
    message: str, level: int = logging.WARNING, **extra: object
) -> logging.LogRecord:
    made = logging.LogRecord("who", level, "file.py", 1, message, None, None)
    vars(made).update(created=START.timestamp() + 0.123, **extra)
    return made


@pytest.fixture
def loggers() -> Iterator[None]:
    names = (
        "streamlit.of_a_test",
        "item_visibility",
        "item_visibility_service",
        "components",
        ACCESS_LOG,
    )
    loggers = [logging.getLogger(name) for name in names]
    root = logging.root
    before = root.handlers[:], root.level
    # Another test of this process may have turned it on.
    logging.captureWarnings(capture=False)
    yield
    logging.captureWarnings(capture=False)
    for logger_ in loggers:
        for handler in logger_.handlers:
            handler.close()
        logger_.handlers = []
        logger_.propagate = True
        logger_.setLevel(logging.NOTSET)
    root.handlers[:] = before[0]
    root.level = before[1]
    # setLevel does this too.
    root.manager._clear_cache()  # type: ignore[attr-defined]  # noqa: SLF001


def test_a_line_of_text_has_time_level_and_logger() -> None:
    line = TextLine().format(record("Not now.", request_id="abc"))
    assert line == "2026-11-21T12:00:00.123Z WARNING who: Not now. request_id=abc"


def test_a_message_cannot_forge_a_line_of_the_log() -> None:
    error = ValueError("first\n2026-01-01T00:00:00.000Z INFO forged")
    lines = (
        TextLine()
        .format(record("one\ntwo\x1b[2J", exc_info=(ValueError, error, None)))
        .splitlines()
    )
    assert lines[0].endswith("who: one\\ntwo\\x1b[2J")
    assert lines[1:] == [
        "  ValueError: first",
        "  2026-01-01T00:00:00.000Z INFO forged",
    ]


def test_a_line_of_json_has_the_same_values_by_name() -> None:
    error = ValueError("no\nway")
    bare, whole = (
        json.loads(JsonLine().format(record("one\ntwo", **extra)))
        for extra in ({}, {"request_id": "abc", "exc_info": (ValueError, error, None)})
    )
    facts = {
        "time": "2026-11-21T12:00:00.123Z",
        "level": "WARNING",
        "logger": "who",
        "message": "one\ntwo",
    }
    assert bare == facts
    assert whole == facts | {"request_id": "abc", "error": "ValueError: no\nway\n"}


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize(("form", "begins"), [("", "20"), ("JSON ", '{"time": "20')])
def test_servers_log_in_our_format(
    form: str, begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = logging.getLogger("streamlit.of_a_test")
    theirs.addHandler(logging.StreamHandler())
    theirs.propagate = False
    write_log(read_variables({"ITEM_VISIBILITY_LOG": form}))
    theirs.warning("one")
    theirs.info("hidden")
    logging.getLogger("item_visibility.of_a_test").info("two")
    logging.getLogger("item_visibility.of_a_test").debug("hidden")
    lines = capsys.readouterr().err.splitlines()
    assert [line.startswith(begins) for line in lines] == [True, True, True]
    assert [
        f"Version {__version__}" in lines[0],
        "one" in lines[1],
        "two" in lines[2],
    ] == [True, True, True]


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize("place", ["file", "stdout", ""])
def test_the_access_log_has_an_output_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    file = tmp_path / "access.log"
    write_log(
        read_variables(
            {"ITEM_VISIBILITY_ACCESS_LOG": str(file) if place == "file" else place}
        )
    )
    log_access(Event.READ, signed_in(Role.VIEWER), item_count=2, request_id="abc")
    written = capsys.readouterr()
    text = file.read_text() if place == "file" else written.out
    assert "Anna Muster" not in written.err
    assert bool(text) is bool(place)
    if place:
        line = json.loads(text)
        facts = [
            line[name]
            for name in ("message", "person_name", "role", "item_count", "request_id")
        ]
        assert facts == ["read", "Anna Muster", "viewer", 2, "abc"]
    if place == "file":
        assert file.stat().st_mode & 0o777 == 0o600
        file.rename(tmp_path / "access.log.1")
        log_access(Event.SIGN_OUT, None)
        assert json.loads(file.read_text())["message"] == "sign-out"


@pytest.mark.usefixtures("loggers")
def test_an_access_log_that_cannot_be_written_is_an_error_with_its_name(
    tmp_path: Path,
) -> None:
    with pytest.raises(SettingsError, match="The access log cannot be written"):
        write_log(
            read_variables(
                {"ITEM_VISIBILITY_ACCESS_LOG": str(tmp_path / "missing" / "access.log")}
            )
        )


ENVIRONMENT = 'live "north"'


@pytest.fixture
def records(tmp_path: Path) -> Iterator[ServiceRecords]:
    with open_kit(
        tmp_path, environment=replace(TEST_ENVIRONMENT, name=ENVIRONMENT)
    ) as kit:
        for key, state in (
            ("a", JobState.RUNNING),
            ("b", JobState.ENDED),
            ("c", JobState.ENDED),
        ):
            kit.records.jobs.create(a_job(key, state=state), ())
        yield kit.records


def numbers(text: str, name: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(
            value for label, value in sample.labels.items() if label != "environment"
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name
    }


def test_calls_are_counted_by_operation_and_status(records: ServiceRecords) -> None:
    metrics = Metrics()
    for took_s in (0.25, 0.5):
        metrics.count_call(
            ENVIRONMENT, CallRecord("addVisibility", 204, took_s=took_s, sent_at=START)
        )
    metrics.count_call(
        ENVIRONMENT,
        CallRecord("addVisibility", None, "too late", took_s=60.0, sent_at=START),
    )
    text = metrics.text({ENVIRONMENT: records})
    sums = numbers(text, "item_visibility_call_seconds_sum")
    assert sums == {("addVisibility", "204"): 0.75, ("addVisibility", "none"): 60}
    counts = numbers(text, "item_visibility_call_seconds_count")
    assert counts == {("addVisibility", "204"): 2, ("addVisibility", "none"): 1}


def test_saves_are_counted_by_verdict(records: ServiceRecords) -> None:
    metrics = Metrics()
    result = begin(records.history, "k", add="R")
    entry = records.history.entry("k")
    metrics.count_save(ENVIRONMENT, entry.request, result)
    metrics.count_save(
        ENVIRONMENT, entry.request, replace(result, verdict=Verdict.DIFFERS)
    )
    assert numbers(
        metrics.text({ENVIRONMENT: records}), "item_visibility_saves_total"
    ) == {
        ("verified",): 1,
        ("not confirmed",): 0,
        ("differs",): 1,
        ("nothing sent",): 0,
    }


def test_jobs_and_rows_are_counted_in_the_records(records: ServiceRecords) -> None:
    records.jobs.create(
        a_job("d", state=JobState.ENDED), [BulkItem(item=ITEM, add=frozenset({"R"}))]
    )
    records.jobs.end_item(
        "d", 0, [StepResult(ChangeStep("R", Goal.VISIBLE), Outcome.REFUSED)]
    )
    text = Metrics().text({ENVIRONMENT: records})
    jobs = numbers(text, "item_visibility_jobs")
    assert {state: count for state, count in jobs.items() if count} == {
        ("running",): 1,
        ("ended",): 3,
    }
    assert numbers(text, "item_visibility_job_rows")["refused",] == 1
    assert numbers(text, "item_visibility_records_up") == {(): 1}


def test_metrics_contain_the_version_and_the_memory() -> None:
    text = Metrics().text({})
    assert numbers(text, "item_visibility_build_info") == {(__version__,): 1}
    assert numbers(text, "process_resident_memory_bytes")[()] > 0


def test_lines_of_the_access_log_are_counted_by_event_and_role() -> None:
    metrics = Metrics()
    log = logging.getLogger(ACCESS_LOG)
    log.setLevel(logging.INFO)
    log.addFilter(metrics.count_access)
    log_access(Event.SIGN_IN_REFUSED, None)
    log_access(Event.REFUSED, signed_in(Role.VIEWER))
    metrics.screen_errors.inc()
    log.removeFilter(metrics.count_access)
    log.setLevel(logging.NOTSET)
    text = metrics.text({})
    assert numbers(text, "item_visibility_access_total") == {
        ("sign-in refused", ""): 1,
        ("refused", "viewer"): 1,
    }
    assert numbers(text, "item_visibility_screen_errors_total") == {(): 1}


def test_unknown_numbers_are_left_out_of_the_metrics(
    records: ServiceRecords, tmp_path: Path
) -> None:
    metrics = Metrics()
    metrics.text({ENVIRONMENT: records})
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as database:
        database.execute("ALTER TABLE job RENAME TO gone")
    text = metrics.text({ENVIRONMENT: records})
    assert numbers(text, "item_visibility_records_up") == {(): 0}
    assert (
        numbers(text, "item_visibility_jobs")
        == numbers(text, "item_visibility_job_rows")
        == {}
    )
