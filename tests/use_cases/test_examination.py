"""Is it us or them? The service that was tried, and the report of it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail, RecordsError
from item_visibility.saving.plan import plan_changes
from item_visibility.use_cases.connection import PROBE, ConnectionReport, examine, report_lines
from item_visibility.use_cases.ticket import in_utc
from item_visibility.use_cases.us_or_them import Level
from tests.support.desk import (
    ITEM,
    TEST_ENVIRONMENT,
    DeskKit,
    a_request,
    open_kit,
)
from tests.support.fake_visibilities import (
    START,
    FakeCall,
    Fault,
    no_token,
    not_sent,
)

WELL = "Their service answers. Our side is fine."


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        yield kit


FAILED = CallRecord("addVisibility", 503, sent_at=START)


def summaries(report: ConnectionReport) -> dict[str, str]:
    return {step.name: step.summary for step in report.steps}


def failed(report: ConnectionReport) -> list[str]:
    """The steps that were not well."""
    return [step.name for step in report.steps if not step.is_ok]


def test_everything_is_tried_in_order(kit: DeskKit) -> None:
    report = examine(kit.desk, ITEM)
    assert report.is_ok
    assert (report.environment, report.made_at) == ("test", START)
    assert report.addresses == "Service https://api.example.com/v1, tokens from https://login.example.com."
    assert summaries(report) == {
        "Token": "A token was given; it lives for 300 s.",
        "One read": "The service answered: 2 recipients can see the item.",
        "Own database": "It answers; no save is open.",
    }
    assert kit.fake.calls == [FakeCall("getVisibilities", ITEM)]


def test_no_token_is_in_the_report(kit: DeskKit) -> None:
    TEST_ENVIRONMENT.credentials.tokens.append("opaque-token-of-today")
    problem = ProblemDetail(400, title="No opaque-token-of-today here")
    kit.watch.observe(replace(FAILED, status=400, path="/S/opaque-token-of-today", problem=problem))
    report = examine(kit.desk, ITEM)
    assert [(one.path, one.problem and one.problem.title) for one in report.calls] == [
        ("/S/[hidden]", "No [hidden] here")
    ]


def test_a_token_without_a_lifetime_is_a_token(kit: DeskKit) -> None:
    kit.fake.expires_in = None
    token = summaries(examine(kit.desk, ITEM))["Token"]
    assert token == "A token was given; how long it lives was not said."


def test_without_a_token_nothing_is_read(kit: DeskKit) -> None:
    kit.fake.token_error = no_token()
    report = examine(kit.desk, ITEM)
    assert (failed(report), len(report.steps)) == (["Token"], 2)
    assert summaries(report)["Token"] == "There is no access token. Try again later."
    assert kit.fake.calls == []


def test_a_read_that_fails_is_a_step(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    report = examine(kit.desk, None)
    assert failed(report) == ["One read"]
    assert [step.name for step in report.steps] == ["Token", "One read", "Own database"]
    assert (report.is_ok, report.judgement.level) == (False, Level.BROKEN)


def test_the_item_that_was_used_last_is_read(kit: DeskKit) -> None:
    kit.desk.remember_use(ITEM)
    examine(kit.desk, None)
    assert kit.fake.calls == [FakeCall("getVisibilities", ITEM)]


@pytest.mark.parametrize("item", [None, ItemKey("..", "x"), ItemKey("S", "")])
def test_an_item_that_does_not_exist_is_read_when_no_other_can_be(kit: DeskKit, item: ItemKey | None) -> None:
    report = examine(kit.desk, item)
    assert (report.is_ok, report.judgement.sentence(in_utc)) == (True, WELL)
    assert kit.fake.calls == [FakeCall("getVisibilities", PROBE)]
    assert summaries(report)["One read"] == (
        "The service answered, asked about a test item (connection-test)."
    )


def test_open_saves_are_counted(kit: DeskKit) -> None:
    request = a_request(ITEM, add={"C"})
    plan = plan_changes(ITEM, current=frozenset(), add=request.add, remove=frozenset())
    kit.records.history.begin(request, plan, started_at=START)
    assert summaries(examine(kit.desk, ITEM))["Own database"] == "It answers; open saves: 1."


def test_a_database_that_cannot_be_written_is_reported(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    full = RecordsError("The database or its disk is full.", advice="Ask whoever runs it.")
    monkeypatch.setattr(kit.records, "check_writing", Mock(side_effect=full))
    report = examine(kit.desk, ITEM)
    assert (failed(report), report.is_ok) == (["Own database"], False)
    assert report.judgement.sentence(in_utc) == (
        "Our side: our own database cannot be used. Their service answers."
    )


def test_the_report_as_text_begins_with_the_sentence(kit: DeskKit) -> None:
    kit.watch.observe(
        replace(
            FAILED,
            method="PUT",
            path="/v1/itemvisibilities/S/I/recipient/R",
            request_id="f00d",
            attempt=2,
            took_s=0.05,
            problem=ProblemDetail(503, "Busy", "Come back. client_secret=abc"),
        )
    )
    lines = list(report_lines(examine(kit.desk, ITEM)))
    assert lines[0].startswith("Their service fails. Since 2026-11-21 14:00:00 UTC, 1 of 1 calls failed")
    assert lines[1].startswith("Use Copy for ticket below")
    assert lines[2] == "test, examined at 2026-11-21 14:00:00 UTC"
    assert lines[4].startswith("  ok      Token         A token was given; it lives for 300 s. (")
    assert lines[-5:] == [
        "The last hour, in this process:",
        "  addVisibility: 1 calls, 1 failed; 50 % within 52 ms, 95 % within 52 ms, 99 % within 52 ms",
        "",
        "The last exchanges:",
        (
            "  2026-11-21 14:00:00.000 UTC | PUT /v1/itemvisibilities/S/I/recipient/R | "
            "503 in 50 ms, attempt 2 | X-Request-ID f00d | Busy: Come back. [hidden]"
        ),
    ]
