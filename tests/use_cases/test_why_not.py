"""Reasons why they cannot see it: the words, the reads for them, and failures on the way."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.saving.outcome import Outcome, StepResult, Verdict
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import PairStep
from item_visibility.use_cases.check.question.parts import Question
from item_visibility.use_cases.why_not.change_words import change_in_words
from item_visibility.use_cases.why_not.customer_words import customer_words
from item_visibility.use_cases.why_not.explain import ask_instead
from item_visibility.use_cases.why_not.near_numbers import Slip
from item_visibility.use_cases.why_not.next_step_words import advice_in_words, step_in_words
from item_visibility.use_cases.why_not.reason_words import reason_in_words
from item_visibility.use_cases.why_not.reasons import ORDER, NextStep, Reason, ReasonKind, WhyNot
from tests.storage.entries import begin
from tests.support.desk import ITEM, DeskKit, break_records, open_kit
from tests.support.fake_visibilities import START, Fault, no_token, unknown_outcome
from tests.support.known_names import put_names
from tests.use_cases.why_not_world import (
    AUSTRIAN,
    EMPTY,
    ENGLISH,
    KAUFHAUS,
    MANY_THINGS,
    MARKT,
    MILL,
    PANIER,
    REMOVED,
    SONNENHOF,
    SWISS,
    why_not_world,
)

K = ReasonKind


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A world with all reasons; these tests only read it."""
    with why_not_world(tmp_path_factory.mktemp("why_not")) as kit:
        yield kit


def about(item: object, recipient_id: str) -> Question:
    """The question whether the recipient can see the item."""
    return Question(supplier=item.supplier, supplier_item_id=item.supplier_item_id, recipient_id=recipient_id)  # type: ignore[attr-defined]  (an item)


def explained(kit: DeskKit, question: Question, **how: int) -> WhyNot:
    """The reasons for the answer to a question."""
    found = kit.desk.why_not.explain(question, kit.desk.check(question), **how)  # type: ignore[arg-type]  (a limit)
    assert found is not None
    return found


def kinds(found: WhyNot) -> list[ReasonKind]:
    """The kinds of all reasons."""
    return [one.kind for one in found.reasons]


@pytest.mark.parametrize(
    "question", [about(REMOVED, KAUFHAUS), Question(supplier=MILL, recipient_id=MARKT), Question()]
)
def test_there_is_no_why_for_a_yes_nor_for_half_a_question(world: DeskKit, question: Question) -> None:
    """Nothing is to be explained."""
    assert world.desk.why_not.explain(question, world.desk.check(question)) is None


@pytest.mark.parametrize("error", [unknown_outcome("getVisibilities"), no_token()], ids=str)
def test_a_service_that_does_not_answer_is_asked_no_more(world: DeskKit, error: Exception) -> None:
    """Our own records still answer after that."""
    world.fake.faults.append(Fault("getVisibilities", error))  # type: ignore[arg-type]  (one of ours)
    world.fake.calls.clear()
    found = explained(world, about(REMOVED, MARKT))
    assert kinds(found) == [K.NOT_READ, K.REMOVED]
    said = reason_in_words(found.first, found, when=lambda at: f"{at:%H:%M}")
    assert said == "When the list was last read, 14:00, Marktplatz could not see the item"
    assert (found.first.next_step, found.first.is_said_by_answer) == (NextStep.EXAMINE, False)
    assert len(world.fake.calls) == 1


def test_another_item_that_cannot_be_read_is_no_reason(world: DeskKit) -> None:
    """The answer is there all the same."""
    question = about(replace(SWISS, supplier_item_id="09521000010162:040"), MARKT)
    answer = replace(world.desk.check(question), instead=())
    world.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))
    found = world.desk.why_not.explain(question, answer)
    assert found is not None
    assert kinds(found) == [K.UNKNOWN_ITEM]


