"""From a question in English or German to an answer with its time and reason."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import current_thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.access.people import Person
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SignInError
from item_visibility.model.change import ChangeKind, ChangeStep, Goal
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Outcome, StepResult, Verdict
from item_visibility.use_cases.check.answer import (
    Answer,
    AnswerKind,
    ReasonKind,
    sentence_of,
    table_row,
)
from item_visibility.use_cases.check.find_answer import answer_questions
from item_visibility.use_cases.check.question import Question, read_link, read_questions
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.desk import Desk
from tests.storage.entries import begin, save
from tests.support.desk import ANN, ITEM, OTHER_ITEM, DeskKit, open_kit, put_names
from tests.support.fake_visibilities import START, Fault, no_token

NUMBER = "04012345678901"
GLN = "4300000000038"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with one item that two recipients can see, and a third known recipient."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        put_names(kit.records.directory, items=[(ITEM, "", "")], recipients=[("C", "")])
        yield kit


def ask(recipient_id: str, item: ItemKey = ITEM) -> Question:
    return Question(
        ids=dict(
            zip(Kind, (item.supplier, item.supplier_item_id, recipient_id), strict=True)
        )
    )


def check(kit: DeskKit, question: Question) -> Answer:
    (answer,) = answer_questions(kit.desk, [question])
    return answer


def said(answer: Answer) -> str:
    return sentence_of(answer, when=lambda at: f"{at:%H:%M}")


def test_the_service_says_yes_or_no(kit: DeskKit) -> None:
    put_names(
        kit.records.directory,
        items=[(ITEM, "276", "Oat biscuits")],
        recipients=[("C", "Sonnenhof")],
    )
    answers = [check(kit, ask(recipient)) for recipient in ("A", "C", GLN)]

    assert [answer.kind for answer in answers] == [
        AnswerKind.YES,
        AnswerKind.NO,
        AnswerKind.NO,
    ]
    assert [said(answer) for answer in answers] == [
        "Yes, A can see Oat biscuits · Germany (read 14:00).",
        "No, Sonnenhof cannot see Oat biscuits · Germany; others can (read 14:00).",
        f"No, {GLN} cannot see Oat biscuits · Germany; others can (read 14:00).",
    ]
    assert answers[0].read.listed == frozenset("AB")
    assert answers[0].read.error is None
    assert answers[0].read.at == START


@pytest.mark.parametrize(
    ("recipient_id", "item", "meant"),
    [("D", ITEM, ()), ("C", ItemKey(ITEM.supplier, f"{NUMBER}:040"), (ITEM,))],
)
def test_an_unknown_item_or_recipient_is_not_answered_with_no(
    kit: DeskKit, recipient_id: str, item: ItemKey, meant: tuple[ItemKey, ...]
) -> None:
    answer = check(kit, ask(recipient_id, item))
    sentence = "Not known: the number of the item or of the recipient may be wrong."
    assert said(answer) == sentence
    assert answer.reason.kind is ReasonKind.UNKNOWN_ID
    assert [ItemKey(*row.ids) for row in answer.reason.near] == [*meant]


def test_without_a_read_there_is_no_answer(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", no_token()))
    answer = check(kit, ask("A"))
    assert said(answer) == "Not known: the list could not be read."
    assert answer.read.listed is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"GTIN {NUMBER}", "the question names no recipient"),
        ("", "the question names no item and no recipient"),
        (f"can Kaufhaus see {NUMBER}?", "choose which recipient is meant"),
    ],
)
def test_an_incomplete_or_doubtful_question_is_not_answered(
    kit: DeskKit, text: str, why: str
) -> None:
    put_names(
        kit.records.directory, recipients=[("A", "Kaufhaus 1"), ("B", "Kaufhaus 2")]
    )
    (answer,) = answer_questions(kit.desk, read_questions(kit.desk, text))

    assert said(answer) == f"Not known: {why}."
    assert kit.fake.calls == []


def test_each_item_is_read_once_for_many_questions(kit: DeskKit) -> None:
    questions = [
        ask(recipient, item)
        for recipient in ("A", "C", GLN)
        for item in (ITEM, OTHER_ITEM)
    ]
    answers = answer_questions(kit.desk, questions)

    assert [answer.kind for answer in answers[::2]] == [
        AnswerKind.YES,
        AnswerKind.NO,
        AnswerKind.NO,
    ]
    assert sorted(call.item for call in kit.fake.calls) == sorted([ITEM, OTHER_ITEM])


def test_parallel_reads_do_not_look_up_the_current_user(tmp_path: Path) -> None:
    asking = current_thread()

    def person() -> Person:
        # Worker threads have no sign-in.
        if current_thread() is not asking:
            raise SignInError("You are not signed in.", advice="Sign in.")
        return ANN

    with open_kit(tmp_path, {ITEM: {"A"}}, person=person) as kit:
        assert check(kit, ask("A")).kind is AnswerKind.YES


def remove(
    kit: DeskKit,
    seconds_ago: float,
    outcome: Outcome,
    verdict: Verdict,
    kind: ChangeKind = ChangeKind.EDIT,
) -> None:
    """Record a removal of A with this outcome. The service still lists A."""
    history = kit.records.history
    at = -seconds_ago / 60
    result = begin(history, "r", at=at, item=ITEM, before="AB", remove="A", kind=kind)
    steps = (StepResult(ChangeStep("A", Goal.NOT_VISIBLE), outcome),)
    history.record_result(
        "r", replace(result, steps=steps, verdict=verdict, after=frozenset("B"))
    )


@pytest.mark.parametrize(
    ("seconds_ago", "outcome", "verdict", "at"),
    [
        (3, Outcome.DONE, Verdict.VERIFIED, "13:59"),
        (120, Outcome.DONE, Verdict.NOT_CONFIRMED, "13:58"),
        (7200, Outcome.UNKNOWN, Verdict.NOT_CONFIRMED, "12:00"),
    ],
)
def test_a_removal_that_reads_do_not_show_yet_is_pending(
    kit: DeskKit, seconds_ago: float, outcome: Outcome, verdict: Verdict, at: str
) -> None:
    remove(kit, seconds_ago, outcome, verdict)
    assert said(check(kit, ask("A"))) == (
        f"A was removed from {NUMBER}:276 · Germany here ({at}); the service still "
        "shows the old list."
    )


@pytest.mark.parametrize(
    ("seconds_ago", "outcome", "verdict", "kind"),
    [
        (60, Outcome.DONE, Verdict.VERIFIED, ChangeKind.EDIT),
        (3, Outcome.REFUSED, Verdict.DIFFERS, ChangeKind.EDIT),
        (3, Outcome.DONE, Verdict.VERIFIED, ChangeKind.OBSERVED),
    ],
)
def test_a_removal_that_is_old_or_refused_or_not_ours_is_still_a_yes(
    kit: DeskKit,
    seconds_ago: float,
    outcome: Outcome,
    verdict: Verdict,
    kind: ChangeKind,
) -> None:
    remove(kit, seconds_ago, outcome, verdict, kind)
    assert check(kit, ask("A")).kind is AnswerKind.YES


def test_an_addition_after_a_removal_is_a_yes(kit: DeskKit) -> None:
    remove(kit, 4, Outcome.DONE, Verdict.VERIFIED)
    save(kit.records.history, "a", at=-0.02, item=ITEM, before="B", add="A")
    assert check(kit, ask("A")).kind is AnswerKind.YES


def test_several_answers_are_written_as_a_table(kit: DeskKit) -> None:
    put_names(
        kit.records.directory,
        items=[(ITEM, "276", "Milk")],
        recipients=[("A", "Kaufhaus A"), ("C", "Kaufhaus 2")],
    )
    questions = [ask("A"), ask("C"), *read_questions(kit.desk, f"Kaufhaus {NUMBER}")]
    answers = answer_questions(kit.desk, questions)

    assert [table_row(answer) for answer in answers] == [
        (
            "Kaufhaus A (A)",
            f"Milk ({NUMBER}:276)",
            "Germany",
            "Yes",
            "",
            "2026-11-21 14:00:00 UTC",
        ),
        (
            "Kaufhaus 2 (C)",
            f"Milk ({NUMBER}:276)",
            "Germany",
            "No",
            "Kaufhaus 2 was never added here.",
            "2026-11-21 14:00:00 UTC",
        ),
        (
            "Kaufhaus",
            f"Milk ({NUMBER}:276)",
            "Germany",
            "Not known",
            "choose which recipient is meant",
            "",
        ),
    ]


DAIRY = "4000001000005"
MILL = "4000002000004"
MILK = ItemKey(DAIRY, "04012345678901:276")
MILK_AUSTRIAN = ItemKey(DAIRY, "04012345678901:040")
OATS = ItemKey(MILL, "09521000010017:276")
OATS_AUSTRIAN = ItemKey(MILL, "09521000010017:040")
OATS_SWISS = ItemKey(MILL, "09521000010024:756")
CAKE = ItemKey(MILL, "09521000010031:276")
CRACKERS = ItemKey(MILL, "09521000010048:276")
CRACKERS_LARGE = ItemKey(MILL, "09521000010055:276")
ONE = "4300000000014"
TWO = "4300000000021"
SONNENHOF = "4300000000038"
PANIER = "4300000000045"
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
# The supplier, item and recipient in texts.
S = "4000009000007"
I = "04012345678918:276"  # noqa: E741
R = "4300009000008"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with items in several markets and some recipients, all with names.

    Tests only read it.
    """
    lists = {item: recipients for item, (_, recipients) in ITEMS.items()}
    with open_kit(tmp_path_factory.mktemp("corpus"), lists) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(DAIRY, "Nordmilch"), (MILL, "Harbour Mill Foods")],
            items=[
                (item, item.supplier_item_id[-3:], name)
                for item, (name, _) in ITEMS.items()
            ],
            recipients=RECIPIENTS.items(),
        )
        yield kit.desk


