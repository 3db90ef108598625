"""The preview of a job's item, and the state of a job."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from item_visibility.model.job import FAILED, BulkItem, ItemPreview, Job, JobState
from item_visibility.model.outcome import Outcome
from tests.saving.saving import ITEM
from tests.storage.entries import a_job

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
    add, remove, in_place = needed
    assert preview.add == frozenset(add)
    assert preview.remove == frozenset(remove)
    assert preview.in_place == frozenset(in_place)


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
