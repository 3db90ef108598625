"""Saves on a failing service, and many calls at once: every report is true."""

import random
import threading
from collections.abc import Callable
from itertools import product

import pytest

from item_visibility.client.call_records import ignore
from item_visibility.client.http_calls import ClosedError
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeOperation, ChangeRequest
from item_visibility.model.outcome import Outcome, Verdict
from item_visibility.saving.send_and_verify import CALLS_AT_ONCE
from tests.saving.saving import (
    FAILURE_IDS,
    FAILURES,
    FOR_GOOD,
    GET,
    ITEM,
    OTHER_ITEM,
    READS_AFTER,
    Bench,
    ErrorFactory,
    ask,
    asked,
    bench,
    broken_promises,
    fail_read_backs,
    gateway_refuses,
    outcomes,
    spoil,
)
from tests.support.fake_visibilities import (
    EVERY_SEMANTICS,
    FakeCall,
    FakeVisibilities,
    Fault,
    Semantics,
    no_token,
    not_sent,
    refused,
    unknown_outcome,
)

ADD = "addVisibility"
REMOVE = "removeVisibility"
SINGLY = ask(base="ABC", add="N", remove="A")
AS_LIST = ask(
    base=[*"ABC", "."], add=["N", ".."], remove=["."], operation=ChangeOperation.SET
)
"""A request with ids that a path cannot contain."""
WITHDRAWN = ask(
    base=[".", ".."],
    remove=[".", ".."],
    confirmed_count=2,
    operation=ChangeOperation.REMOVE_ALL,
)
REQUESTS = (SINGLY, AS_LIST, WITHDRAWN)
BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


@pytest.mark.parametrize("semantics", EVERY_SEMANTICS, ids=str)
@pytest.mark.parametrize("reads", READS_AFTER)
@pytest.mark.parametrize("failure", FAILURES, ids=FAILURE_IDS)
def test_every_report_is_true_whatever_fails(
    semantics: Semantics, failure: tuple[ErrorFactory, bool], reads: str
) -> None:
    for request, times in product(REQUESTS, (0, 1, 2, FOR_GOOD)):
        fake = FakeVisibilities({ITEM: request.base or ()}, semantics=semantics)
        spoil(fake, failure, times, reads)
        result = Bench(fake).save(request)
        truth = fake.recipients_of(ITEM)
        assert broken_promises(result, truth) == [], (request.operation, times)
        assert (truth ^ frozenset(request.base or ())) <= request.add | request.remove


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("error", dict.fromkeys(error for error, _ in FAILURES))
def test_a_list_that_cannot_be_read_is_not_changed(
    request_: ChangeRequest, error: ErrorFactory
) -> None:
    fake = FakeVisibilities({ITEM: request_.base or ()})
    fake.faults = [Fault(GET, error()) for _ in range(FOR_GOOD)]
    assert Bench(fake).save(request_).verdict is Verdict.NOTHING_SENT
    assert fake.writes == []


@pytest.mark.parametrize("moment", ["start", "first read", "first write", "read back"])
@pytest.mark.parametrize("failure", [(unknown_outcome, True), (refused, False)])
@pytest.mark.parametrize("times", [0, FOR_GOOD])
def test_our_own_database_failing_makes_no_result_false(
    moment: str, failure: tuple[ErrorFactory, bool], times: int
) -> None:
    desk = bench(*"ABC")
    spoil(desk.fake, failure, times, "right")

    def fail_from_now_on(call: FakeCall) -> None:
        is_now = {
            "first read": True,
            "first write": call.operation != GET,
            "read back": desk.fake.writes,
        }
        desk.history.error = BROKEN if is_now[moment] else desk.history.error

    if moment == "start":
        desk.history.error = BROKEN
    else:
        desk.fake.before_call = fail_from_now_on
    assert broken_promises(desk.save(SINGLY), desk.fake.recipients_of(ITEM)) == []


@pytest.mark.parametrize("semantics", EVERY_SEMANTICS, ids=str)
@pytest.mark.parametrize(("error", "is_applied"), FAILURES[:6])
def test_a_single_unknown_outcome_is_found_by_reading_and_verified(
    *, semantics: Semantics, error: ErrorFactory, is_applied: bool
) -> None:
    fake = FakeVisibilities({ITEM: "ABC"}, semantics=semantics)
    fake.faults = [
        Fault(operation, error(), is_applied=is_applied) for operation in (ADD, REMOVE)
    ]
    result = Bench(fake).save(ask(base="ABC", add="X", remove="A"))
    assert result.verdict is Verdict.VERIFIED
    assert set(outcomes(result).values()) == {Outcome.DONE}
    assert len(fake.writes) == (2 if is_applied else 4)


