"""Is it us or them?"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.changes.plan import plan_changes
from item_visibility.cli.doctor_command import report_lines
from item_visibility.desk.connection.call_watch import RECENT, RECENT_CALLS
from item_visibility.desk.connection.examination import PROBE, ConnectionReport, StepState
from item_visibility.errors import CallError
from tests.support.desk import ITEM, OTHER_ITEM, PERSON, DeskKit, a_request, break_records, open_kit
from tests.support.fake_visibilities import (
    START,
    FakeCall,
    Fault,
    no_token,
    not_sent,
    refused,
    unknown_outcome,
)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item with two recipients."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        yield kit


def call(
    *,
    status: int | None = 200,
    operation: str = "addVisibility",
    failure: str = "",
    ahead_s: float | None = None,
    has_content: bool = False,
) -> CallRecord:
    """One request, and how far the service's clock was ahead."""
    return CallRecord(
        operation=operation,
        status=status,
        failure=failure,
        server_date=None if ahead_s is None else START + timedelta(seconds=ahead_s),
        has_content=has_content,
        sent_at=START,
    )


def summaries(report: ConnectionReport) -> dict[str, str]:
    """What each step of the report says."""
    return {step.name: step.summary for step in report.steps}


def failed(report: ConnectionReport) -> list[str]:
    """The steps that were not well."""
    return [step.name for step in report.steps if step.state is StepState.FAILED]


def test_everything_is_tried_in_order(kit: DeskKit) -> None:
    """Addresses, a token, one read, clocks, problems, our database, what was learned."""
    report = kit.desk.examine(ITEM)
    assert report.is_ok
    assert (report.environment, report.made_at) == ("test", START)
    assert summaries(report) == {
        "Addresses": "Service https://api.example.com/v1, tokens from https://login.example.com.",
        "Token": "A token was given; it lives for 300 s.",
        "One read": "The service answered: 2 recipients can see the item.",
        "Clocks": "Not compared: the service has not said its time.",
        "Last problem": "None since this program was started.",
        "Own database": "It answers; no save is open.",
        "Learned of the service": "Nothing yet: it is learned from saves.",
    }
    assert kit.fake.calls == [FakeCall("getVisibilities", ITEM)]


def test_a_token_without_a_lifetime_is_told(kit: DeskKit) -> None:
    """The specification promises none."""
    kit.fake.expires_in = None
    assert summaries(kit.desk.examine(ITEM))["Token"] == "A token was given; how long it lives was not said."


def test_without_a_token_nothing_is_read(kit: DeskKit) -> None:
    """The token's error is the finding, with its advice."""
    kit.fake.token_error = no_token()
    report = kit.desk.examine(ITEM)
    assert failed(report) == ["Token", "One read"]
    assert summaries(report)["Token"] == "There is no access token. Try again later."
    assert kit.fake.calls == []


def test_a_read_that_fails_is_a_step(kit: DeskKit) -> None:
    """The rest is examined all the same."""
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    report = kit.desk.examine(ITEM)
    assert failed(report) == ["One read"]
    assert len(report.steps) == 7


def test_an_item_without_recipients_is_an_answer(kit: DeskKit) -> None:
    """A 404 of getVisibilities is well."""
    report = kit.desk.examine(OTHER_ITEM)
    assert report.is_ok
    assert summaries(report)["One read"] == "The service answered: nothing is recorded for the item."


def test_the_item_that_was_used_last_is_read(kit: DeskKit) -> None:
    """When none is given."""
    kit.desk.remember_use(PERSON, ITEM)
    kit.desk.examine(None)
    assert kit.fake.calls == [FakeCall("getVisibilities", ITEM)]


@pytest.mark.parametrize("item", [None, ItemKey("..", "x"), ItemKey("S", "")])
def test_an_item_that_nobody_has_is_read_when_none_can_be(kit: DeskKit, item: ItemKey | None) -> None:
    """Nobody says that everything works without having asked: an empty 404 is an answer."""
    report = kit.desk.examine(item)
    assert (report.is_ok, report.headline) == (True, "Everything works.")
    assert kit.fake.calls == [FakeCall("getVisibilities", PROBE)]
    assert summaries(report)["One read"] == (
        "The service answered, asked about an item that nobody has (connection-test)."
    )


@pytest.mark.parametrize(
    "error",
    [not_sent("getVisibilities"), unknown_outcome("getVisibilities"), refused("getVisibilities", 403)],
)
def test_a_fresh_installation_on_a_dead_service_is_not_well(kit: DeskKit, error: CallError) -> None:
    """With nothing known here, the service is asked all the same."""
    kit.fake.faults.append(Fault("getVisibilities", error))
    report = kit.desk.examine(None)
    assert (report.is_ok, report.has_answered) == (False, False)
    assert report.headline == "Not everything works: see the steps marked as failed."


