"""The plan of a save and of a job, and what a job says of itself."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.saving.job import (
    FAILED,
    BulkItem,
    ItemPreview,
    Job,
    JobState,
)
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import ChangeStep, Goal, is_met, plan_changes
from tests.saving.saving import ITEM
from tests.storage.jobs import a_job

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


def test_the_rows_of_a_job_are_as_asked_or_failed_or_skipped() -> None:
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


def test_what_is_in_place_is_not_planned() -> None:
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
