"""Texts that customers and colleagues paste into the check page, and the answers allowed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.check.answer_sentences import CheckAnswer
from item_visibility.use_cases.check.question.by_number import corrected
from item_visibility.use_cases.check.question.each_row import read_questions
from item_visibility.use_cases.check.question.parts import Question, QuestionRole
from item_visibility.use_cases.desk import Desk
from tests.support.desk import open_kit
from tests.support.known_names import put_names

SUPPLIER, MILL = "4000001000005", "4000002000004"
GERMAN, AUSTRIAN = ItemKey(SUPPLIER, "04012345678901:276"), ItemKey(SUPPLIER, "04012345678901:040")
OATS, OATS_AUSTRIAN = ItemKey(MILL, "09521000010017:276"), ItemKey(MILL, "09521000010017:040")
OATS_SWISS = ItemKey(MILL, "09521000010024:756")
CAKE = ItemKey(MILL, "09521000010031:276")
CRACKERS, CRACKERS_LARGE = ItemKey(MILL, "09521000010048:276"), ItemKey(MILL, "09521000010055:276")
ONE, TWO, SONNENHOF, PANIER = "4300000000014", "4300000000021", "4300000000038", "4300000000045"
RECIPIENTS = {
    ONE: "Kaufhaus 1",
    TWO: "Kaufhaus 2",
    SONNENHOF: "Sonnenhof Supermarkets",
    PANIER: "Le Panier Wholesale",
    "4300000000052": "Nordlicht Wholesale",
    "4300000000069": "Café Łódź",
    "4300000000076": "Three Rivers Catering",
    "4300000000083": "Müller & Söhne",
}
CORPUS = json.loads((Path(__file__).parent / "questions.json").read_text("utf-8"))


def told(question: Question, answer: CheckAnswer) -> str:
    """Kind, item and recipient of an answer; the parts asked about; the answers for other markets."""
    asked = [f"{one.role}? {' '.join(choice.id for choice in one.choices)}" for one in question.doubts]
    ids = [f"{answer.item.supplier_item_id} {answer.recipient_id}"] if answer.item else []
    others = [f"({one.kind.value} {one.item.supplier_item_id})" for one in answer.instead if one.item]
    return " ".join([answer.kind.value, *ids, *asked, *others]).strip()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk that knows items in several markets and some recipients, all with names; it is only read."""
    seen = {
        GERMAN: {ONE},
        AUSTRIAN: {TWO},
        OATS: {SONNENHOF, ONE},
        OATS_AUSTRIAN: {PANIER},
        OATS_SWISS: {PANIER},
        CAKE: {SONNENHOF},
        CRACKERS: {SONNENHOF},
        CRACKERS_LARGE: {PANIER},
    }
    with open_kit(tmp_path_factory.mktemp("corpus"), seen) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(SUPPLIER, "Nordmilch"), (MILL, "Harbour Mill Foods")],
            items=[
                (GERMAN, "276", "Whole milk"),
                (AUSTRIAN, "040", "Whole milk"),
                (OATS, "276", "Oat biscuits 250 g"),
                (OATS_AUSTRIAN, "040", "Oat biscuits 250 g"),
                (OATS_SWISS, "756", "Oat biscuits 500 g"),
                (CAKE, "276", "Käsekuchen 500 g"),
                (CRACKERS, "276", "Rye crackers 250 g"),
                (CRACKERS_LARGE, "276", "Rye crackers family pack"),
            ],
            recipients=RECIPIENTS.items(),
        )
        yield kit.desk


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: line["text"])
def test_a_pasted_text_is_answered_for_exactly_what_it_asks(line: dict[str, object], desk: Desk) -> None:
    """Each row gets its answer or is asked back, and none gets a no for ids that were misread."""
    questions = read_questions(str(line["text"]), known=desk.names, finder=desk.finder)
    assert [told(one, desk.check(one)) for one in questions] == line["answers"]


@pytest.mark.parametrize(
    ("role", "own_id", "wanted"),
    [
        (QuestionRole.RECIPIENT, TWO, (GERMAN, TWO)),
        (
            QuestionRole.ITEM,
            OATS_SWISS.supplier_item_id,
            (ItemKey(SUPPLIER, OATS_SWISS.supplier_item_id), ONE),
        ),
        (QuestionRole.ITEM, AUSTRIAN.supplier_item_id, (AUSTRIAN, ONE)),
    ],
)
def test_a_part_is_corrected(
    desk: Desk, role: QuestionRole, own_id: str, wanted: tuple[ItemKey, str]
) -> None:
    """The others stay, and the market of the item before says nothing about another."""
    asked = Question(
        supplier=SUPPLIER,
        supplier_item_id=GERMAN.supplier_item_id,
        recipient_id=ONE,
        markets=frozenset({"276"}),
    )
    after = corrected(asked, role, own_id, known=desk.names)
    assert (after.item, after.recipient_id) == wanted


def test_an_item_without_a_supplier_brings_its_own(desk: Desk) -> None:
    """One supplier alone has it."""
    after = corrected(Question(), QuestionRole.ITEM, OATS_SWISS.supplier_item_id, known=desk.names)
    assert after.item == OATS_SWISS


@pytest.mark.parametrize("piece", ["Sonnenhof milk ", "x? ", "from:", "DE ", "from\n", "oat, ", "- "])
def test_a_long_text_is_read_in_one_go(piece: str, desk: Desk) -> None:
    """Only so many names are looked up, however much is pasted."""
    questions = read_questions(piece * 2_000, known=desk.names, finder=desk.finder)
    assert [one.item for one in questions] == [None]


def test_of_many_rows_those_with_numbers_are_read_to_the_end(desk: Desk) -> None:
    """Names are looked up in the first ones only."""
    text = "\n".join([f"{SUPPLIER} {GERMAN.supplier_item_id} {ONE}"] * 60)
    questions = read_questions(text, known=desk.names, finder=desk.finder)
    assert [one.item for one in questions] == [GERMAN] * 60


def test_the_corpus_is_large_and_its_texts_differ() -> None:
    """Many more than sixty, by name and by number."""
    texts = {line["text"] for line in CORPUS}
    assert len(texts) == len(CORPUS) > 220