def summary(answer: Answer) -> str:
    """Return the answer and its ids, or the missing and doubtful parts."""
    question = answer.question
    ids = [
        question.ids[kind]
        for kind in (Kind.ITEM, Kind.RECIPIENT)
        if kind in question.ids
    ]
    if question.doubts:
        doubts = [
            f"{doubt.kind}? {' '.join(choice.id for choice in doubt.alike)}"
            for doubt in question.doubts
        ]
        return " ".join(["ask", *doubts, *ids]).strip()
    return " ".join(
        [table_row(answer)[3].lower() if len(ids) == 2 else "missing", *ids]
    )


def parts(question: Question) -> tuple[str | None, ...]:
    return tuple(map(question.ids.get, Kind))


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: line["text"])
def test_a_text_is_answered_for_exactly_what_it_asks(
    line: dict[str, object], desk: Desk
) -> None:
    answers = answer_questions(desk, read_questions(desk, str(line["text"])))
    assert [summary(answer) for answer in answers] == line["answers"]


@pytest.mark.parametrize(
    "text",
    [
        f"{S} {I} {R}",
        f"{S} / {I} / {R}?",
        f"supplier: {S} item: {I} recipient: {R}",
        f"recipient={R}\nsupplier={S}\nitem={I}",
        f"Lieferanten-GLN {S} Artikel-Nr. {I} Empfänger-GLN {R}",
        f"http://127.0.0.1:8501/check?supplier={S}&item=04012345678918%3A276&recipient={R}",
        (
            f"See https://x.example/?env=test&supplier={S}&item={I}&recipient={R} "
            "please, it is 14:02"
        ),
        (
            f"http://[broken?a=b https://x.example/?q=1 supplier: {S} item: {I} "
            f"recipient: {R}"
        ),
        f"Ist {I} für {R} sichtbar (Lieferant {S})?",
    ],
)
def test_numbers_that_are_not_known_are_read_by_labels_and_order(
    text: str, desk: Desk
) -> None:
    assert [parts(question) for question in read_questions(desk, text)] == [(S, I, R)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{I} {R} {S}", (None, I, None)),
        (f"{R} can't see {I} ({S})", (None, I, None)),
        (f"ticket 4711: can {R} see {I}?", (None, I, R)),
        (f"Can {R} see A-77 of {S}?", (S, None, None)),
        (f"tel {R}, {S}", (None, None, None)),
    ],
)
def test_an_unclear_number_is_not_guessed(
    text: str, read: tuple[str | None, ...], desk: Desk
) -> None:
    assert [parts(question) for question in read_questions(desk, text)] == [read]


