"""Can this recipient see this item?"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.use_cases.check.answer_sentences import CheckKind
from item_visibility.use_cases.check.question.parts import Question
from tests.support.desk import ITEM, DeskKit, FakeService, break_records, open_kit
from tests.support.fake_visibilities import START, Fault, no_token, not_sent, unknown_outcome
from tests.support.fault_service import Semantics
from tests.support.known_names import put_names

NUMBER, GLN = "04012345678901", "4300000000038"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item with two recipients; a third one is known as well."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        put_names(kit.records.directory, items=[(ITEM, "", "")], recipients=[("C", "")])
        yield kit


def ask(recipient_id: str) -> Question:
    """Ask whether the recipient can see the item."""
    return Question(supplier=ITEM.supplier, supplier_item_id=ITEM.supplier_item_id, recipient_id=recipient_id)


@pytest.mark.parametrize(
    ("recipient_id", "kind", "sentence"),
    [
        ("A", CheckKind.YES, "Yes, this recipient can see the item."),
        ("C", CheckKind.NO, "No, this recipient cannot see the item; others can."),
        (GLN, CheckKind.NO, "No, this recipient cannot see the item; others can."),
    ],
)
def test_the_service_says_yes_or_no(kit: DeskKit, recipient_id: str, kind: CheckKind, sentence: str) -> None:
    """With the item, the recipient and the time of the answer."""
    answer = kit.desk.check(ask(recipient_id))
    assert (answer.kind, answer.sentence) == (kind, sentence)
    assert (answer.item, answer.recipient_id, answer.answered_at) == (ITEM, recipient_id, START)
    assert (answer.message, answer.advice, answer.error) == ("", "", None)


def test_an_answer_calls_recipient_and_item_by_their_names(kit: DeskKit) -> None:
    """As far as they have one: what has none is this recipient, or the item."""
    put_names(kit.records.directory, items=[(ITEM, "276", "Oat biscuits")], recipients=[("C", "Sonnenhof")])
    said = [kit.desk.check(ask(one)).sentence for one in "AC"]
    assert said == [
        "Yes, this recipient can see Oat biscuits · Germany.",
        "No, Sonnenhof cannot see Oat biscuits · Germany; others can.",
    ]


@pytest.mark.parametrize("semantics", [Semantics(empty_is_404=True), Semantics(empty_is_404=False)])
def test_an_empty_list_and_a_404_are_answered_in_the_same_words(tmp_path: Path, semantics: Semantics) -> None:
    """Nothing is recorded, whichever way the service says so."""
    with open_kit(tmp_path, fake=FakeService({ITEM: ()}, semantics=semantics)) as kit:
        kit.records.directory.remember([ITEM], ["A"])
        answer = kit.desk.check(ask("A"))
    assert answer.kind is CheckKind.NO
    assert answer.sentence == "No, this recipient cannot see the item: nothing is recorded for it."


@pytest.mark.parametrize(
    "recipient_id", ["D", "Sonnenhof Supermarkets", "4300000000015", "430000000001", "4012345678901"]
)
def test_a_recipient_that_may_be_misread_gets_no_no(kit: DeskKit, recipient_id: str) -> None:
    """Neither known here nor a GLN whose check digit fits; or the number of the item itself."""
    answer = kit.desk.check(ask(recipient_id))
    assert (answer.kind, answer.sentence) == (
        CheckKind.NOT_KNOWN,
        "Not known: the recipient may be misread.",
    )
    assert answer.message == (
        "This id is not among the 2 recipients that can see the item. The recipient is not known here."
    )


def test_a_recipient_that_may_be_misread_gets_no_no_where_nothing_is_recorded(tmp_path: Path) -> None:
    """The item is known, the recipient is not."""
    with open_kit(tmp_path, {}) as kit:
        kit.records.directory.remember([ITEM])
        answer = kit.desk.check(ask("D"))
    assert (answer.kind, answer.message) == (
        CheckKind.NOT_KNOWN,
        "This id cannot see it. The recipient is not known here.",
    )


def test_an_item_that_nobody_knows_gets_no_no(kit: DeskKit) -> None:
    """The service has nothing recorded, and nor have we: what is known of the same number is shown."""
    other = f"{NUMBER}:040"
    answer = kit.desk.check(Question(supplier=ITEM.supplier, supplier_item_id=other, recipient_id="A"))
    assert (answer.kind, answer.sentence) == (CheckKind.NOT_KNOWN, "Not known: the item may be misread.")
    assert answer.message == ("The service has nothing recorded for this item. The item is not known here.")
    assert answer.candidates == (ITEM,)
    assert not answer.is_without_market


@pytest.mark.parametrize(
    ("recipient_id", "kind"), [("A", CheckKind.YES), ("C", CheckKind.NO), ("D", CheckKind.NOT_KNOWN)]
)
def test_a_number_without_its_market_is_answered_for_each_market(
    kit: DeskKit, recipient_id: str, kind: CheckKind
) -> None:
    """Neither yes nor no for the number itself; for its markets what the service says."""
    question = replace(ask(recipient_id), supplier_item_id=NUMBER)
    answer = kit.desk.check(question)
    assert (answer.kind, answer.is_without_market) == (CheckKind.NOT_KNOWN, True)
    assert [(one.item, one.kind) for one in answer.instead] == [(ITEM, kind)]


def test_only_the_markets_that_the_question_names_are_answered(kit: DeskKit) -> None:
    """Of three that are known here."""
    put_names(
        kit.records.directory,
        items=[(ItemKey(ITEM.supplier, f"{NUMBER}:{market}"), "", "") for market in ("040", "756")],
    )
    question = replace(ask("A"), supplier_item_id=NUMBER, markets=frozenset({"276", "040"}))
    answer = kit.desk.check(question)
    assert [one.supplier_item_id for one in answer.candidates] == [f"{NUMBER}:040", f"{NUMBER}:276"]


def test_a_market_in_which_the_number_is_not_known_is_said(kit: DeskKit) -> None:
    """And the markets in which it is known are answered."""
    question = replace(ask("A"), supplier_item_id=NUMBER, markets=frozenset({"250"}))
    answer = kit.desk.check(question)
    assert (answer.kind, answer.message) == (
        CheckKind.NOT_KNOWN,
        "No item of this number is known here for France.",
    )
    assert [(one.item, one.kind) for one in answer.instead] == [(ITEM, CheckKind.YES)]


@pytest.mark.parametrize("recipient_id", ["A", "C"])
def test_another_market_gets_neither_a_yes_nor_a_no(kit: DeskKit, recipient_id: str) -> None:
    """The question was about Austria, and the item is the one for Germany."""
    question = replace(ask(recipient_id), markets=frozenset({"040"}))
    answer = kit.desk.check(question)
    assert (answer.kind, answer.message) == (
        CheckKind.NOT_KNOWN,
        "It names Austria; the item's id does not end with that market.",
    )


def test_records_that_cannot_be_read_make_nothing_unknown(kit: DeskKit, tmp_path: Path) -> None:
    """Could not be read is said as could not be read."""
    break_records(tmp_path)
    answer = kit.desk.check(ask("C"))
    assert answer.kind is CheckKind.NOT_KNOWN
    assert answer.message.endswith("It could not be read whether the recipient is known here.")


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
