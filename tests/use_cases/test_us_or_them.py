"""The sentence about whose fault it is, and the connection check."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.client.answers import (
    Failure,
    HttpAnswer,
    NoAnswer,
    Result,
    Success,
    read_answer,
)
from item_visibility.client.call_records import CallRecord, observe
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    Operation,
)
from item_visibility.errors import (
    ItemVisibilityError,
    ProblemDetail,
    RecordsError,
    RefusedError,
)
from item_visibility.use_cases.check.answer import in_utc
from item_visibility.use_cases.connection_check import (
    PROBE,
    ConnectionReport,
    examine,
    report_lines,
)
from item_visibility.use_cases.recent_calls import (
    KEPT_CALLS,
    RECENT,
    CallWatch,
    OperationHour,
)
from item_visibility.use_cases.us_or_them import (
    Cause,
    Judgement,
    Level,
    cause_of,
    judge_connection,
)
from tests.storage.entries import begin
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, open_kit
from tests.support.fake_visibilities import START, FakeCall, Fault, no_token, not_sent
from tests.support.waiting import START as NOON
from tests.support.waiting import HandClock

OK = CallRecord("addVisibility", 204, took_s=0.02, sent_at=NOON)
READ = replace(OK, operation="getVisibilities", status=200)
TOKEN = replace(OK, operation="requestToken", status=200)
BROKEN = replace(OK, status=503)
NOT_FOUND = replace(READ, status=404, has_content=True, failure="not like the service")
WELL = "Their service answers. Our side is fine."


@pytest.fixture
def watch() -> CallWatch:
    return CallWatch(HandClock().now)


def after(
    *calls: CallRecord,
    minutes: int = 5,
    error: ItemVisibilityError | None = None,
    is_database_well: bool = True,
) -> Judgement:
    """Return the judgement after these calls, the last `minutes` after the others."""
    now = NOON + timedelta(minutes=minutes)
    watch = CallWatch(lambda: now)
    for call in calls[:-1]:
        watch.observe(call)
    for call in calls[-1:]:
        watch.observe(replace(call, sent_at=now))
    return judge_connection(
        watch.recent, error=error, is_database_well=is_database_well
    )


def sentence_of(judgement: Judgement) -> str:
    return judgement.sentence(lambda at: f"{at:%H:%M}")


def no_answer(reason: NoAnswer, call: CallRecord = READ) -> CallRecord:
    return replace(call, status=None, failure=reason.value.fact)


@pytest.mark.parametrize(
    ("calls", "minutes"),
    [((), 5), ((OK,) * 90, 5), ((replace(OK, status=409),), 5), ((BROKEN, OK, OK), 16)],
    ids=["none", "all well", "refused", "an older failure"],
)
def test_without_failures_all_is_well(
    calls: tuple[CallRecord, ...], minutes: int
) -> None:
    judgement = after(*calls, minutes=minutes)
    assert sentence_of(judgement) == WELL
    assert judgement.level == Level.WELL
    assert judgement.advice == ""


@pytest.mark.parametrize(
    ("calls", "sentence"),
    [
        (
            (*[OK] * 3, BROKEN, *[OK] * 59, *[BROKEN] * 26),
            (
                "Their service fails. Since 12:00, 27 of 86 calls failed, the last one "
                "with a 503 at 12:05"
            ),
        ),
        (
            (BROKEN, replace(OK, attempt=2), BROKEN),
            (
                "Their service fails. Since 12:00, 2 of 3 calls failed, the last one "
                "with a 503 at 12:05; "
                "some retries succeed"
            ),
        ),
        (
            (OK, no_answer(NoAnswer.LATE)),
            (
                "Their service fails. Since 12:05, 1 of 1 calls failed, the last one "
                "at 12:05"
            ),
        ),
        (
            (replace(TOKEN, status=500), TOKEN, OK),
            (
                "Their token endpoint fails. Since 12:00, 1 of 3 calls failed, the "
                "last one with a 500 at 12:00"
            ),
        ),
    ],
)
def test_failed_calls_are_counted_in_the_sentence(
    calls: tuple[CallRecord, ...], sentence: str
) -> None:
    judgement = after(*calls)
    assert (
        sentence_of(judgement)
        == f"{sentence}; the service answers now. Our side is fine."
    )
    assert judgement.level is Level.IN_PART
    assert judgement.advice.startswith('Press "Copy for ticket" below')


ANOTHER = (
    "Our side: something other than the service answers at its configured address."
)
LIMITED = "Between us and them: they limit how often we may send requests."


@pytest.mark.parametrize(
    ("call", "subject"),
    [
        (no_answer(NoAnswer.EXPIRED), "Their certificate has expired."),
        (no_answer(NoAnswer.OTHER_HOST), "Their certificate is for another host."),
        (no_answer(NoAnswer.BROKEN), "Their service fails."),
        (
            replace(TOKEN, status=401),
            "Our side: the token endpoint refuses our client id or secret.",
        ),
        (
            replace(READ, status=403),
            "Our side: their service refuses access to our client.",
        ),
        (
            replace(READ, status=401),
            (
                "Between us and them: their service refuses the tokens that their "
                "token endpoint gives us."
            ),
        ),
        (replace(READ, status=429), LIMITED),
        (replace(TOKEN, status=429), LIMITED),
        (NOT_FOUND, ANOTHER),
        (replace(TOKEN, status=404), ANOTHER),
        (replace(READ, status=302), ANOTHER),
        (
            no_answer(NoAnswer.CONNECTION),
            "Between us and them: no connection could be made.",
        ),
        (
            no_answer(NoAnswer.NAME),
            "Our side: our network cannot find the name of their host.",
        ),
        (
            no_answer(NoAnswer.CERTIFICATE),
            "Our side: their certificate is not trusted here.",
        ),
        (no_answer(NoAnswer.PROXY), "Our side: our proxy does not connect to them."),
    ],
)
def test_each_cause_has_its_sentence(call: CallRecord, subject: str) -> None:
    judgement = after(*[call] * 3, error=not_sent())
    status = f" with a {call.status}" if call.status else ""
    end = " Our side is fine." if subject.startswith("Their") else ""
    assert sentence_of(judgement) == (
        f"{subject} Since 12:00, 3 of 3 calls failed, the last one{status} at "
        f"12:05.{end}"
    )
    assert judgement.level == Level.BROKEN
    assert judgement.advice[-1] == "."


def test_the_sentence_names_an_error_that_happened_without_a_call() -> None:
    judgement = after(error=no_token())
    assert sentence_of(judgement) == "The test failed. There is no access token."
    assert judgement.level == Level.BROKEN
    assert judgement.advice == "Try again later."


def test_failures_on_both_sides_are_both_named() -> None:
    failed = after(BROKEN, BROKEN, OK, no_answer(NoAnswer.NAME), error=not_sent())
    assert sentence_of(failed) == (
        "Our side: our network cannot find the name of their host. Since 12:00, 1 of "
        "4 calls failed, "
        "the last one at 12:05. Their service fails. Since 12:00, 2 of 4 calls "
        "failed, the last one "
        "with a 503 at 12:00."
    )


def test_a_fault_of_our_database_is_on_our_side() -> None:
    ours = after(OK, is_database_well=False)
    both = after(BROKEN, is_database_well=False)
    words = "Our side: our own database cannot be used."
    assert sentence_of(ours) == f"{words} Their service answers."
    assert "database" in ours.advice
    assert sentence_of(both).endswith(f"the service answers now. {words}")
    assert ours.level == Level.BROKEN
    assert both.level == Level.BROKEN


@pytest.mark.parametrize(
    ("call", "is_failure"),
    [
        (replace(OK, status=401, is_renewed=True), False),
        (replace(OK, status=200, failure="it is no list"), True),
        (replace(OK, status=400), False),
        (replace(TOKEN, status=400), True),
        (replace(READ, status=404), False),
        (NOT_FOUND, True),
    ],
)
def test_a_refused_request_is_not_a_fault(call: CallRecord, is_failure: bool) -> None:  # noqa: FBT001  (a case)
    assert (cause_of(call) is not None) == is_failure


def answered(
    call: CallRecord, operation: Operation, status: int
) -> tuple[Result, Cause | None]:
    """Return the result of a call with this status, and the cause on the page."""
    result = read_answer(operation, HttpAnswer(status))
    failure = result.unusable_because if isinstance(result, Failure) else ""
    return result, cause_of(replace(call, status=status, failure=failure))


def refuses_only_this_request(result: Result, status: int) -> bool:
    is_refusal = isinstance(result, Failure) and issubclass(
        result.meaning.error, RefusedError
    )
    return is_refusal and status not in {401, 403, 425, 429}


def test_the_client_and_this_page_agree_about_every_status_of_a_write() -> None:
    disagreeing = []
    for status in range(100, 600):
        result, cause = answered(OK, ADD_VISIBILITY, status)
        is_well = isinstance(result, Success) or refuses_only_this_request(
            result, status
        )
        if is_well != (cause is None):
            disagreeing.append(status)
    assert disagreeing == []


def test_the_client_and_this_page_agree_about_every_status_of_a_read() -> None:
    disagreeing = []
    for status in range(100, 600):
        result, cause = answered(READ, GET_VISIBILITIES, status)
        if isinstance(result, Success) != (cause is None):
            disagreeing.append(status)
    assert disagreeing == []


def test_many_calls_of_a_job_do_not_hide_a_failure() -> None:
    watch = CallWatch(lambda: NOON + RECENT)
    for second, call in enumerate([BROKEN, *[OK] * 800]):
        watch.observe(replace(call, sent_at=NOON + timedelta(seconds=second)))
    judgement = judge_connection(watch.recent, error=None, is_database_well=True)
    assert sentence_of(judgement).startswith(
        "Their service fails. Since 12:00, 1 of 801 calls"
    )


def test_the_last_calls_and_failed_calls_are_returned_newest_first(
    watch: CallWatch,
) -> None:
    calls = [BROKEN, *[OK] * (KEPT_CALLS + 70), BROKEN]
    in_order = [
        replace(one, sent_at=NOON + timedelta(seconds=at))
        for at, one in enumerate(calls)
    ]
    for call in in_order:
        watch.observe(call)
    assert watch.exchanges == (*reversed(in_order[-KEPT_CALLS:]), in_order[0])


def test_the_last_hour_is_counted_by_operation(watch: CallWatch) -> None:
    for took_s in (0.01, 0.02, 0.03, 10.0):
        watch.observe(replace(OK, took_s=took_s))
    watch.observe(replace(BROKEN, operation="getVisibilities", took_s=0))
    reads, additions = sorted(watch.last_hour, key=lambda hour: hour.count)
    assert reads == OperationHour("getVisibilities", 1, 1, (0, 0, 0))
    assert additions == OperationHour("addVisibility", 4, 0, (0.02, 10.0, 10.0))


def test_what_is_older_than_an_hour_is_not_counted() -> None:
    clock = HandClock()
    watch = CallWatch(clock.now)
    watch.observe(OK)
    clock.move(3_601.0)
    assert watch.last_hour == ()
    watch.observe(replace(OK, sent_at=clock.now()))
    assert [hour.count for hour in watch.last_hour] == [1]


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        yield kit


def summaries(report: ConnectionReport) -> dict[str, str]:
    return {step.name: step.summary for step in report.steps}


def failed(report: ConnectionReport) -> list[str]:
    return [step.name for step in report.steps if step.is_ok is False]


def test_the_steps_run_in_order(kit: DeskKit) -> None:
    kit.watch.observe(
        replace(READ, sent_at=START, clock_ahead_s=400.0)
    )  # earlier answers do not count
    report = examine(kit.desk, ITEM)
    assert report.is_ok
    assert report.environment == "test"
    assert report.made_at == START
    assert (
        report.addresses
        == "Service https://api.example.com/v1, tokens from https://login.example.com."
    )
    assert summaries(report) == {
        "Token": "Received a token that is valid for 300 s.",
        "One read": "The service answered: 2 recipients can see the item.",
        "Clocks": "Not known: no answer to this check contained a time.",
        "Own database": "It works. Unfinished saves: 0.",
    }
    assert kit.fake.calls == [FakeCall("getVisibilities", ITEM)]


def test_no_token_is_in_the_report(kit: DeskKit) -> None:
    TEST_ENVIRONMENT.credentials.tokens.append("opaque-token-of-today")
    problem = ProblemDetail(400, title="No opaque-token-of-today here")
    kit.watch.observe(
        replace(
            BROKEN,
            sent_at=START,
            status=400,
            path="/S/opaque-token-of-today",
            problem=problem,
        )
    )
    report = examine(kit.desk, ITEM)
    (call,) = report.calls
    assert [(call.path, call.problem and call.problem.title)] == [
        ("/S/[hidden]", "No [hidden] here")
    ]


def test_a_token_without_a_lifetime_is_a_token(kit: DeskKit) -> None:
    kit.fake.expires_in = None
    token = summaries(examine(kit.desk, ITEM))["Token"]
    assert token == "Received a token of unknown lifetime."


def test_without_a_token_nothing_is_read(kit: DeskKit) -> None:
    kit.fake.token_error = no_token()
    report = examine(kit.desk, ITEM)
    assert failed(report) == ["Token"]
    assert len(report.steps) == 3
    assert kit.fake.calls == []
    assert summaries(report)["Token"] == "There is no access token. Try again later."


def test_a_failed_read_is_reported_as_a_step(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", not_sent()))
    report = examine(kit.desk, None)
    assert failed(report) == ["One read"]
    assert len(report.steps) == 4
    assert not report.is_ok
    assert report.judgement.level == Level.BROKEN


@pytest.mark.parametrize(
    ("ahead_s", "fault"),
    [
        (30.0, ""),
        (400.2, "our clock is 400 s ahead of theirs"),
        (-400.2, "our clock is 400 s behind theirs"),
    ],
)
def test_different_clocks_are_reported(
    kit: DeskKit, ahead_s: float, fault: str
) -> None:
    kit.fake.before_call = lambda _: observe(
        replace(READ, clock_ahead_s=ahead_s), kit.watch.observe
    )
    report = examine(kit.desk, ITEM)
    assert report.is_ok is (not fault)
    assert ("Our side is fine" in report.judgement.sentence(in_utc)) is (not fault)
    assert fault in report.judgement.sentence(in_utc)
    assert (
        summaries(report)["Clocks"]
        .lower()
        .startswith(fault or "our clock and theirs agree.")
    )


def test_the_item_that_was_used_last_is_read(kit: DeskKit) -> None:
    kit.desk.remember_use(ITEM)
    examine(kit.desk, None)
    assert kit.fake.calls == [FakeCall("getVisibilities", ITEM)]


@pytest.mark.parametrize("item", [None, ItemKey("..", "x"), ItemKey("S", "")])
def test_if_no_item_is_known_an_item_that_does_not_exist_is_read(
    kit: DeskKit, item: ItemKey | None
) -> None:
    report = examine(kit.desk, item)
    assert report.is_ok
    assert report.judgement.sentence(in_utc) == WELL
    assert kit.fake.calls == [FakeCall("getVisibilities", PROBE)]
    assert summaries(report)["One read"] == (
        "The service answered a request for a test item (connection-test)."
    )


def test_open_saves_are_counted(kit: DeskKit) -> None:
    begin(kit.records.history, "open", item=ITEM, add="C")
    assert (
        summaries(examine(kit.desk, ITEM))["Own database"]
        == "It works. Unfinished saves: 1."
    )


def test_a_database_that_cannot_be_written_is_reported(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = RecordsError(
        "The database or its disk is full.", advice="Ask whoever runs it."
    )
    monkeypatch.setattr(kit.records, "check_writing", Mock(side_effect=full))
    report = examine(kit.desk, ITEM)
    assert failed(report) == ["Own database"]
    assert not report.is_ok
    assert report.judgement.sentence(in_utc) == (
        "Our side: our own database cannot be used. Their service answers."
    )


def test_the_report_as_text_begins_with_the_sentence(kit: DeskKit) -> None:
    problem = ProblemDetail(503, "Busy", "Come back. client_secret=abc")
    sent = replace(
        BROKEN,
        sent_at=START,
        method="PUT",
        path="/v1/S/I/recipient/R",
        request_id="f00d",
    )
    kit.watch.observe(replace(sent, attempt=2, took_s=0.05, problem=problem))
    lines = list(report_lines(examine(kit.desk, ITEM)))
    assert lines[0].startswith(
        "Their service fails. Since 2026-11-21 14:00:00 UTC, 1 of 1 calls failed"
    )
    assert lines[1].startswith('Press "Copy for ticket" below')
    assert lines[2] == "test, examined at 2026-11-21 14:00:00 UTC"
    assert lines[4].startswith(
        "  ok      Token         Received a token that is valid for 300 s. ("
    )
    assert (
        lines[6]
        == "  ?       Clocks        Not known: no answer to this check contained a "
        "time. (0 ms)"
    )
    assert lines[-5:] == [
        "The last hour, in this process:",
        (
            "  addVisibility: 1 call, 1 failed; 50 % within 50 ms, 95 % within 50 ms, "
            "99 % within 50 ms"
        ),
        "",
        "The last exchanges:",
        (
            "  2026-11-21 14:00:00.000 UTC | PUT /v1/S/I/recipient/R | 503 in 50 ms, "
            "attempt 2 "
            "| X-Request-ID f00d | Busy: Come back. [hidden]"
        ),
    ]