def test_a_removal_that_somebody_made_first_is_in_place() -> None:
    fake = FakeVisibilities({ITEM: "ABC"}, semantics=Semantics(missing_is_404=True))
    fake.before_call = lambda call: (
        fake.put(ITEM, "BC") if call.operation == REMOVE else None
    )
    result = Bench(fake).save(ask(base="ABC", remove="A"))
    assert result.verdict is Verdict.VERIFIED
    assert outcomes(result) == {"A": Outcome.IN_PLACE}


@pytest.mark.parametrize(
    ("prepare", "verdict", "outcome"),
    [
        (ignore, Verdict.DIFFERS, Outcome.REFUSED),
        (fail_read_backs, Verdict.NOT_CONFIRMED, Outcome.UNKNOWN),
    ],
)
def test_a_removal_that_is_answered_404_was_refused_if_a_read_shows_the_recipient(
    prepare: Callable[[FakeVisibilities], None], verdict: Verdict, outcome: Outcome
) -> None:
    """Without a read, the report may say neither "removed" nor "refused". Note N5."""
    desk = bench("A", "B", "C")
    desk.fake.faults = [Fault(REMOVE, refused(404))]
    prepare(desk.fake)
    result = desk.save(ask(base="ABC", remove="A"))
    assert result.verdict == verdict
    assert outcomes(result) == {"A": outcome}
    assert asked(desk.fake) == [(REMOVE, "A")]


def test_an_addition_that_is_answered_404_was_refused() -> None:
    """After an addition, a 404 means that the call was not applied. Note N5."""
    desk = bench("A")
    desk.fake.faults = [Fault(ADD, refused(404))]
    result = desk.save(ask(base="A", add="B"))
    assert result.verdict is Verdict.DIFFERS
    assert outcomes(result) == {"B": Outcome.REFUSED}


def test_a_refused_change_that_somebody_else_made_is_in_place() -> None:
    desk = bench("A")
    desk.fake.before_call = lambda call: (
        desk.fake.put(ITEM, "AB") if call.operation == ADD else None
    )
    desk.fake.faults = [Fault(ADD, refused())]
    result = desk.save(ask(base="A", add="B"))
    assert result.verdict is Verdict.VERIFIED
    assert outcomes(result) == {"B": Outcome.IN_PLACE}


@pytest.mark.parametrize("error", [not_sent, no_token, gateway_refuses])
def test_a_service_that_is_down_is_not_hammered(error: ErrorFactory) -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, error()) for _ in range(9)]
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="Z", add="ABCDEFGH"))
    assert asked(desk.fake) == [(ADD, "A")]
    assert desk.fake.recipients_of(ITEM) == frozenset("Z")
    assert Outcome.NOT_SENT in outcomes(result).values()


@pytest.mark.parametrize("error", [not_sent, no_token])
def test_a_save_without_any_sent_call_was_not_started(error: ErrorFactory) -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, error()) for _ in range(4)]
    result = desk.save(ask(base="Z", add="AB"))
    assert result.verdict is Verdict.NOTHING_SENT
    assert result.message == error().message
    assert result.advice == "Try again later."
    assert set(outcomes(result).values()) == {Outcome.NOT_SENT}
    assert desk.save(ask(base="Z", add="AB")).verdict is Verdict.VERIFIED


def test_a_service_that_recovers_gets_the_remaining_changes() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, not_sent())]
    result = desk.save(ask(base="Z", add="ABC"))
    assert result.verdict is Verdict.VERIFIED
    assert desk.fake.recipients_of(ITEM) == frozenset("ZABC")
    assert desk.fake.time.slept == [0.2]


def test_three_unknown_outcomes_in_a_row_stop_sending() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, unknown_outcome()) for _ in range(9)]
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="Z", add="ABCDEFGH"))
    assert asked(desk.fake) == [(ADD, "A"), (ADD, "B"), (ADD, "C")]
    assert [step.outcome for step in result.steps] == [Outcome.UNKNOWN] * 3 + [
        Outcome.NOT_SENT
    ] * 5
    assert result.verdict is Verdict.NOT_CONFIRMED


