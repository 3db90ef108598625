"""Why a recipient cannot see an item, and the text for the customer."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.model.change import ChangeKind, ChangeOperation, ChangeStep, Goal
from item_visibility.model.job import BulkItem, JobOrigin, JobState
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Outcome, StepResult, Verdict
from item_visibility.model.read_item import ReadItem
from item_visibility.storage.history import History
from item_visibility.use_cases.check.answer import (
    Answer,
    AnswerKind,
    ReasonKind,
    customer_words,
    reason_words,
    table_row,
)
from item_visibility.use_cases.check.find_answer import answer_questions
from item_visibility.use_cases.check.question import Question, read_questions
from item_visibility.use_cases.check.question_words import Language
from tests.storage.entries import a_job, begin, minute, save
from tests.support.desk import (
    ITEM,
    PERSON,
    DeskKit,
    a_request,
    break_records,
    open_kit,
    put_names,
)
from tests.support.fake_visibilities import (
    FakeCall,
    Fault,
    no_token,
    not_sent,
    refused,
    unknown_outcome,
)

CASES = json.loads((Path(__file__).parent / "why_not_cases.json").read_text("utf-8"))
"""Questions from real mistakes, each with its answer, its reason and the texts."""

MILL = "4000002000004"
DAIRY = "4000001000005"
BAKERY = "4000003000003"
SONNENHOF = "4300000000038"
PANIER = "4300000000045"
NORDLICHT = "4300000000052"
CAFE = "4300000000069"
KAUFHAUS = "4300000000014"
MARKT = "4300000000021"


def of_mill(number: int, market: str = ":276") -> ItemKey:
    """Return the mill's item with this number in its catalogue.

    Its GTIN has 14 digits.
    """
    checks = "7418529630741852963074185296307418"
    return ItemKey(MILL, f"0952100001{number:03}{checks[number - 1]}{market}")


REMOVED, TAKEN_BACK, ELSEWHERE, REFUSED, UNCERTAIN = map(of_mill, (1, 2, 3, 5, 6))
QUIET, JOBS, ADDING, WRITINGS, MANY_THINGS, EMPTY, _, NOT_SENT, JUST_ADDED = map(
    of_mill, range(7, 16)
)
AUSTRIAN = of_mill(1, ":040")
SWISS = of_mill(16, ":756")
ENGLISH = ItemKey(DAIRY, "9521000020016:826")
"""An item of another supplier. Its number has 13 digits."""
OF_BAKERY = replace(of_mill(17), supplier=BAKERY)
CASE = ItemKey(MILL, "19521000010182:276")
"""A case of items that are not in the directory."""
OF_KAUFHAUS = (
    *(
        TAKEN_BACK,
        ELSEWHERE,
        REFUSED,
        UNCERTAIN,
        QUIET,
        JOBS,
        ADDING,
        MANY_THINGS,
        NOT_SENT,
        JUST_ADDED,
    ),
    *(SWISS, ENGLISH),
)
LISTS = {item: {KAUFHAUS} for item in OF_KAUFHAUS} | {
    REMOVED: {KAUFHAUS, SONNENHOF},
    AUSTRIAN: {PANIER, "4300000000083"},
    WRITINGS: {
        "04300000000021",
        "CUST-0042",
        "4300000000083 ",
        "4300000000025",
        "Kund-77",
        KAUFHAUS,
    },
    EMPTY: set[str](),
    OF_BAKERY: {MARKT},
    CASE: {MARKT},
}
TITLES = {
    REMOVED: "Oat biscuits",
    AUSTRIAN: "Oat biscuits",
    EMPTY: "Bran",
    SWISS: "Muesli",
    ENGLISH: "Whole milk",
    CASE: "Case of crackers",
}
RECIPIENTS = {
    KAUFHAUS: "Kaufhaus",
    MARKT: "Marktplatz",
    SONNENHOF: "Sonnenhof",
    PANIER: "Le Panier",
    NORDLICHT: "Nordlicht",
    CAFE: "Café Łódź",
}

K = ReasonKind
AT = "21 November 2026, 14:00 UTC"
UM = "21.11.2026, 14:00 UTC"
OATS = "Oat biscuits (09521000010017:276, target market Germany)"
HAFER = "Oat biscuits (09521000010017:276, Zielmarkt Deutschland)"
WITHDRAWN = "It was withdrawn from Marktplatz on 21 November 2026, 13:00 UTC."
ZURUECK = "Die Freigabe für Marktplatz wurde am 21.11.2026, 13:00 UTC zurückgenommen."
CANNOT_SEE = "We cannot see whether Kaufhaus subscribed or received the data."
NICHT_SEHEN = (
    "Wir können nicht sehen, ob Kaufhaus die Daten abonniert oder erhalten hat."
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A desk with an example of most reasons, which the tests only read."""
    with open_kit(tmp_path_factory.mktemp("why_not"), LISTS) as kit:
        put_names(
            kit.records.directory,
            suppliers=[
                (MILL, "Harbour Mill"),
                (DAIRY, "Nordmilch"),
                (BAKERY, "Old Bakery"),
            ],
            items=[
                (item, item.supplier_item_id[-3:], TITLES.get(item, ""))
                for item in LISTS
            ],
            recipients=RECIPIENTS.items(),
        )
        fill_history(kit.records.history)
        prepare_jobs(kit)

        # Each read adds knowledge, so all items are read before the tests.
        for item in LISTS:
            kit.desk.read(item)
        yield kit