def test_what_was_not_understood_is_listed(desk: Desk) -> None:
    (question,) = read_questions(
        desk,
        "Can Sonnenhof see the whole milk (DE)? Order 450012345678, Berlin, a@x.de",
    )

    assert question.not_understood == ("450012345678", "Berlin", "a@x.de")

    text = (
        "Sonnenhof, whole milk, DE\nLe Panier, whole milk, DE\nKind regards, Ann Smith"
    )
    first, last = read_questions(desk, text)

    assert first.not_understood == ()
    assert last.not_understood == ("Kind regards, Ann Smith",)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Kann Sonnenhof die Whole milk sehen?", Language.GERMAN),
        ("Can Sonnenhof see the Käsekuchen?", Language.ENGLISH),
    ],
)
def test_a_question_has_the_language_of_its_words(
    text: str, language: Language, desk: Desk
) -> None:
    assert read_questions(desk, text)[0].language is language


@pytest.mark.parametrize(
    "text",
    [
        "Can Sonnenhof (GLN 4300000000045) see 09521000010017:276?",
        "Can Kaufhaus see the whole milk in Germany?",
        "Can Sonnenhof see the oat biscuits 250 g in France?",
    ],
)
def test_a_link_keeps_the_doubtful_parts_of_a_question(text: str, desk: Desk) -> None:
    (question,) = read_questions(desk, text)
    opened = read_link(
        desk, {Kind(name): part for name, part in question.address.items()}
    )

    assert parts(opened) == parts(question)
    assert [(doubt.kind, set(doubt.alike)) for doubt in opened.doubts] == [
        (doubt.kind, set(doubt.alike)) for doubt in question.doubts
    ]