def test_unknown_outcomes_that_are_not_in_a_row_do_not_stop_sending() -> None:
    desk = bench("Z")
    desk.fake.faults = [
        Fault(ADD, unknown_outcome(), recipient_id=recipient_id)
        for recipient_id in "ACEG"
    ]
    result = desk.save(ask(base="Z", add="ABCDEFGH"))
    assert result.verdict is Verdict.VERIFIED
    assert desk.fake.recipients_of(ITEM) == frozenset("ZABCDEFGH")


def test_a_save_never_takes_longer_than_its_delays() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, unknown_outcome()) for _ in range(99)]
    result = desk.save(ask(base="Z", add="A"))
    assert desk.fake.time.slept == [0.2, 0.5, 1.0]
    assert asked(desk.fake) == [(ADD, "A")] * 4
    assert result.steps[0].attempts == 4
    assert result.verdict is Verdict.NOT_CONFIRMED


PATIENCE_S = 60
MANY = frozenset(f"r{number:04}" for number in range(2_000))


class Gate(FakeVisibilities):
    """A service on which additions wait until `together` of them have arrived.

    `answer` may then raise.
    """

    def __init__(
        self, together: int, answer: Callable[[str], None] = lambda _recipient_id: None
    ) -> None:
        super().__init__({ITEM: "Z", OTHER_ITEM: "Z"})
        self.answer = answer
        self.under_way = self.most_under_way = 0
        self._counting = threading.Lock()
        self._all_there = threading.Barrier(together)

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        with self._counting:
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        self._all_there.wait(PATIENCE_S)
        with self._counting:
            self.under_way -= 1
        self.answer(recipient_id)
        super().add_visibility(item, recipient_id)


def test_eight_calls_are_under_way_at_once() -> None:
    gate = Gate(CALLS_AT_ONCE)
    wanted = [f"r{number}" for number in range(3 * CALLS_AT_ONCE)]
    result = Bench(gate, calls_at_once=CALLS_AT_ONCE).save(ask(base="Z", add=wanted))
    assert result.verdict is Verdict.VERIFIED
    assert gate.most_under_way == CALLS_AT_ONCE


def test_two_saves_of_one_saver_share_the_limit_of_eight_calls() -> None:
    gate = Gate(CALLS_AT_ONCE)
    desk = Bench(gate, calls_at_once=CALLS_AT_ONCE)
    wanted = [f"r{number}" for number in range(2 * CALLS_AT_ONCE)]
    requests = [
        ask(key=item.supplier_item_id, item=item, base="Z", add=wanted)
        for item in (ITEM, OTHER_ITEM)
    ]
    threads = [
        threading.Thread(target=desk.save, args=[request]) for request in requests
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert gate.most_under_way == CALLS_AT_ONCE
    assert (
        gate.recipients_of(ITEM)
        == gate.recipients_of(OTHER_ITEM)
        == frozenset("Z").union(wanted)
    )


def test_the_end_of_the_program_ends_every_call_of_a_save() -> None:
    def end(_recipient_id: str) -> None:
        raise ClosedError

    gate = Gate(CALLS_AT_ONCE, end)
    desk = Bench(gate, calls_at_once=CALLS_AT_ONCE)
    with pytest.raises(ClosedError):
        desk.save(ask(base="Z", add=sorted(MANY)[:100]))
    assert gate.writes == []
    assert len(desk.history.open_saves()) == 1


@pytest.mark.parametrize("seed", range(10))
def test_2_000_additions_lose_nothing_that_another_program_adds_meanwhile(
    seed: int,
) -> None:
    moment = random.Random(seed).randrange(len(MANY))  # noqa: S311  (repeatable on purpose)
    fake = FakeVisibilities({ITEM: "Z"})

    def add_meanwhile(call: FakeCall) -> None:
        if call.operation == ADD and len(fake.writes) == moment + 1:
            fake.put(ITEM, fake.recipients_of(ITEM) | {"theirs"})

    fake.before_call = add_meanwhile
    result = Bench(fake, calls_at_once=CALLS_AT_ONCE).save(ask(base="Z", add=MANY))
    assert fake.recipients_of(ITEM) == MANY | {"Z", "theirs"}
    assert result.verdict is Verdict.VERIFIED
    assert result.others.added == frozenset({"theirs"})
    assert {call.operation for call in fake.writes} == {ADD}
