"""Texts that customers and colleagues paste into the page Check, and the questions that are read in them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.check.answer import Answer, answer_questions
from item_visibility.use_cases.check.question import MOST_QUESTIONS, Question, read_link, read_questions
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from tests.support.desk import open_kit
from tests.support.known_names import put_names

DAIRY, MILL = "4000001000005", "4000002000004"
MILK, MILK_AUSTRIAN = ItemKey(DAIRY, "04012345678901:276"), ItemKey(DAIRY, "04012345678901:040")
OATS, OATS_AUSTRIAN = ItemKey(MILL, "09521000010017:276"), ItemKey(MILL, "09521000010017:040")
OATS_SWISS, CAKE = ItemKey(MILL, "09521000010024:756"), ItemKey(MILL, "09521000010031:276")
CRACKERS, CRACKERS_LARGE = ItemKey(MILL, "09521000010048:276"), ItemKey(MILL, "09521000010055:276")
ONE, TWO, SONNENHOF, PANIER = "4300000000014", "4300000000021", "4300000000038", "4300000000045"
ITEMS = {
    MILK: ("Whole milk", {ONE}),
    MILK_AUSTRIAN: ("Whole milk", {TWO}),
    OATS: ("Oat biscuits 250 g", {SONNENHOF, ONE}),
    OATS_AUSTRIAN: ("Oat biscuits 250 g", {PANIER}),
    OATS_SWISS: ("Oat biscuits 500 g", {PANIER}),
    CAKE: ("Käsekuchen 500 g", {SONNENHOF}),
    CRACKERS: ("Rye crackers 250 g", {SONNENHOF}),
    CRACKERS_LARGE: ("Rye crackers family pack", {PANIER}),
}
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
"""Each text with its answers."""
S, I, R = "4000009000007", "04012345678918:276", "4300009000008"  # noqa: E741  (supplier, item, recipient in texts)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk that knows items in several markets and some recipients, all with names; it is only read."""
    lists = {item: recipients for item, (_, recipients) in ITEMS.items()}
    with open_kit(tmp_path_factory.mktemp("corpus"), lists) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(DAIRY, "Nordmilch"), (MILL, "Harbour Mill Foods")],
            items=[(item, item.supplier_item_id[-3:], name) for item, (name, _) in ITEMS.items()],
            recipients=RECIPIENTS.items(),
        )
        yield kit.desk


def summary(answer: Answer) -> str:
    """The answer with item and recipient; or the parts that are asked about, or missing."""
    question = answer.question
    ids = [part for part in (question.supplier_item_id, question.recipient_id) if part]
    if question.doubts:
        asked = [f"{one.kind}? {' '.join(choice.id for choice in one.choices)}" for one in question.doubts]
        return " ".join(["ask", *asked, *ids]).strip()
    return " ".join([*([answer.kind.value.lower()] if len(ids) == 2 else ["missing"]), *ids])


def parts(question: Question) -> tuple[str | None, ...]:
    return tuple(map(question.part, Kind))


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: line["text"])
def test_a_text_is_answered_for_exactly_what_it_asks(line: dict[str, object], desk: Desk) -> None:
    answers = answer_questions(desk, read_questions(desk, str(line["text"])))
    assert [summary(one) for one in answers] == line["answers"]


@pytest.mark.parametrize(
    "text",
    [
        f"{S} {I} {R}",
        f"{S}\t{I}\t{R}\n",
        f"{S} / {I} / {R}?",
        f"supplier: {S} item: {I} recipient: {R}",
        f"recipient={R}\nsupplier={S}\nitem={I}",
        f"Lieferanten-GLN {S} Artikel-Nr. {I} Empfänger-GLN {R}",
        f"Artikel {I} von Lieferant {S} für Empfänger {R}, bitte prüfen",
        f"http://127.0.0.1:8501/check?supplier={S}&item=04012345678918%3A276&recipient={R}",
        f"See https://x.example/?env=test&supplier={S}&item={I}&recipient={R} please, it is 14:02",
        f"http://[broken?a=b https://x.example/?q=1 supplier: {S} item: {I} recipient: {R}",
        f"Can {R} see {I} of {S}? Thanks, Ann (ticket 4711)",
        f'Is "{I}" from "{S}" visible for <{R}>?',
        f"Ist {I} für {R} sichtbar (Lieferant {S})?",
    ],
)
def test_numbers_that_are_not_known_are_read_by_labels_and_order(text: str, desk: Desk) -> None:
    assert [parts(one) for one in read_questions(desk, text)] == [(S, I, R)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{I} {R} {S}", (None, I, None)),
        (f"{R} can't see {I} ({S})", (None, I, None)),
        (f"ticket 4711: can {R} see {I}?", (None, I, R)),
        ("a2 b3", (None, None, None)),
        ("", (None, None, None)),
        (f"Can {R} see A-77 of {S}?", (S, None, None)),
        (f"tel {R}, {S}", (None, None, None)),
    ],
)
def test_an_unclear_number_is_not_guessed(text: str, read: tuple[str | None, ...], desk: Desk) -> None:
    assert [parts(one) for one in read_questions(desk, text)] == [read]