@pytest.mark.parametrize("own_id", ["R 7", "not-known", "..", "a?b=c"])
def test_ids_in_a_link_are_used_literally(own_id: str, desk: Desk) -> None:
    opened = read_link(
        desk, {Kind.SUPPLIER: "S", Kind.ITEM: own_id, Kind.RECIPIENT: "R"}
    )
    assert parts(opened) == ("S", own_id, "R")


def test_a_choice_resolves_its_doubt_and_an_item_brings_its_supplier(
    desk: Desk,
) -> None:
    (question,) = read_questions(desk, "Can Kaufhaus see the rye crackers in Germany?")
    item, recipient = question.doubts
    chosen = question.with_choice(Kind.ITEM, item.alike[0])

    assert chosen.item == CRACKERS
    assert chosen.doubts == (recipient,)
    assert chosen.with_choice(Kind.RECIPIENT, recipient.alike[1]).recipient_id == TWO


@pytest.mark.parametrize(
    ("kind", "own_id", "wanted"),
    [
        (Kind.RECIPIENT, TWO, (DAIRY, MILK.supplier_item_id, TWO)),
        (
            Kind.ITEM,
            OATS_SWISS.supplier_item_id,
            (MILL, OATS_SWISS.supplier_item_id, ONE),
        ),
        (Kind.ITEM, "no known item", (DAIRY, "no known item", ONE)),
    ],
)
def test_a_part_of_the_question_is_corrected(
    kind: Kind, own_id: str, wanted: tuple[str, ...], desk: Desk
) -> None:
    question = ask(ONE, MILK)
    assert parts(question.with_entry(kind, own_id, desk.names)) == wanted


def test_the_position_decides_whether_an_id_is_a_supplier_or_a_recipient(
    tmp_path: Path,
) -> None:
    with open_kit(tmp_path) as kit:
        both = [("A1", "Alpha"), ("B2", "Beta")]
        put_names(kit.records.directory, suppliers=both, recipients=both)
        put_names(kit.records.directory, items=[(ItemKey("A1", "X-1"), "", "Cake")])
        for text in (
            "A1 X-1 B2",
            "Alpha, cake, Beta",
            "can Beta see cake of Alpha?",
            "cake for B2",
        ):
            assert [parts(question) for question in read_questions(kit.desk, text)] == [
                ("A1", "X-1", "B2")
            ]


def test_a_full_name_does_not_mean_a_longer_name_that_begins_with_it(
    tmp_path: Path,
) -> None:
    with open_kit(tmp_path) as kit:
        put_names(
            kit.records.directory, recipients=[("1", "Markant"), ("2", "Markant Nord")]
        )
        whole, half = (
            read_questions(kit.desk, text)[0] for text in ("Markant", "Nord")
        )

        assert whole.recipient_id == "1"
        assert [row.id for row in half.doubts[0].alike] == ["2"]


@pytest.mark.parametrize("piece", ["Sonnenhof milk ", "x? ", "from:", "oat, ", "?="])
def test_a_long_text_is_read_in_one_go(piece: str, desk: Desk) -> None:
    assert {question.item for question in read_questions(desk, piece * 5_000)} == {None}


PIECES = [
    "item",
    S,
    I,
    R,
    "?",
    "a=b?c=d",
    "\t",
    "http://[",
    "Sonnenhof",
    "&",
    "(",
    "/",
    "order",
]


@given(text=st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_read(desk: Desk, text: str) -> None:
    known_ids = {DAIRY, MILL, *RECIPIENTS, *(item.supplier_item_id for item in ITEMS)}
    for question in read_questions(desk, text):
        assert all(
            part is None or part in known_ids or part in text
            for part in parts(question)
        )
