"""Saving on a service that fails: the words stay true."""

from collections.abc import Callable
from itertools import product

import pytest

from item_visibility.client.call_records import ignore
from item_visibility.errors import ItemVisibilityError
from item_visibility.saving.outcome import Outcome, Verdict
from tests.saving.saving import ITEM, Bench, ask, asked, bench, broken_promises, fail_read_backs, outcomes
from tests.support.fake_visibilities import (
    EVERY_SEMANTICS,
    FakeVisibilities,
    Fault,
    Semantics,
    no_token,
    not_sent,
    refused,
    refused_after_unknown,
    unexpected_answer,
    unknown_outcome,
)

ErrorFactory = Callable[[str], ItemVisibilityError]
ADD, REMOVE = "addVisibility", "removeVisibility"


def gateway_refuses(operation: str) -> ItemVisibilityError:
    """401 although the token is new."""
    return refused(operation, 401)


def without_token(_operation: str) -> ItemVisibilityError:
    return no_token()


ERRORS: tuple[tuple[ErrorFactory, bool], ...] = (
    (unknown_outcome, False),
    (unknown_outcome, True),
    (unexpected_answer, False),
    (unexpected_answer, True),
    (refused_after_unknown, False),
    (refused_after_unknown, True),
    (refused, False),
    (not_sent, False),
    (without_token, False),
    (gateway_refuses, False),
)


@pytest.mark.parametrize("semantics", EVERY_SEMANTICS, ids=str)
@pytest.mark.parametrize("lag_s", [0, 1])
@pytest.mark.parametrize(("error", "is_applied"), ERRORS)
@pytest.mark.parametrize("times", [1, 2, 9])
def test_every_word_is_true_whatever_fails(
    *, semantics: Semantics, lag_s: float, error: ErrorFactory, is_applied: bool, times: int
) -> None:
    fake = FakeVisibilities({ITEM: "ABCDE"}, semantics=semantics, lag_s=lag_s)
    fake.faults = [
        Fault(operation, error(operation), is_applied=is_applied)
        for operation, _ in product((ADD, REMOVE), range(times))
    ]
    result = Bench(fake).save(ask(base="ABCDE", add="XY", remove="AB"))
    truth = fake.recipients_of(ITEM)
    assert broken_promises(result, truth) == []
    assert truth - frozenset("XYAB") == frozenset("CDE")


@pytest.mark.parametrize("semantics", EVERY_SEMANTICS, ids=str)
@pytest.mark.parametrize(("error", "is_applied"), ERRORS[:6])
def test_a_single_unknown_outcome_is_settled_and_verified(
    *, semantics: Semantics, error: ErrorFactory, is_applied: bool
) -> None:
    fake = FakeVisibilities({ITEM: "ABC"}, semantics=semantics)
    fake.faults = [Fault(operation, error(operation), is_applied=is_applied) for operation in (ADD, REMOVE)]
    result = Bench(fake).save(ask(base="ABC", add="X", remove="A"))
    assert (result.verdict, set(outcomes(result).values())) == (Verdict.VERIFIED, {Outcome.DONE})
    assert len(fake.writes) == (2 if is_applied else 4)


def test_a_removal_that_somebody_made_first_is_in_place() -> None:
    fake = FakeVisibilities({ITEM: "ABC"}, semantics=Semantics(missing_is_404=True))
    fake.before_call = lambda call: fake.put(ITEM, "BC") if call.operation == REMOVE else None
    result = Bench(fake).save(ask(base="ABC", remove="A"))
    assert (result.verdict, outcomes(result)) == (Verdict.VERIFIED, {"A": Outcome.IN_PLACE})


@pytest.mark.parametrize(
    ("prepare", "verdict", "outcome"),
    [(ignore, Verdict.DIFFERS, Outcome.REFUSED), (fail_read_backs, Verdict.NOT_CONFIRMED, Outcome.UNKNOWN)],
)
def test_a_removal_that_is_answered_404_was_refused_if_a_read_shows_the_recipient(
    prepare: Callable[[FakeVisibilities], None], verdict: Verdict, outcome: Outcome
) -> None:
    """Without a read, neither "removed" nor "refused" may be said. Note N5."""
    desk = bench("A", "B", "C")
    desk.fake.faults = [Fault(REMOVE, refused(REMOVE, 404))]
    prepare(desk.fake)
    result = desk.save(ask(base="ABC", remove="A"))
    assert (result.verdict, outcomes(result)) == (verdict, {"A": outcome})
    assert asked(desk.fake) == [(REMOVE, "A")]


