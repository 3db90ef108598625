"""Can this recipient see this item?"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import current_thread

import pytest

from item_visibility.access.access import Person
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SignInError
from item_visibility.saving.outcome import Outcome, StepResult, Verdict
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.use_cases.check.answer import Answer, AnswerKind, ReasonKind, answer_questions
from item_visibility.use_cases.check.answer_words import answers_as_xlsx, sentence_of, table_row
from item_visibility.use_cases.check.question import Question, read_questions
from tests.storage.entries import begin, save
from tests.support.desk import ANN, ITEM, OTHER_ITEM, DeskKit, open_kit
from tests.support.fake_visibilities import START, Fault, no_token
from tests.support.known_names import put_names

NUMBER, GLN = "04012345678901", "4300000000038"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item with two recipients; a third one is known as well."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        put_names(kit.records.directory, items=[(ITEM, "", "")], recipients=[("C", "")])
        yield kit


def ask(recipient_id: str, item: ItemKey = ITEM) -> Question:
    return Question(supplier=item.supplier, supplier_item_id=item.supplier_item_id, recipient_id=recipient_id)


def check(kit: DeskKit, question: Question) -> Answer:
    (answer,) = answer_questions(kit.desk, [question])
    return answer


def said(answer: Answer) -> str:
    return sentence_of(answer, when=lambda at: f"{at:%H:%M}")


def test_the_service_says_yes_or_no(kit: DeskKit) -> None:
    put_names(kit.records.directory, items=[(ITEM, "276", "Oat biscuits")], recipients=[("C", "Sonnenhof")])
    answers = [check(kit, ask(one)) for one in ("A", "C", GLN)]
    assert [one.kind for one in answers] == [AnswerKind.YES, AnswerKind.NO, AnswerKind.NO]
    assert [said(one) for one in answers] == [
        "Yes, A can see Oat biscuits · Germany (read 14:00).",
        "No, Sonnenhof cannot see Oat biscuits · Germany; others can (read 14:00).",
        f"No, {GLN} cannot see Oat biscuits · Germany; others can (read 14:00).",
    ]
    assert (answers[0].listed, answers[0].error, answers[0].answered_at) == (frozenset("AB"), None, START)


@pytest.mark.parametrize(
    ("recipient_id", "item", "meant"),
    [("D", ITEM, ()), ("C", ItemKey(ITEM.supplier, f"{NUMBER}:040"), (ITEM,))],
)
def test_an_unknown_item_or_recipient_gets_no_no(
    kit: DeskKit, recipient_id: str, item: ItemKey, meant: tuple[ItemKey, ...]
) -> None:
    answer = check(kit, ask(recipient_id, item))
    assert said(answer) == "Not known: the item or the recipient may be misread."
    assert (answer.reason.kind, answer.reason.items) == (ReasonKind.UNKNOWN_ID, meant)


def test_a_first_read_that_fails_is_no_answer(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", no_token()))
    answer = check(kit, ask("A"))
    assert (said(answer), answer.listed) == ("Not known: the list could not be read.", None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"GTIN {NUMBER}", "the question names no recipient"),
        ("recipient: 4300000000038", "the question names no item"),
        ("", "the question names no item and no recipient"),
        (f"can Kaufhaus see {NUMBER}?", "choose which recipient is meant"),
    ],
)
def test_half_a_question_and_a_doubt_are_no_answer(kit: DeskKit, text: str, why: str) -> None:
    put_names(kit.records.directory, recipients=[("A", "Kaufhaus 1"), ("B", "Kaufhaus 2")])
    (answer,) = answer_questions(kit.desk, read_questions(kit.desk, text))
    assert said(answer) == f"Not known: {why}."
    assert kit.fake.calls == []


def test_each_item_is_read_once_for_many_questions(kit: DeskKit) -> None:
    questions = [ask(one, item) for one in ("A", "C", GLN) for item in (ITEM, OTHER_ITEM)]
    answers = answer_questions(kit.desk, questions)
    assert [one.kind for one in answers[::2]] == [AnswerKind.YES, AnswerKind.NO, AnswerKind.NO]
    assert sorted(call.item for call in kit.fake.calls) == sorted([ITEM, OTHER_ITEM])


def test_reads_do_not_ask_who_asks_in_their_own_threads(tmp_path: Path) -> None:
    asking = current_thread()

    def person() -> Person:
        if current_thread() is not asking:  # as in a worker of a window, which has no sign-in
            raise SignInError("You are not signed in.", advice="Sign in.")
        return ANN

    with open_kit(tmp_path, {ITEM: {"A"}}, person=person) as kit:
        assert check(kit, ask("A")).kind is AnswerKind.YES


def remove(
    kit: DeskKit, seconds_ago: float, outcome: Outcome, verdict: Verdict, kind: ChangeKind = ChangeKind.EDIT
) -> None:
    """A removal of A that ended so; the service still lists A."""
    history, at = kit.records.history, -seconds_ago / 60
    result = begin(history, "r", at=at, item=ITEM, before="AB", remove="A", kind=kind)
    steps = (StepResult(ChangeStep("A", Goal.NOT_VISIBLE), outcome),)
    history.settle("r", replace(result, steps=steps, verdict=verdict, after=frozenset("B")))


@pytest.mark.parametrize(
    ("seconds_ago", "outcome", "verdict", "at"),
    [
        (3, Outcome.DONE, Verdict.VERIFIED, "13:59"),
        (120, Outcome.DONE, Verdict.NOT_CONFIRMED, "13:58"),
        (7200, Outcome.UNKNOWN, Verdict.NOT_CONFIRMED, "12:00"),
    ],
)
def test_a_removal_from_here_that_no_read_has_shown_is_no_plain_yes(
    kit: DeskKit, seconds_ago: float, outcome: Outcome, verdict: Verdict, at: str
) -> None:
    remove(kit, seconds_ago, outcome, verdict)
    assert said(check(kit, ask("A"))) == (
        f"A was removed from {NUMBER}:276 · Germany here ({at}); the service still shows the old list."
    )


@pytest.mark.parametrize(
    ("seconds_ago", "outcome", "verdict", "kind"),
    [
        (60, Outcome.DONE, Verdict.VERIFIED, ChangeKind.EDIT),
        (3, Outcome.REFUSED, Verdict.DIFFERS, ChangeKind.EDIT),
        (3, Outcome.DONE, Verdict.VERIFIED, ChangeKind.OBSERVED),
    ],
)
def test_an_old_or_refused_removal_and_one_elsewhere_leave_a_yes(
    kit: DeskKit, seconds_ago: float, outcome: Outcome, verdict: Verdict, kind: ChangeKind
) -> None:
    remove(kit, seconds_ago, outcome, verdict, kind)
    assert check(kit, ask("A")).kind is AnswerKind.YES


def test_an_addition_after_a_removal_leaves_a_yes(kit: DeskKit) -> None:
    remove(kit, 4, Outcome.DONE, Verdict.VERIFIED)
    save(kit.records.history, "a", at=-0.02, item=ITEM, before="B", add="A")
    assert check(kit, ask("A")).kind is AnswerKind.YES


def test_several_answers_are_a_table(kit: DeskKit) -> None:
    put_names(
        kit.records.directory,
        items=[(ITEM, "276", "Milk")],
        recipients=[("A", "Kaufhaus A"), ("C", "Kaufhaus 2")],
    )
    questions = [ask("A"), ask("C"), *read_questions(kit.desk, f"Kaufhaus {NUMBER}")]
    answers = answer_questions(kit.desk, questions)
    assert [table_row(one) for one in answers] == [
        ("Kaufhaus A (A)", f"Milk ({NUMBER}:276)", "Germany", "Yes", "", "2026-11-21 14:00 UTC"),
        (
            "Kaufhaus 2 (C)",
            f"Milk ({NUMBER}:276)",
            "Germany",
            "No",
            "Kaufhaus 2 was never added here.",
            "2026-11-21 14:00 UTC",
        ),
        ("Kaufhaus", f"Milk ({NUMBER}:276)", "Germany", "Not known", "choose which recipient is meant", ""),
    ]
    assert answers_as_xlsx(answers).startswith(b"PK")
