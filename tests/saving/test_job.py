"""The plan of a save and of a job, in words and with its confirmation, and what a job says of itself."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.saving.in_words import by_whom, named, result_in_words
from item_visibility.saving.job import (
    FAILED,
    BulkItem,
    ItemPreview,
    Job,
    JobState,
)
from item_visibility.saving.large_changes import (
    LARGE_ADDITION,
    MAY_BE_LOST,
    is_confirmed,
    is_large_removal,
    question_for,
)
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import ChangeStep, Goal, is_met, plan_changes
from item_visibility.saving.request import ChangeKind, Operation
from tests.saving.saving import ITEM, Bench, ask, fail_read_backs
from tests.storage.entries import a_job
from tests.support.fake_visibilities import (
    FakeVisibilities,
    Fault,
    not_sent,
    refused,
    unexpected_answer,
    unknown_outcome,
)

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "needed"),
    [
        (BulkItem(item=ITEM, add=frozenset("AB"), remove=frozenset("CD")), ("B", "C", "AD")),
        (BulkItem(item=ITEM, exactly=frozenset("AB")), ("B", "C", "A")),
        (BulkItem(item=ITEM, exactly=frozenset()), ("", "AC", "")),
    ],
    ids=["single changes", "set", "withdraw"],
)
def test_a_preview_has_only_the_changes_that_are_needed(
    asked: BulkItem, needed: tuple[str, str, str]
) -> None:
    preview = ItemPreview.of(asked, frozenset("AC"), read_at=NOW)
    assert (preview.add, preview.remove, preview.in_place) == tuple(map(frozenset, needed))


def job(state: JobState = JobState.ENDED, **outcomes: int) -> Job:
    ended = {Outcome[name]: count for name, count in outcomes.items()}
    return a_job(state=state, item_count=1, outcomes=ended)


@pytest.mark.parametrize(
    ("one", "is_verified"),
    [
        (job(DONE=2, IN_PLACE=1), True),
        (job(), True),
        (job(JobState.RUNNING, DONE=2), False),
        *((job(DONE=2, **{failed.name: 1}), False) for failed in sorted(FAILED)),
    ],
)
def test_a_job_is_verified_when_every_row_ended_as_asked(one: Job, *, is_verified: bool) -> None:
    assert one.is_verified is is_verified


def test_the_rows_of_a_job_are_done_or_failed_or_skipped() -> None:
    one = replace(job(DONE=2, IN_PLACE=3, REFUSED=4, NOT_SENT=5), skipped=6)
    assert (one.as_asked, one.failed) == (5, 9)
    counts = "2 verified · 3 already in place · 4 refused · 5 not sent · 6 skipped"
    assert one.rows_in_words == f"20 rows: {counts}"
    assert job(DONE=2).rows_in_words == "2 verified"


@pytest.mark.parametrize(
    ("one", "is_undoable"),
    [
        (job(DONE=1), True),
        (job(JobState.CANCELLED, DONE=1), True),
        (job(JobState.PAUSED, DONE=1), False),
        (job(IN_PLACE=1, REFUSED=1), False),
    ],
)
def test_a_job_is_undoable_once_it_stopped_for_good_and_changed_something(
    one: Job, *, is_undoable: bool
) -> None:
    assert one.is_undoable is is_undoable


@pytest.mark.parametrize(
    ("one", "is_given_up"),
    [
        (job(JobState.CANCELLED), True),
        (job(JobState.PREVIEWED), False),
        (job(JobState.CANCELLED, REFUSED=1), False),
        (replace(job(JobState.CANCELLED), started_at=NOW), False),
    ],
)
def test_a_preview_is_given_up_when_it_was_cancelled_before_apply(one: Job, *, is_given_up: bool) -> None:
    assert one.is_given_up is is_given_up


ids = st.frozensets(st.text(max_size=3), max_size=6)


def test_changes_already_in_place_are_not_planned() -> None:
    plan = plan_changes(
        ITEM,
        current=frozenset({"A", "B", "C"}),
        add=frozenset({"B", "E", "D"}),
        remove=frozenset({"A", "X"}),
    )
    assert plan.steps == (
        ChangeStep("D", Goal.VISIBLE),
        ChangeStep("E", Goal.VISIBLE),
        ChangeStep("A", Goal.NOT_VISIBLE),
    )
    assert plan.in_place == (ChangeStep("B", Goal.VISIBLE), ChangeStep("X", Goal.NOT_VISIBLE))


@given(current=ids, add=ids, remove=ids)
def test_a_plan_leads_to_what_was_asked(
    current: frozenset[str], add: frozenset[str], remove: frozenset[str]
) -> None:
    plan = plan_changes(ITEM, current=current, add=add - remove, remove=remove)
    after = (current | plan.added) - plan.removed
    assert after == (current | add) - remove
    assert not any(is_met(step, current) for step in plan.steps)
    assert all(is_met(step, after) for step in plan.steps + plan.in_place)


NAMES = {"2": "Sonnenhof", "1": "Le Panier", "3": "migros", "N": "Nina"}
ADD, REMOVE, GET = "addVisibility", "removeVisibility", "getVisibilities"
NOT_SHOWN = "sent, but the service still shows the old list"
LONGER_THAN_READ_BACKS_S = 60.0


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("", ""),
        ("2", "Sonnenhof"),
        ("12", "Le Panier and Sonnenhof"),
        ("123", "Le Panier, migros and Sonnenhof"),
        ("1239", "Le Panier, migros and 2 more"),
        ("98", "8 and 9"),
        ("91", "Le Panier and 9"),
    ],
)
def test_some_names_are_listed_and_the_rest_is_counted(who: str, words: str) -> None:
    assert named(frozenset(who), NAMES) == words


@pytest.mark.parametrize(
    ("kind", "who"), [(ChangeKind.EDIT, "ann"), (ChangeKind.OBSERVED, "somebody elsewhere")]
)
def test_a_change_made_elsewhere_has_no_person(kind: ChangeKind, who: str) -> None:
    assert by_whom(kind, "ann") == who


@pytest.mark.parametrize(
    ("faults", "lag_s", "verdict", "words"),
    [
        ([], 0, Verdict.VERIFIED, "Added Nina, removed A"),
        ([], LONGER_THAN_READ_BACKS_S, Verdict.NOT_CONFIRMED, f"Not confirmed: {NOT_SHOWN}"),
        ([Fault(ADD, refused(ADD))], 0, Verdict.DIFFERS, "Removed A · 1 refused"),
        (
            [Fault(ADD, refused(ADD)), Fault(REMOVE, unexpected_answer(REMOVE), is_applied=True)],
            LONGER_THAN_READ_BACKS_S,
            Verdict.NOT_CONFIRMED,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        (
            [Fault(ADD, refused(ADD, 409)), Fault(REMOVE, refused(REMOVE, 403))],
            0,
            Verdict.DIFFERS,
            "Nothing was changed",
        ),
        ([Fault(GET, unknown_outcome(GET))], 0, Verdict.NOTHING_SENT, "Nothing was changed"),
        (
            [Fault(ADD, not_sent(ADD)) for _ in range(9)],
            0,
            Verdict.NOTHING_SENT,
            "Nothing was changed",
        ),
    ],
)
def test_a_result_says_only_known_facts(
    faults: list[Fault], lag_s: float, verdict: Verdict, words: str
) -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}, lag_s=lag_s))
    bench.fake.faults = list(faults)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert (result.verdict, result_in_words(result, NAMES)) == (verdict, words)


def test_an_accepted_change_that_was_not_read_is_not_called_added() -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    fail_read_backs(bench.fake)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert result_in_words(result, NAMES) == "Not confirmed: sent, but the list could not be read afterwards"


def test_unconfirmed_changes_are_listed_beside_the_others() -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(ITEM, "B") if call.operation == GET and len(bench.fake.writes) > 1 else None
    )
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert result_in_words(result, NAMES) == f"Not confirmed: {NOT_SHOWN} for Nina · Removed A"


def test_a_save_without_changes_says_so() -> None:
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(ask(base="AB", add="A"))
    said = (result.verdict, result_in_words(result, NAMES))
    assert said == (Verdict.VERIFIED, "Nothing to change: the list is already as requested")


def test_changes_already_in_place_are_counted_beside_the_others() -> None:
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(ask(base="AC", add="BN", remove="C"))
    assert result_in_words(result, NAMES) == "Added Nina · 2 already in place"


MANY = [f"r{number}" for number in range(LARGE_ADDITION + 1)]


@pytest.mark.parametrize(
    ("before", "removed", "added", "is_large"),
    [
        (10, 5, 0, False),
        (10, 6, 0, True),
        (1, 1, 0, True),
        (2, 1, 0, False),
        (1, 1, 1, True),
        (10, 10, 5, True),
        (0, 0, 0, False),
        (0, 0, 3, False),
        (3, 0, 0, False),
    ],
)
def test_a_large_removal_leaves_nobody_or_takes_more_than_half(
    before: int,
    removed: int,
    added: int,
    is_large: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    assert is_large_removal(before=before, removed=removed, added=added) is is_large


@pytest.mark.parametrize(
    ("count", "typed", "is_enough"),
    [(6, "6", True), (6, " 6 ", True), (6, "5", False), (6, "", False), (0, "", True), (None, "", True)],
)
def test_only_the_exact_count_confirms(
    count: int | None,
    typed: str,
    is_enough: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    assert is_confirmed(count, typed=typed) is is_enough


LIST = frozenset("ABCDE")


def asked(  # noqa: PLR0913  (each case names two or three)
    *,
    base: Iterable[str] = LIST,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    operation: Operation = Operation.EDIT,
    kind: ChangeKind = ChangeKind.EDIT,
    is_indirect: bool = False,
) -> tuple[str, str, int | None] | None:
    request = replace(ask(base=base, add=add, remove=remove), operation=operation, kind=kind)
    question = question_for(request, is_indirect=is_indirect)
    return question and (question.title, question.why, question.count_to_type)


@pytest.mark.parametrize("changes", [{}, {"add": "X"}, {"remove": "AB"}, {"base": "", "add": MANY[:-1]}])
def test_a_small_change_is_saved_at_once(changes: dict[str, Iterable[str]]) -> None:
    assert asked(**changes) is None


@pytest.mark.parametrize(
    ("question", "title", "why", "count"),
    [
        (asked(remove="ABC"), "Remove 3 of 5 recipients?", "That is more than half.", 3),
        (
            asked(remove="ABC", add="X"),
            "Remove 3 of 5 recipients and add 1 recipient?",
            "That is more than half.",
            3,
        ),
        (asked(base="A", remove="A"), "Remove 1 of 1 recipient?", "Nobody will see the item any more.", 1),
        (asked(add=MANY), "Add 101 recipients?", "That is more than 100 at once.", None),
        (asked(add="X", is_indirect=True), "Add 1 recipient?", "", None),
        (asked(remove="A", is_indirect=True), "Remove 1 of 5 recipients?", "", None),
        (asked(add="X", kind=ChangeKind.UNDO), "Undo this change?", "", None),
        (asked(remove="ABC", kind=ChangeKind.UNDO), "Undo this change?", "That is more than half.", 3),
        (
            asked(remove=LIST, operation=Operation.REMOVE_ALL),
            "Remove all 5 recipients?",
            f"Nobody will see the item any more. {MAY_BE_LOST}",
            5,
        ),
        (
            asked(add="X", remove="A", operation=Operation.SET),
            "Set exactly to 5 recipients?",
            MAY_BE_LOST,
            None,
        ),
        (
            asked(add="X", remove="ABC", operation=Operation.SET),
            "Set exactly to 3 recipients?",
            f"That is more than half. {MAY_BE_LOST}",
            3,
        ),
    ],
)
def test_a_large_or_indirect_change_needs_a_confirmation(
    question: tuple[str, str, int | None] | None, title: str, why: str, count: int | None
) -> None:
    assert question == (title, why, count)