def test_an_empty_list_that_the_check_read_is_not_read_again(world: DeskKit) -> None:
    """Nobody can see the item: that is an answer, too."""
    question = about(replace(EMPTY, supplier_item_id=EMPTY.supplier_item_id.partition(":")[0]), MARKT)
    answer = world.desk.check(question)
    assert [one.listed for one in answer.instead] == [frozenset()]
    world.fake.calls.clear()
    world.desk.why_not.explain(question, answer)
    assert world.fake.calls == []


def test_only_so_many_other_items_are_read(world: DeskKit) -> None:
    """For a row among many, none but its own."""
    world.fake.calls.clear()
    assert kinds(explained(world, about(REMOVED, PANIER), most_read=0)) == [K.NOT_ADDED]
    assert len(world.fake.calls) == 1


def test_the_other_way_round_is_read_though_it_may_fail(world: DeskKit) -> None:
    """It is a known item either way."""
    question = Question(
        supplier=KAUFHAUS, supplier_item_id=ENGLISH.supplier_item_id, recipient_id=ENGLISH.supplier
    )
    answer = world.desk.check(question)
    world.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))
    found = world.desk.why_not.explain(question, answer)
    assert found is not None
    assert (found.first.kind, found.first.sees) == (K.EXCHANGED, False)


def test_without_our_own_records_it_is_said_that_the_past_is_not_known(tmp_path: Path) -> None:
    """The list of the service is compared all the same."""
    with open_kit(tmp_path, {ITEM: {"4300000000014"}}) as kit:
        break_records(tmp_path)
        found = explained(kit, about(ITEM, "4300000000015"))
    assert not found.is_looked_up
    assert kinds(found) == [K.RECIPIENT_MISTYPED]


def test_steps_that_changed_nothing_are_no_reason(tmp_path: Path) -> None:
    """A removal that was refused, and an addition that was in place."""
    with open_kit(tmp_path, {ITEM: {"A"}}) as kit:
        put_names(kit.records.directory, recipients=[("B", "")])
        for at, goal, outcome in (
            (-60, Goal.NOT_VISIBLE, Outcome.REFUSED),
            (-50, Goal.VISIBLE, Outcome.IN_PLACE),
        ):
            result = begin(kit.records.history, str(at), at=at, item=ITEM, before="A", add="B")
            steps = (StepResult(ChangeStep("B", goal), outcome),)
            kit.records.history.settle(str(at), replace(result, steps=steps, after=frozenset("A")))
        found = explained(kit, about(ITEM, "B"))
    assert kinds(found) == [K.NOT_ADDED]
    assert not found.first.is_said_by_answer


def test_a_series_of_numbers_is_near_nobody(tmp_path: Path) -> None:
    """When many differ in one digit, none of them was meant."""
    series = {f"KUNDE10{digit}" for digit in range(9)}
    with open_kit(tmp_path, {ITEM: series}) as kit:
        put_names(kit.records.directory, recipients=[(f"KUNDE20{digit}", "") for digit in range(9)])
        assert kinds(explained(kit, about(ITEM, "KUNDE109"))) == [K.UNKNOWN_RECIPIENT]
        assert kinds(explained(kit, about(ITEM, "KUNDE209"))) == [K.UNKNOWN_RECIPIENT]


def test_markets_that_the_answer_tells_are_not_told_again(world: DeskKit) -> None:
    """An answer about a missing market tells them."""
    missing = explained(world, about(replace(REMOVED, supplier_item_id="09521000010017"), MARKT))
    assert (missing.first.kind, missing.others) == (K.MARKET_MISSING, ())
    other = explained(world, about(REMOVED, PANIER))
    assert [one.kind for one in other.others] == [K.NOT_ADDED]


