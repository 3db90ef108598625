"""The plan of a save, a save's result in words, and the state of a job."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.model.change import (
    ChangeKind,
    ChangeStep,
    Goal,
    is_met,
    plan_changes,
)
from item_visibility.model.change_words import by_whom, named, result_in_words
from item_visibility.model.job import FAILED, BulkItem, ItemPreview, Job, JobState
from item_visibility.model.outcome import Outcome, Verdict
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
        (
            BulkItem(item=ITEM, add=frozenset("AB"), remove=frozenset("CD")),
            ("B", "C", "AD"),
        ),
        (BulkItem(item=ITEM, exactly=frozenset("AB")), ("B", "C", "A")),
        (BulkItem(item=ITEM, exactly=frozenset()), ("", "AC", "")),
    ],
    ids=["single changes", "set", "withdraw"],
)
def test_a_preview_has_only_the_changes_that_are_needed(
    asked: BulkItem, needed: tuple[str, str, str]
) -> None:
    preview = ItemPreview.of(asked, frozenset("AC"), read_at=NOW)
    assert (preview.add, preview.remove, preview.in_place) == tuple(
        map(frozenset, needed)
    )


def job(state: JobState = JobState.ENDED, **outcomes: int) -> Job:
    ended = {Outcome[name]: count for name, count in outcomes.items()}
    return a_job(state=state, item_count=1, outcomes=ended)


@pytest.mark.parametrize(
    ("bulk_job", "is_verified"),
    [
        (job(DONE=2, IN_PLACE=1), True),
        (job(), True),
        (job(JobState.RUNNING, DONE=2), False),
        *((job(DONE=2, **{failed.name: 1}), False) for failed in sorted(FAILED)),
    ],
)
def test_a_job_is_verified_when_every_row_ended_as_asked(
    bulk_job: Job, *, is_verified: bool
) -> None:
    assert bulk_job.is_verified is is_verified


def test_the_rows_of_a_job_are_done_or_failed_or_skipped() -> None:
    bulk_job = replace(job(DONE=2, IN_PLACE=3, REFUSED=4, NOT_SENT=5), skipped=6)
    assert bulk_job.failed == 9
    counts = "2 verified · 3 already in place · 4 refused · 5 not sent · 6 skipped"
    assert bulk_job.rows_in_words == f"20 rows: {counts}"
    assert job(DONE=2).rows_in_words == "2 verified"


@pytest.mark.parametrize(
    ("bulk_job", "is_undoable"),
    [
        (job(DONE=1), True),
        (job(JobState.CANCELLED, DONE=1), True),
        (job(JobState.PAUSED, DONE=1), False),
        (job(IN_PLACE=1, REFUSED=1), False),
    ],
)
def test_a_job_is_undoable_once_it_stopped_for_good_and_changed_something(
    bulk_job: Job, *, is_undoable: bool
) -> None:
    assert bulk_job.is_undoable is is_undoable


@pytest.mark.parametrize(
    ("bulk_job", "is_given_up"),
    [
        (job(JobState.CANCELLED), True),
        (job(JobState.PREVIEWED), False),
        (job(JobState.CANCELLED, REFUSED=1), False),
        (replace(job(JobState.CANCELLED), started_at=NOW), False),
    ],
)
def test_a_job_that_was_cancelled_before_apply_is_given_up(
    bulk_job: Job, *, is_given_up: bool
) -> None:
    assert bulk_job.is_given_up is is_given_up


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
    assert plan.in_place == (
        ChangeStep("B", Goal.VISIBLE),
        ChangeStep("X", Goal.NOT_VISIBLE),
    )


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
ADD = "addVisibility"
REMOVE = "removeVisibility"
GET = "getVisibilities"
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
    ("kind", "who"),
    [(ChangeKind.EDIT, "ann"), (ChangeKind.OBSERVED, "somebody elsewhere")],
)
def test_a_change_made_elsewhere_has_no_person(kind: ChangeKind, who: str) -> None:
    assert by_whom(kind, "ann") == who


@pytest.mark.parametrize(
    ("faults", "lag_s", "verdict", "words"),
    [
        ([], 0, Verdict.VERIFIED, "Added Nina, removed A"),
        (
            [],
            LONGER_THAN_READ_BACKS_S,
            Verdict.NOT_CONFIRMED,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        ([Fault(ADD, refused())], 0, Verdict.DIFFERS, "Removed A · 1 refused"),
        (
            [
                Fault(ADD, refused()),
                Fault(REMOVE, unexpected_answer(), is_applied=True),
            ],
            LONGER_THAN_READ_BACKS_S,
            Verdict.NOT_CONFIRMED,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        (
            [Fault(ADD, refused(409)), Fault(REMOVE, refused(403))],
            0,
            Verdict.DIFFERS,
            "Nothing was changed",
        ),
        (
            [Fault(GET, unknown_outcome())],
            0,
            Verdict.NOTHING_SENT,
            "Nothing was changed",
        ),
        (
            [Fault(ADD, not_sent()) for _ in range(9)],
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
    assert result.verdict == verdict
    assert result_in_words(result, NAMES) == words


def test_an_accepted_change_that_was_not_read_is_not_called_added() -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    fail_read_backs(bench.fake)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert (
        result_in_words(result, NAMES)
        == "Not confirmed: sent, but the list could not be read afterwards"
    )


def test_unconfirmed_changes_are_listed_beside_the_others() -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(ITEM, "B")
        if call.operation == GET and len(bench.fake.writes) > 1
        else None
    )
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert (
        result_in_words(result, NAMES)
        == f"Not confirmed: {NOT_SHOWN} for Nina · Removed A"
    )


def test_a_save_without_changes_says_so() -> None:
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(ask(base="AB", add="A"))
    said = (result.verdict, result_in_words(result, NAMES))
    assert said == (
        Verdict.VERIFIED,
        "Nothing to change: the list is already as requested",
    )


def test_changes_already_in_place_are_counted_beside_the_others() -> None:
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(
        ask(base="AC", add="BN", remove="C")
    )
    assert result_in_words(result, NAMES) == "Added Nina · 2 already in place"