def fill_history(history: History) -> None:
    def change(key: str, at: float, item: ItemKey, **sides: Any) -> None:  # noqa: ANN401  (arguments of `begin`)
        save(
            history,
            key,
            at=at,
            item=item,
            **{"before": [KAUFHAUS, MARKT], "person": "Anna"} | sides,
        )

    def add_in_vain(
        key: str, at: float, item: ItemKey, outcome: Outcome, message: str = ""
    ) -> None:
        result = begin(
            history,
            key,
            at=at,
            item=item,
            before=[KAUFHAUS],
            add=[MARKT],
            person="Anna",
        )
        steps = tuple(
            replace(step, outcome=outcome, message=message) for step in result.steps
        )
        history.record_result(
            key,
            replace(
                result,
                steps=steps,
                verdict=Verdict.DIFFERS,
                after=frozenset({KAUFHAUS}),
            ),
        )

    change("r", -60, REMOVED, remove=[MARKT])
    change("t1", -50, TAKEN_BACK, before=[KAUFHAUS], add=[MARKT], person="Ben")
    change("t2", -45, TAKEN_BACK, remove=[MARKT], person="Ben", kind=ChangeKind.UNDO)
    seen = frozenset({KAUFHAUS, MARKT})
    history.seen.record_reads(
        [
            ReadItem(
                item=ELSEWHERE,
                recipients=seen,
                asked_at=minute(-40),
                read_at=minute(-40),
            )
        ]
    )
    add_in_vain("f", -30, REFUSED, Outcome.REFUSED, "The service refused it (400).")
    add_in_vain("u", -30, UNCERTAIN, Outcome.UNKNOWN)
    add_in_vain("n", -30, NOT_SENT, Outcome.NOT_SENT)
    begin(
        history,
        "open",
        at=-1,
        item=ADDING,
        before=[KAUFHAUS],
        add=[MARKT],
        person="Anna",
    )
    change("now", -0.05, JUST_ADDED, before=[KAUFHAUS], add=[MARKT])
    change("m1", -90, MANY_THINGS, remove=[MARKT])
    add_in_vain("m2", -70, MANY_THINGS, Outcome.REFUSED)


def prepare_jobs(kit: DeskKit) -> None:
    for state, recipient_id in (
        (JobState.QUEUED, MARKT),
        (JobState.PREVIEWED, NORDLICHT),
        (JobState.PAUSED, CAFE),
    ):
        job = a_job(state.value, created_at=minute(-15), state=state)
        job = replace(job, person="Tomasz", reason="SUP-9")
        kit.records.jobs.create(
            job, [BulkItem(item=JOBS, add=frozenset({recipient_id}))]
        )


def test_an_interrupted_job_of_a_command_is_not_said_to_add_the_recipient(
    tmp_path: Path,
) -> None:
    with open_kit(tmp_path, {ITEM: {KAUFHAUS}}) as kit:
        job = a_job("left", state=JobState.RUNNING, origin=JobOrigin.COMMAND)
        kit.records.jobs.create(job, [BulkItem(item=ITEM, add=frozenset({MARKT}))])
        with kit.records.jobs.claim("left", sleep=Mock()):
            running = about(kit, MARKT)
        interrupted = about(kit, MARKT)
    assert running.reason.kind is ReasonKind.UNDER_WAY
    assert interrupted.reason.kind is ReasonKind.NEVER_ADDED


def answer_to(kit: DeskKit, supplier: str, own_id: str, recipient_id: str) -> Answer:
    question = Question(
        ids=dict(zip(Kind, (supplier, own_id, recipient_id), strict=True))
    )
    return answer_questions(kit.desk, [question])[0]


def clock(at: datetime) -> str:
    return f"{at:%H:%M}"


def about(kit: DeskKit, recipient_id: str, item: ItemKey = ITEM) -> Answer:
    return answer_to(kit, item.supplier, item.supplier_item_id, recipient_id)


