"""A job in the foreground: what is waited for, and what is drawn meanwhile."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from item_visibility.cli.list_commands import wait_for_job, wait_for_preview
from item_visibility.errors import BulkError
from item_visibility.saving.job import Job, JobState
from tests.support.fake_visibilities import START
from tests.support.waiting import HandClock

KEY = "job-1"
JOB = Job(key=KEY, title="", person="", reason="", state=JobState.READING, created_at=START, item_count=4)


class Course:
    """A job that looks differently at every look."""

    def __init__(self, states: Iterable[Job], *, is_read: bool = True, trouble: str = "") -> None:
        self.dispatcher = self.engine = self
        self.trouble = trouble
        self._states = list(states)
        self._is_read = is_read

    def job(self, key: str) -> Job:
        assert key == KEY
        return self._states.pop(0)

    def is_at_work(self, key: str) -> bool:
        """True while somebody reads its preview."""
        assert key == KEY
        return self._is_read


def at(state: JobState, *, done: int = 0, message: str = "") -> Job:
    return replace(JOB, state=state, read_items=done, ended_items=done, message=message)


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
        wait_for_preview(Course((JOB, *looks), is_read=False), KEY, sleep=HandClock().sleep)


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
    course = Course((JOB, *looks, ENDED), trouble=trouble)
    assert wait_for_job(course, KEY, sleep=HandClock().sleep) == ENDED
    assert capsys.readouterr() == ("", printed)
