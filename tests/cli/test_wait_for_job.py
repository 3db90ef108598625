"""A job in the foreground: what is waited for, and what is printed meanwhile."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from item_visibility.cli.list_commands import wait_for_job, wait_for_preview
from item_visibility.errors import BulkError
from item_visibility.saving.job import Job, JobState
from tests.storage.jobs import a_job

JOB = a_job(state=JobState.READING, item_count=4)


def at(state: JobState, *, done: int = 0, message: str = "") -> Job:
    return replace(JOB, state=state, read_items=done, ended_items=done, message=message)


def course(*looks: Job, trouble: str = "") -> Mock:
    """Bulk jobs whose job looks different each time, and whose preview nobody reads."""
    bulk = Mock(**{"job.side_effect": [JOB, *looks], "engine.is_at_work.return_value": False})
    bulk.dispatcher.trouble = trouble
    return bulk


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        (
            [at(JobState.PREVIEWED, done=3, message="The service is away.")],
            "1 of 4 items could not be read. The",
        ),
        ([at(JobState.CANCELLED, done=1)], r"3 of 4 items could not be read\.$"),
        ([at(JobState.READING, done=1)] * 2, r"3 of 4 items could not be read\.$"),
    ],
)
def test_a_preview_that_stops_is_an_error(looks: list[Job], words: str) -> None:
    with pytest.raises(BulkError, match=words):
        wait_for_preview(course(*looks), JOB.key, sleep=Mock())


QUEUED, ENDED = at(JobState.QUEUED), at(JobState.ENDED, done=4)
DOWN, SLOW = at(JobState.WAITING, message="Down."), at(JobState.WAITING, message="Slow.")


@pytest.mark.parametrize(
    ("looks", "trouble", "printed"),
    [
        ([QUEUED, DOWN, DOWN, at(JobState.RUNNING), SLOW], "", "Down.\nSlow.\n"),
        ([QUEUED] * 40, "It cannot be done.", "It cannot be done.\n"),
    ],
)
def test_each_reason_for_a_wait_is_printed_once(
    capsys: pytest.CaptureFixture[str], looks: list[Job], trouble: str, printed: str
) -> None:
    assert wait_for_job(course(*looks, ENDED, trouble=trouble), JOB.key, sleep=Mock()) == ENDED
    assert capsys.readouterr() == ("", printed)