def test_of_a_series_those_that_differ_least_are_near(tmp_path: Path) -> None:
    """Two exchanged neighbours are a more usual slip than a wrong digit."""
    series = {"KUNDE190", *(f"KUNDE10{digit}" for digit in range(8))}
    with open_kit(tmp_path, {ITEM: series}) as kit:
        found = explained(kit, about(ITEM, "KUNDE109"))
    assert [(one.kind, one.recipient_id) for one in found.reasons] == [(K.RECIPIENT_MISTYPED, "KUNDE190")]


def test_a_supplier_in_another_writing_is_found_by_its_look(tmp_path: Path) -> None:
    """Also one that no variation of the number gives."""
    other = replace(ITEM, supplier="Mill-7")
    with open_kit(tmp_path, {other: {"A"}}) as kit:
        put_names(kit.records.directory, items=[(other, "", "")], recipients=[("A", "")])
        found = explained(kit, about(replace(ITEM, supplier="mILL7"), "A"))
    assert (found.first.kind, found.first.slip, found.first.sees) == (K.SUPPLIER_MISTYPED, Slip.WRITING, True)


def test_an_item_that_is_no_trade_number_is_found_at_another_supplier(tmp_path: Path) -> None:
    """By exactly its own id."""
    here, there = (
        replace(ITEM, supplier_item_id="FLOUR-7"),
        replace(ITEM, supplier="4000009", supplier_item_id="FLOUR-7"),
    )
    with open_kit(tmp_path, {there: {"A"}}) as kit:
        put_names(kit.records.directory, items=[(there, "", "Flour")], recipients=[("A", "")])
        found = explained(kit, about(here, "A"))
        empty = explained(kit, about(replace(ITEM, supplier_item_id=""), "A"))
    assert (found.first.kind, found.first.item) == (K.OTHER_SUPPLIER, there)
    assert empty.first.kind is K.CANNOT_BE_ASKED


def test_the_last_change_names_who_when_why_and_its_end(world: DeskKit) -> None:
    """Of a change made elsewhere the two times between which it was made."""
    change = world.desk.why_not.last_change(REMOVED, MARKT)
    assert change is not None
    assert change_in_words(change, when=str) == "Removed by Anna · 2026-11-21 13:00:00+00:00 · verified"
    assert world.desk.why_not.last_change(REMOVED, PANIER) is None
    seen = replace(change, kind=ChangeKind.OBSERVED, goal=Goal.VISIBLE, seen_before_at=START)
    assert change_in_words(seen, when=lambda at: f"{at:%H:%M}") == "Added elsewhere · between 14:00 and 13:00"


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        (ChangeKind.UNDO, " by Undo"),
        (ChangeKind.BULK, " in a bulk job"),
    ],
)
def test_a_change_says_by_what_it_was_made(kind: ChangeKind, how: str) -> None:
    """With its reason; how an open one ends is not said."""
    step = PairStep(
        key="k",
        goal=Goal.NOT_VISIBLE,
        outcome=Outcome.DONE,
        message="",
        person="Ben",
        kind=kind,
        reason="SUP-1",
        verdict=None,
        started_at=START,
        ended_at=None,
        seen_before_at=None,
    )
    assert change_in_words(step, when=lambda _: "today") == f"Removed by Ben{how} · today · SUP-1"


@pytest.mark.parametrize(
    ("item", "recipient_id", "told"),
    [
        (REMOVED, MARKT, "It was withdrawn on 13:00."),
        (EMPTY, MARKT, "It is not made visible at present."),
        (REMOVED, PANIER, "It can see the item for Austria (09521000010017:040)."),
        (replace(SWISS, supplier_item_id="0952100001016:250"), MARKT, "Please check the item's number"),
        (replace(AUSTRIAN, supplier_item_id="09521000010017:250"), MARKT, "We know the item for Austria"),
        (replace(AUSTRIAN, supplier_item_id="09521000010017"), MARKT, "for which market the item is"),
        (REMOVED, "Hof 7", "Please check the recipient's number"),
        (MANY_THINGS, SONNENHOF, "It was withdrawn on 12:30."),
    ],
)
def test_the_customer_is_told_what_concerns_them(
    world: DeskKit, item: object, recipient_id: str, told: str
) -> None:
    """Neither who of ours did it, nor why, nor the names of others."""
    question = about(item, recipient_id)
    answer = world.desk.check(question)
    found = world.desk.why_not.explain(question, answer)
    assert found is not None
    said = customer_words(found, answer, when=lambda at: f"{at:%H:%M}")
    assert told in said
    assert not any(name in said for name in ("Anna", "Ben", "Jana", "QA-311"))