OTHERS = {
    "Anna",
    "Ben",
    "Jana",
    "Tomasz",
    "SUP-9",
    "+0000",
    "CUST-0042",
    "4300000000025",
}
"""What a customer must not learn about others."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_each_case_has_its_reason(case: dict[str, list[str]], world: DeskKit) -> None:
    answer = answer_to(world, *case["question"])
    reason = reason_words(answer, when=clock)
    assert [table_row(answer)[3], answer.reason.kind.name, reason] == case["answer"]

    for language in Language:
        text = customer_words(answer, language)
        assert [other for other in OTHERS if other in text] == []
        assert ("Kaufhaus" in text) == (case["question"][2] == KAUFHAUS)


@pytest.mark.parametrize("error", [unknown_outcome(), not_sent(), no_token()], ids=str)
def test_a_list_that_could_not_be_read_is_no_answer(
    world: DeskKit, error: ItemVisibilityError
) -> None:
    world.fake.faults.append(Fault("getVisibilities", error))
    world.fake.calls.clear()
    answer = about(world, MARKT, REMOVED)

    assert answer.reason.kind is K.NOT_READ
    assert answer.read.error == error
    assert answer.read.listed is None

    last = "At the last read (14:00), Marktplatz could not see the item."
    assert reason_words(answer, when=clock).endswith(last)
    assert len(world.fake.calls) == 1


def test_another_item_that_cannot_be_read_is_no_reason(
    world: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_on_other(call: FakeCall) -> None:
        if call.item == SWISS:
            raise unknown_outcome()

    monkeypatch.setattr(world.fake, "before_call", fail_on_other)
    answer = answer_to(
        world, MILL, SWISS.supplier_item_id.replace("756", "040"), KAUFHAUS
    )

    assert answer.reason.kind is K.UNKNOWN_ID
    assert answer.reason.near[0].id == SWISS.supplier_item_id


def test_without_our_database_the_history_of_the_item_is_unknown(
    tmp_path: Path,
) -> None:
    with open_kit(tmp_path, {ITEM: {"4300000000014"}}) as kit:
        break_records(tmp_path)
        assert about(kit, "4300000000014").kind is AnswerKind.YES
        assert about(kit, "4300000000015").reason.kind is K.NEAR_RECIPIENT

        answer = about(kit, "4300000000038")
        assert about(kit, "C").kind is AnswerKind.NOT_KNOWN
        reason = "The history of the item could not be read."
        assert reason_words(answer, when=clock) == reason


@pytest.fixture
def recalled(tmp_path: Path) -> Iterator[DeskKit]:
    """An item from which everyone was removed, with a reason.

    C was never in its list.
    """
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        put_names(
            kit.records.directory,
            items=[(ITEM, "276", "Milk")],
            recipients=[("C", "Sonnenhof")],
        )
        request = a_request(ITEM, key="recall", base="AB", remove="AB")
        kit.save(
            replace(
                request,
                operation=ChangeOperation.REMOVE_ALL,
                reason="Recall 7",
                confirmed_count=2,
            )
        )
        yield kit


@pytest.mark.parametrize("recipient_id", ["A", "C"])
def test_everything_was_removed(recalled: DeskKit, recipient_id: str) -> None:
    answer = about(recalled, recipient_id)
    assert answer.reason.kind is K.ALL_REMOVED
    assert answer.reason.key == "recall"
    reason = f"{PERSON} removed all recipients (14:00). Reason: Recall 7"
    assert reason_words(answer, when=clock) == reason
    assert customer_words(answer, Language.ENGLISH).endswith(
        "The supplier withdrew the item on 21 November 2026, 14:00 UTC."
    )


def test_what_happened_after_everything_was_removed_counts(recalled: DeskKit) -> None:
    recalled.save(a_request(ITEM, key="k2", add={"B"}))
    assert about(recalled, "C").reason.kind is K.NEVER_ADDED
    assert about(recalled, "A").reason.kind is K.ALL_REMOVED

    save(recalled.records.history, "k3", at=1, item=ITEM, before="AB", remove="A")
    assert about(recalled, "A").reason.kind is K.REMOVED


def test_steps_that_changed_nothing_are_no_reason(tmp_path: Path) -> None:
    with open_kit(tmp_path, {ITEM: {"A"}}) as kit:
        put_names(kit.records.directory, recipients=[("B", "")])
        for at, goal, outcome in (
            (-60, Goal.NOT_VISIBLE, Outcome.REFUSED),
            (-50, Goal.VISIBLE, Outcome.IN_PLACE),
        ):
            result = begin(
                kit.records.history, str(at), at=at, item=ITEM, before="A", add="B"
            )
            steps = (StepResult(ChangeStep("B", goal), outcome),)
            kit.records.history.record_result(
                str(at), replace(result, steps=steps, after=frozenset("A"))
            )

        assert about(kit, "B").reason.kind is K.NEVER_ADDED


def test_an_unknown_item_without_a_supplier_has_the_nearest_known_ones(
    world: DeskKit,
) -> None:
    world.fake.calls.clear()
    (question,) = read_questions(world.desk, "Can Kaufhaus see 09521000010107:276?")
    (answer,) = answer_questions(world.desk, [question])

    assert question.item is None
    assert answer.reason.kind is K.UNKNOWN_ID
    assert world.fake.calls == []
    assert REMOVED.supplier_item_id in [row.id for row in answer.reason.near]
    assert "Did you mean " in reason_words(answer, when=clock)


@pytest.mark.parametrize(
    ("item", "recipient_id", "english", "german"),
    [
        (
            REMOVED,
            MARKT,
            (
                f"Marktplatz (4300000000021) cannot see {OATS} of Harbour Mill "
                f"(as of {AT}). {WITHDRAWN}"
            ),
            (
                f"Marktplatz (4300000000021) sieht {HAFER} von Harbour Mill nicht "
                f"(Stand {UM}). {ZURUECK}"
            ),
        ),
        (
            REMOVED,
            KAUFHAUS,
            (
                f"Kaufhaus (4300000000014) can see {OATS} of Harbour Mill "
                f"(as of {AT}). {CANNOT_SEE}"
            ),
            (
                f"Kaufhaus (4300000000014) sieht {HAFER} von Harbour Mill "
                f"(Stand {UM}). {NICHT_SEHEN}"
            ),
        ),
        (
            REMOVED,
            PANIER,
            "Le Panier can see the item 09521000010017:040, target market Austria.",
            "Le Panier sieht den Artikel 09521000010017:040, Zielmarkt Österreich.",
        ),
        (
            EMPTY,
            MARKT,
            "The supplier has not made it visible to Marktplatz.",
            "Der Lieferant hat den Artikel für Marktplatz nicht freigegeben.",
        ),
        (
            replace(REMOVED, supplier="4000003000003"),
            KAUFHAUS,
            "We do not know the number 09521000010017:276. Please check it.",
            "Die Nummer 09521000010017:276 kennen wir nicht. Bitte prüfen Sie sie.",
        ),
    ],
)
def test_the_text_for_the_customer_depends_on_the_answer(
    world: DeskKit, item: ItemKey, recipient_id: str, english: str, german: str
) -> None:
    answer = about(world, recipient_id, item)
    assert customer_words(answer, Language.ENGLISH).endswith(english)
    assert customer_words(answer, Language.GERMAN).endswith(german)


def test_a_removal_not_yet_seen_has_words_for_the_customer(tmp_path: Path) -> None:
    with open_kit(tmp_path, {ITEM: {"A"}}) as kit:
        begin(kit.records.history, "open", at=-0.1, item=ITEM, before="A", remove="A")
        answer = about(kit, "A")

        assert answer.kind is AnswerKind.REMOVED_HERE
        assert customer_words(answer, Language.ENGLISH) == (
            "The visibility of 04012345678901:276, target market Germany for A "
            "is being withdrawn (as of 21 November 2026, 14:00 UTC)."
        )


@pytest.mark.parametrize(
    ("recipient_id", "listed", "near"),
    [
        ("4300000000014", {"4300000000041", "04300000000014"}, ("04300000000014",)),
        ("KUNDE109", {f"KUNDE10{digit}" for digit in range(9)}, ()),
        ("12345", {"12344"}, ()),
    ],
)
def test_similar_ids_are_reported_only_if_they_are_few(
    tmp_path: Path, recipient_id: str, listed: set[str], near: tuple[str, ...]
) -> None:
    with open_kit(tmp_path, {ITEM: listed}) as kit:
        reason = about(kit, recipient_id).reason
        assert reason is not None
        rows = reason.near if reason.kind is K.NEAR_RECIPIENT else ()
        assert tuple(row.id for row in rows) == near


def test_only_a_removal_that_was_made_counts_as_everything_removed(
    tmp_path: Path,
) -> None:
    with open_kit(tmp_path, {ITEM: {"A"}}) as kit:
        put_names(kit.records.directory, items=[(ITEM, "", "")], recipients=[("C", "")])
        kit.fake.faults.append(Fault("removeVisibilities", refused()))
        request = a_request(ITEM, base="A", remove="A")
        kit.save(
            replace(request, operation=ChangeOperation.REMOVE_ALL, confirmed_count=1)
        )
        kit.fake.put(ITEM, ())

        assert about(kit, "C").reason.kind is K.NEVER_ADDED