def test_an_addition_that_is_answered_404_was_refused() -> None:
    """On an addition 404 means not applied. Note N5."""
    desk = bench("A")
    desk.fake.faults = [Fault(ADD, refused(ADD, 404))]
    result = desk.save(ask(base="A", add="B"))
    assert (result.verdict, outcomes(result)) == (Verdict.DIFFERS, {"B": Outcome.REFUSED})


def test_a_refused_change_that_somebody_else_made_is_in_place() -> None:
    desk = bench("A")
    desk.fake.before_call = lambda call: desk.fake.put(ITEM, "AB") if call.operation == ADD else None
    desk.fake.faults = [Fault(ADD, refused(ADD))]
    result = desk.save(ask(base="A", add="B"))
    assert (result.verdict, outcomes(result)) == (Verdict.VERIFIED, {"B": Outcome.IN_PLACE})


def test_what_was_accepted_but_cannot_be_read_back_is_not_confirmed() -> None:
    desk = bench("A")
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="A", add="B"))
    assert (result.verdict, result.after) == (Verdict.NOT_CONFIRMED, None)
    assert outcomes(result) == {"B": Outcome.DONE}
    assert result.message == "The service did not answer."


@pytest.mark.parametrize("error", [not_sent, without_token, gateway_refuses])
def test_a_service_that_is_down_is_not_hammered(error: ErrorFactory) -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, error(ADD)) for _ in range(9)]
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="Z", add="ABCDEFGH"))
    assert asked(desk.fake) == [(ADD, "A")]
    assert desk.fake.recipients_of(ITEM) == frozenset("Z")
    assert Outcome.NOT_SENT in outcomes(result).values()


@pytest.mark.parametrize("error", [not_sent, without_token])
def test_a_save_of_which_nothing_left_was_not_started(error: ErrorFactory) -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, error(ADD)) for _ in range(4)]
    result = desk.save(ask(base="Z", add="AB"))
    assert result.verdict is Verdict.NOTHING_SENT
    assert result.message == error(ADD).message
    assert result.advice == "Try again later."
    assert set(outcomes(result).values()) == {Outcome.NOT_SENT}
    assert desk.save(ask(base="Z", add="AB")).verdict is Verdict.VERIFIED


def test_a_service_that_comes_back_gets_the_rest() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, not_sent(ADD))]
    result = desk.save(ask(base="Z", add="ABC"))
    assert (result.verdict, desk.fake.recipients_of(ITEM)) == (Verdict.VERIFIED, frozenset("ZABC"))
    assert desk.fake.time.sleeps == [0.2]


def test_three_unknown_outcomes_in_a_row_end_the_round() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, unknown_outcome(ADD)) for _ in range(9)]
    fail_read_backs(desk.fake)
    result = desk.save(ask(base="Z", add="ABCDEFGH"))
    assert asked(desk.fake) == [(ADD, "A"), (ADD, "B"), (ADD, "C")]
    assert [step.outcome for step in result.steps] == [Outcome.UNKNOWN] * 3 + [Outcome.NOT_SENT] * 5
    assert result.verdict is Verdict.NOT_CONFIRMED


def test_unknown_outcomes_with_answers_between_do_not_end_the_round() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, unknown_outcome(ADD), recipient_id=one) for one in "ACEG"]
    result = desk.save(ask(base="Z", add="ABCDEFGH"))
    assert result.verdict is Verdict.VERIFIED
    assert desk.fake.recipients_of(ITEM) == frozenset("ZABCDEFGH")


def test_a_save_never_takes_longer_than_its_delays() -> None:
    desk = bench("Z")
    desk.fake.faults = [Fault(ADD, unknown_outcome(ADD)) for _ in range(99)]
    result = desk.save(ask(base="Z", add="A"))
    assert desk.fake.time.sleeps == [0.2, 0.5, 1.0]
    assert asked(desk.fake) == [(ADD, "A")] * 4
    assert result.steps[0].attempts == 4
    assert result.verdict is Verdict.NOT_CONFIRMED
