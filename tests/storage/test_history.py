"""The history on either database, with any text unchanged."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail
from item_visibility.model.change import (
    ChangeKind,
    ChangeOperation,
    ChangePlan,
    ChangeRequest,
    ChangeStep,
    Goal,
    plan_changes,
)
from item_visibility.model.outcome import (
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.storage.database import Database
from item_visibility.storage.history import History
from tests.storage.entries import minute
from tests.support.fake_visibilities import START

ITEM = ItemKey("4000001000005", "04012345678901:276")
ODD_ITEM = ItemKey("s\x00\ud800", "x" * 5_000)
ODD_IDS = frozenset(
    {"", "..", "\x00", "\ud800", "\x1b0000", "é", "e\u0301", "y" * 5_000}
)
PATH = "/v1/itemvisibilities/S/I"
TOKEN = CallRecord(
    "requestToken", 200, took_s=0.2, method="POST", path="/auth/realms/x", sent_at=START
)
READ = CallRecord(
    "getVisibilities", 200, request_id="f00d", method="GET", path=PATH, sent_at=START
)
REFUSED = CallRecord(
    "addVisibility",
    400,
    request_id="beef",
    took_s=1.234,
    method="PUT",
    path=f"{PATH}/recipient/a%2Fb",
    problem=ProblemDetail(400, "No\x00", "Because \ud800.", "urn:x"),
    attempt=2,
    sent_at=START + timedelta(milliseconds=1_500),
)
LOST = CallRecord(
    "removeVisibility",
    None,
    "no answer came in time",
    method="DELETE",
    path=f"{PATH}/recipient/c",
    sent_at=minute(2),
)
ALL = (TOKEN, READ, REFUSED, LOST)


def ask(
    key: str, *, item: ItemKey = ITEM, add: Sequence[str] = ("B",)
) -> ChangeRequest:
    return ChangeRequest(
        key=key,
        item=item,
        base=frozenset("A"),
        add=frozenset(add),
        remove=frozenset("Z"),
        person="ada",
        reason="asked by phone",
        kind=ChangeKind.UNDO,
        undo_of="earlier",
    )


def plan_of(request: ChangeRequest, current: str | frozenset[str] = "A") -> ChangePlan:
    return plan_changes(
        request.item, current=frozenset(current), add=request.add, remove=request.remove
    )


def result_of(
    request: ChangeRequest, verdict: Verdict, *, after: frozenset[str] | None
) -> SaveResult:
    steps = (
        StepResult(ChangeStep("Z", Goal.NOT_VISIBLE), Outcome.IN_PLACE),
        StepResult(
            ChangeStep("B", Goal.VISIBLE),
            Outcome.REFUSED,
            attempts=3,
            problem=ProblemDetail(400, "No\x00", "Because \ud800.", "urn:x", "f00d"),
            message="The service refused it.",
        ),
    )
    return SaveResult(
        item=request.item,
        verdict=verdict,
        steps=steps,
        others=OthersChanges(added=ODD_IDS, removed=frozenset("R")),
        before=frozenset("A"),
        after=after,
        started_at=START,
        ended_at=START,
        message="Not every change was made.",
        advice="Ask.",
    )


def test_a_started_save_is_recorded_with_its_request(history: History) -> None:
    request = ask("k")
    assert history.begin(request, plan_of(request), started_at=START) is None
    entry = history.entry("k")
    assert entry is not None
    assert entry.service == "default"
    assert entry.request == request
    assert entry.started_at == START
    assert entry.verdict is None
    assert entry.result is None
    assert entry.steps == (
        StepResult(ChangeStep("B", Goal.VISIBLE), Outcome.UNKNOWN),
        StepResult(ChangeStep("Z", Goal.NOT_VISIBLE), Outcome.IN_PLACE),
    )


@pytest.mark.parametrize("operation", ChangeOperation)
def test_an_entry_names_its_operation_and_has_the_content_of_its_request(
    history: History, operation: ChangeOperation
) -> None:
    request = replace(ask("k", add=()), base=frozenset("Z"), operation=operation)
    history.begin(request, plan_of(request, "Z"), started_at=START)
    entry = history.entry("k")
    assert entry is not None
    assert entry.request.operation is operation
    assert entry.request.has_content_of(request)


@pytest.mark.parametrize(
    ("item", "after"),
    [
        (ITEM, None),
        (ITEM, frozenset()),
        (ITEM, frozenset({""})),
        (ITEM, frozenset("AC")),
        (ODD_ITEM, ODD_IDS),
    ],
    ids=["not read", "an empty list", "an empty id", "a list", "any text"],
)
def test_an_ended_save_is_read_with_its_outcome(
    history: History, item: ItemKey, after: frozenset[str] | None
) -> None:
    request = ask("k", item=item, add=sorted(ODD_IDS - {""}))
    current = ODD_IDS - {"..", "\x00"}
    history.begin(request, plan_of(request, current), started_at=START)
    result = replace(result_of(request, Verdict.DIFFERS, after=after), before=current)
    history.record_result("k", replace(result, exchanges=ALL))
    entry = history.entry("k")
    assert entry is not None
    assert entry.result == result
    assert entry.request.base == current
    assert entry.was_settled_later is False
    assert [step.problem and step.problem.request_id for step in entry.steps] == [
        None,
        "f00d",
    ]
    assert history.exchanges("k") == ALL
    assert history.exchanges("none") == ()


def test_a_key_is_used_once(history: History) -> None:
    first = ask("k")
    second = ask("k", add=["C"])
    history.begin(first, plan_of(first), started_at=START)
    in_the_way = history.begin(second, plan_of(second), started_at=START)
    assert in_the_way is not None
    assert in_the_way == history.entry("k")
    assert in_the_way.request == first


def test_a_key_can_be_used_again_if_nothing_was_sent(history: History) -> None:
    first = ask("k")
    second = ask("k", add=["C"])
    history.begin(first, plan_of(first), started_at=START)
    history.record_result("k", result_of(first, Verdict.NOTHING_SENT, after=None))
    assert history.begin(second, plan_of(second), started_at=START) is None
    entry = history.entry("k")
    assert entry is not None
    assert entry.verdict is None
    assert entry.request == second


def test_an_interrupted_save_is_settled_once(history: History) -> None:
    request = ask("k")
    history.begin(request, plan_of(request), started_at=START)
    history.record_result(
        "k", result_of(request, Verdict.DIFFERS, after=frozenset("A")), is_late=True
    )
    history.record_result(
        "k", result_of(request, Verdict.VERIFIED, after=frozenset("B")), is_late=True
    )
    found = history.entry("k")
    history.record_result(
        "k", result_of(request, Verdict.VERIFIED, after=frozenset("B"))
    )
    ended = history.entry("k")
    assert found is not None
    assert ended is not None
    assert found.verdict is Verdict.DIFFERS
    assert found.was_settled_later is True
    assert ended.verdict is Verdict.VERIFIED
    assert ended.was_settled_later is False


def test_open_saves_are_found_oldest_first_and_the_latest_of_an_item(
    history: History,
) -> None:
    for key, item in (("c", ITEM), ("ended", ITEM), ("other", ODD_ITEM), ("b", ITEM)):
        request = ask(key, item=item)
        history.begin(request, plan_of(request), started_at=START)
    history.record_result(
        "ended", result_of(ask("ended"), Verdict.VERIFIED, after=frozenset("B"))
    )
    latest = history.latest(ITEM)
    assert [entry.request.key for entry in history.open_saves()] == ["c", "other", "b"]
    assert [entry.request.key for entry in history.open_saves(ITEM)] == ["c", "b"]
    assert latest is not None
    assert latest.request.key == "b"


def test_data_of_different_services_is_kept_apart(
    records: Database, history: History
) -> None:
    elsewhere = History(records, service="test")
    history.begin(ask("k"), plan_of(ask("k")), started_at=START)
    assert elsewhere.entry("k") is None
    assert elsewhere.latest(ITEM) is None
    assert elsewhere.open_saves() == ()
    assert elsewhere.begin(ask("k"), plan_of(ask("k")), started_at=START) is None