def test_what_was_not_understood_is_listed(desk: Desk) -> None:
    (one,) = read_questions(desk, "Can Sonnenhof see the whole milk (DE)? Order 450012345678, Berlin, a@x.de")
    assert one.not_understood == ("Berlin", "a@x.de", "450012345678")
    text = "Sonnenhof, whole milk, DE\nLe Panier, whole milk, DE\nKind regards, Ann Smith"
    first, last = read_questions(desk, text)
    assert (first.not_understood, last.not_understood) == ((), ("Kind regards, Ann Smith",))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Kann Sonnenhof die Whole milk sehen?", Language.GERMAN),
        ("Can Sonnenhof see the Käsekuchen?", Language.ENGLISH),
        ("Sonnenhof, whole milk", Language.ENGLISH),
    ],
)
def test_a_question_has_the_language_of_its_words(text: str, language: Language, desk: Desk) -> None:
    assert read_questions(desk, text)[0].language is language


@pytest.mark.parametrize(
    "text",
    [
        "Can Sonnenhof (GLN 4300000000045) see 09521000010017:276?",
        "Can Kaufhaus see the whole milk in Germany?",
        "Can Sonnenhof see the oat biscuits 250 g in France?",
    ],
)
def test_a_link_keeps_what_is_in_doubt(text: str, desk: Desk) -> None:
    (asked,) = read_questions(desk, text)
    opened = read_link(desk, {Kind(name): part for name, part in asked.address.items()})
    assert parts(opened) == parts(asked)
    assert [(one.kind, set(one.choices)) for one in opened.doubts] == [
        (one.kind, set(one.choices)) for one in asked.doubts
    ]


@pytest.mark.parametrize("own_id", ["R 7", "not-known", "..", "a?b=c"])
def test_a_link_is_taken_literally(own_id: str, desk: Desk) -> None:
    opened = read_link(desk, {Kind.SUPPLIER: "S", Kind.ITEM: own_id, Kind.RECIPIENT: "R"})
    assert (opened.supplier, opened.supplier_item_id, opened.recipient_id) == ("S", own_id, "R")


def test_a_choice_settles_its_doubt_and_an_item_brings_its_supplier(desk: Desk) -> None:
    (asked,) = read_questions(desk, "Can Kaufhaus see the rye crackers in Germany?")
    item, recipient = asked.doubts
    chosen = asked.with_choice(Kind.ITEM, item.choices[0])
    assert (chosen.item, chosen.doubts) == (CRACKERS, (recipient,))
    assert chosen.with_choice(Kind.RECIPIENT, recipient.choices[1]).recipient_id == TWO


@pytest.mark.parametrize(
    ("kind", "own_id", "wanted"),
    [
        (Kind.RECIPIENT, TWO, (DAIRY, MILK.supplier_item_id, TWO)),
        (Kind.ITEM, OATS_SWISS.supplier_item_id, (MILL, OATS_SWISS.supplier_item_id, ONE)),
        (Kind.ITEM, "no known item", (DAIRY, "no known item", ONE)),
        (Kind.SUPPLIER, MILL, (MILL, MILK.supplier_item_id, ONE)),
    ],
)
def test_a_part_is_corrected(kind: Kind, own_id: str, wanted: tuple[str, ...], desk: Desk) -> None:
    asked = Question(supplier=DAIRY, supplier_item_id=MILK.supplier_item_id, recipient_id=ONE)
    assert parts(asked.with_entry(kind, own_id, desk.names)) == wanted


def test_the_place_decides_about_an_id_known_as_both(tmp_path: Path) -> None:
    with open_kit(tmp_path) as kit:
        both = [("A1", "Alpha"), ("B2", "Beta")]
        put_names(kit.records.directory, suppliers=both, recipients=both)
        put_names(kit.records.directory, items=[(ItemKey("A1", "X-1"), "", "Cake")])
        for text in ("A1 X-1 B2", "Alpha, cake, Beta", "can Beta see cake of Alpha?", "cake for B2"):
            assert [parts(one) for one in read_questions(kit.desk, text)] == [("A1", "X-1", "B2")]


def test_a_whole_name_is_not_also_the_longer_one_that_begins_so(tmp_path: Path) -> None:
    with open_kit(tmp_path) as kit:
        put_names(kit.records.directory, recipients=[("1", "Markant"), ("2", "Markant Nord")])
        whole, half = (read_questions(kit.desk, text)[0] for text in ("Markant", "Marka"))
        assert (whole.recipient_id, [one.id for one in half.doubts[0].choices]) == ("1", ["1", "2"])


def test_many_lines_are_read_to_the_limit(desk: Desk) -> None:
    text = "\n".join([f"{DAIRY} {MILK.supplier_item_id} {ONE}"] * (MOST_QUESTIONS + 9))
    assert len(read_questions(desk, text)) == MOST_QUESTIONS + 1


@pytest.mark.parametrize("piece", ["Sonnenhof milk ", "x? ", "from:", "oat, ", "?="])
def test_a_long_text_is_read_in_one_go(piece: str, desk: Desk) -> None:
    assert {one.item for one in read_questions(desk, piece * 5_000)} == {None}


PIECES = ["item", S, I, R, "?", "a=b?c=d", "\t", "http://[", "Sonnenhof", "&", "(", "/", "order"]


@given(text=st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_read(desk: Desk, text: str) -> None:
    known = {DAIRY, MILL, *RECIPIENTS, *(item.supplier_item_id for item in ITEMS)}
    for question in read_questions(desk, text):
        assert all(part is None or part in known or part in text for part in parts(question))
