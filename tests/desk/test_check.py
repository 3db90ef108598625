"""Can this recipient see this item?"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.check import CheckKind
from item_visibility.errors import ItemVisibilityError
from item_visibility.question import Question
from tests.support.desk import ITEM, DeskKit, FakeService, open_kit
from tests.support.fake_visibilities import START, Fault, no_token, not_sent, unknown_outcome
from tests.support.fault_service import Semantics


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item with two recipients."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        yield kit


def ask(recipient_id: str) -> Question:
    """Whether the recipient can see the item."""
    return Question(supplier=ITEM.supplier, supplier_item_id=ITEM.supplier_item_id, recipient_id=recipient_id)


@pytest.mark.parametrize(
    ("recipient_id", "kind", "sentence"),
    [
        ("A", CheckKind.YES, "Yes, this recipient can see the item."),
        ("C", CheckKind.NO, "No, this recipient cannot see the item; others can."),
    ],
)
def test_the_service_says_yes_or_no(kit: DeskKit, recipient_id: str, kind: CheckKind, sentence: str) -> None:
    """With the item, the recipient and the time of the answer."""
    answer = kit.desk.check(ask(recipient_id))
    assert (answer.kind, answer.sentence) == (kind, sentence)
    assert (answer.item, answer.recipient_id, answer.answered_at) == (ITEM, recipient_id, START)
    assert (answer.message, answer.advice, answer.error) == ("", "", None)


@pytest.mark.parametrize("semantics", [Semantics(empty_is_404=True), Semantics(empty_is_404=False)])
def test_an_empty_list_and_a_404_are_answered_in_the_same_words(tmp_path: Path, semantics: Semantics) -> None:
    """Nothing is recorded, whichever way the service says so."""
    with open_kit(tmp_path, fake=FakeService({ITEM: ()}, semantics=semantics)) as kit:
        answer = kit.desk.check(ask("A"))
    assert answer.kind is CheckKind.NO
    assert answer.sentence == "No, this recipient cannot see the item: nothing is recorded for it."


@pytest.mark.parametrize(
    "error", [unknown_outcome("getVisibilities"), not_sent("getVisibilities"), no_token()], ids=str
)
def test_a_read_that_fails_is_no_answer(kit: DeskKit, error: ItemVisibilityError) -> None:
    """Not known, with what happened and what to do."""
    kit.fake.faults.append(Fault("getVisibilities", error))
    answer = kit.desk.check(ask("A"))
    assert (answer.kind, answer.message, answer.advice) == (CheckKind.NOT_KNOWN, error.message, error.advice)
    assert answer.error is error


def test_an_id_that_cannot_be_sent_is_no_answer(kit: DeskKit) -> None:
    """The question was read, and nothing was sent."""
    answer = kit.desk.check(Question(supplier="..", supplier_item_id="x", recipient_id="A"))
    assert answer.kind is CheckKind.NOT_KNOWN
    assert kit.fake.calls == []


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        (
            Question(supplier="S", supplier_item_id="I"),
            "The question does not say the recipient, or not clearly.",
        ),
        (Question(supplier="S", recipient_id="R"), "The question does not say the item, or not clearly."),
    ],
)
def test_half_a_question_is_no_answer(kit: DeskKit, question: Question, missing: str) -> None:
    """It is said what is missing, and nothing is sent."""
    answer = kit.desk.check(question)
    assert (answer.kind, answer.message) == (CheckKind.NOT_KNOWN, missing)
    assert kit.fake.calls == []