def test_a_no_is_told_as_a_no_and_a_not_known_as_such(world: DeskKit) -> None:
    """With names, numbers and the time."""
    said = []
    for own_id in (REMOVED.supplier_item_id, "9521000010017:276"):
        question = about(replace(REMOVED, supplier_item_id=own_id), MARKT)
        answer = world.desk.check(question)
        found = world.desk.why_not.explain(question, answer)
        assert found is not None
        said.append(customer_words(found, answer, when=lambda at: f"{at:%H:%M}").partition(". ")[0])
    asked = "Oat biscuits · Germany (09521000010017:276) of Harbour Mill (4000002000004)"
    otherwise = "9521000010017:276 · Germany of Harbour Mill (4000002000004)"
    assert said == [
        f"Marktplatz (4300000000021) cannot see {asked}, as of 14:00",
        f"We cannot say yet whether Marktplatz (4300000000021) can see {otherwise} (asked 14:00)",
    ]


def test_what_was_probably_meant_is_asked_about_with_one_click() -> None:
    """Item and recipient, as far as each was another; markets that were named do not count any more."""
    asked = replace(about(REMOVED, "x"), markets=frozenset({"250"}))
    other = ask_instead(asked, Reason(kind=K.OTHER_MARKET, item=AUSTRIAN, recipient_id=PANIER))
    assert (other.item, other.recipient_id, other.markets) == (AUSTRIAN, PANIER, frozenset())
    assert ask_instead(asked, Reason(kind=K.KNOWN_MARKET, item=AUSTRIAN)).recipient_id == "x"
    assert ask_instead(asked, Reason(kind=K.KNOWN_RECIPIENT, recipient_id=PANIER)).item == REMOVED


@pytest.mark.parametrize("kind", ReasonKind)
def test_each_reason_has_its_place_its_words_and_one_step(kind: ReasonKind) -> None:
    """Or the question that the customer is to be asked."""
    reason = Reason(
        kind=kind, item=AUSTRIAN, recipient_id=PANIER, verdict=Verdict.DIFFERS, message="It is so."
    )
    found = WhyNot(item=ENGLISH, recipient_id=MARKT, reasons=(reason,))
    words = reason_in_words(reason, found, when=str)
    assert words
    assert bool(step_in_words(reason, found)) is (reason.next_step is not NextStep.ASK_CUSTOMER)
    assert advice_in_words(reason, is_locked=True) or step_in_words(reason, found)
    assert sum(kind in row for row in ORDER) == 1


def test_who_may_not_change_anything_is_told_whom_to_ask() -> None:
    """An editor is told when something was removed on purpose."""
    reason = Reason(kind=K.REMOVED, who="Anna")
    assert advice_in_words(reason, is_locked=True) == "To give it access, ask an editor."
    assert (
        advice_in_words(reason, is_locked=False) == "It was removed on purpose: ask before you add it again."
    )


def test_a_number_that_ends_in_a_space_is_shown_between_marks() -> None:
    """A space at the end cannot be seen."""
    reason = Reason(kind=K.WRITTEN_OTHERWISE, recipient_id="A ", slip=Slip.WRITING, sees=True)
    found = WhyNot(item=ENGLISH, recipient_id="A", reasons=(reason,))
    assert "“A ” can see the item; adds space at the end" in reason_in_words(reason, found, when=str)