@pytest.mark.parametrize(
    ("ahead_s", "words", "failures"),
    [
        (0.4, "The service's clock and ours agree.", []),
        (12.0, "The service's clock is 12 s ahead of ours.", []),
        (-31.0, "The service's clock is 31 s behind ours.", ["Clocks"]),
    ],
)
def test_clocks_are_compared(kit: DeskKit, ahead_s: float, words: str, failures: list[str]) -> None:
    """From half a minute on tokens look expired, or not valid yet."""
    kit.watch.observe(call(ahead_s=ahead_s))
    report = kit.desk.examine(ITEM)
    assert summaries(report)["Clocks"] == words
    assert failed(report) == failures


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (call(status=503), "addVisibility: status 503"),
        (call(status=None, failure="no connection"), "addVisibility: no connection"),
        (call(status=302, operation="requestToken"), "requestToken: status 302"),
        (call(status=200, failure="something else answered"), "addVisibility: something else answered"),
        (call(status=404), "addVisibility: status 404"),
        (call(status=404, operation="getVisibilities"), "None since this program was started."),
        (call(status=204), "None since this program was started."),
    ],
)
def test_the_last_problem_is_told(kit: DeskKit, record: CallRecord, words: str) -> None:
    """A problem of the past does not make the connection bad now."""
    kit.watch.observe(record)
    report = kit.desk.examine(ITEM)
    assert report.is_ok
    assert summaries(report)["Last problem"] == words
    assert [step.state for step in report.steps if step.name == "Last problem"] == [StepState.NOTED]


@pytest.mark.parametrize(
    "failing",
    [
        call(status=503),
        call(status=None, failure="no connection"),
        call(status=401),
        call(status=429),
        call(status=400, operation="requestToken"),
        call(status=404, operation="getVisibilities", has_content=True),
    ],
)
def test_calls_that_failed_of_late_are_in_the_headline(kit: DeskKit, failing: CallRecord) -> None:
    """One read that goes well does not make everything work."""
    for record in [call(status=204)] * 7 + [failing] * 3:
        kit.watch.observe(record)
    report = kit.desk.examine(ITEM)
    assert report.is_ok
    assert report.headline == (
        f"It works now, but 3 of the last 10 calls failed. Last problem: {summaries(report)['Last problem']}."
    )


@pytest.mark.parametrize(
    "record",
    [call(status=400), call(status=409), call(status=404), call(status=404, operation="getVisibilities")],
)
def test_a_refusal_is_no_sign_of_a_bad_connection(kit: DeskKit, record: CallRecord) -> None:
    """The service answered: it did not like what was asked, or has nothing recorded."""
    kit.watch.observe(record)
    assert kit.desk.examine(ITEM).headline == "Everything works."


def test_calls_that_failed_long_ago_are_not_in_the_headline(kit: DeskKit) -> None:
    """The last problem is told all the same, with its time."""
    kit.watch.observe(call(status=503))
    kit.fake.time.sleep(RECENT.total_seconds() + 1)
    report = kit.desk.examine(ITEM)
    assert report.headline == "Everything works."
    assert summaries(report)["Last problem"] == "addVisibility: status 503"
    assert [step.happened_at for step in report.steps if step.name == "Last problem"] == [START]


def test_the_headline_speaks_of_so_many_calls_at_most(kit: DeskKit) -> None:
    """A failure before them is over."""
    for record in [call(status=503)] + [call(status=204)] * RECENT_CALLS:
        kit.watch.observe(record)
    assert kit.desk.examine(ITEM).headline == "Everything works."


def test_open_saves_are_counted(kit: DeskKit) -> None:
    """They are settled at the next start, or are running."""
    request = a_request(ITEM, add={"C"})
    plan = plan_changes(ITEM, current=frozenset(), add=request.add, remove=frozenset())
    kit.records.history.begin(request, plan, started_at=START)
    assert summaries(kit.desk.examine(ITEM))["Own database"] == "It answers; open saves: 1."


def test_what_was_learned_of_the_service_is_told(kit: DeskKit) -> None:
    """Whether a set replaces or merges, once a save has shown it."""
    kit.records.facts.observe("put", "merges", observed_at=START)
    assert summaries(kit.desk.examine(ITEM))["Learned of the service"] == "put merges, seen 2026-11-21"


def test_a_database_that_fails_is_a_step(kit: DeskKit, tmp_path: Path) -> None:
    """Without it no change can be saved."""
    break_records(tmp_path)
    assert failed(kit.desk.examine(ITEM)) == ["Own database", "Learned of the service"]


def test_the_doctor_prints_a_line_a_step(kit: DeskKit) -> None:
    """What failed stands out, and the last line is the verdict."""
    kit.fake.token_error = no_token()
    lines = report_lines(kit.desk.examine(ITEM))
    assert lines[0] == "test, examined at 2026-11-21 14:00:00 UTC"
    assert lines[2] == "  FAILED  Token                   There is no access token. Try again later. (0 ms)"
    assert lines[3] == "  FAILED  One read                Not tried: without a token no call is made."
    assert lines[-1] == "Not everything works: see the steps marked as failed."


def test_the_doctor_tells_the_time_of_the_last_problem(kit: DeskKit) -> None:
    """In UTC, as its heading; a screen tells it in the reader's time."""
    kit.watch.observe(call(status=503))
    (line,) = (one for one in report_lines(kit.desk.examine(ITEM))[:-1] if "Last problem" in one)
    assert line.endswith("addVisibility: status 503, 2026-11-21 14:00:00 UTC")


def test_the_doctor_says_when_all_is_well(kit: DeskKit) -> None:
    """In the last line."""
    assert report_lines(kit.desk.examine(ITEM))[-1] == "Everything works."
