"""A job in the foreground: what is waited for, and what is drawn meanwhile."""

import io
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest

from item_visibility.cli.output import progress
from item_visibility.cli.plan_and_apply import wait_for_job, wait_for_preview
from item_visibility.errors import BulkError
from item_visibility.saving.job import Job, JobState
from tests.support.fake_visibilities import START, FakeTime

KEY = "job-1"
JOB = Job(key=KEY, title="", person="", reason="", state=JobState.READING, created_at=START, item_count=4)


class Course:
    """A job that looks differently at every look."""

    def __init__(self, states: Iterable[Job | None], *, is_read: bool = True, trouble: str = "") -> None:
        self.store = self.dispatcher = self
        self.trouble = trouble
        self._states = list(states)
        self._is_read = is_read

    def job(self, key: str) -> Job | None:
        """The job as it is now."""
        assert key == KEY
        return self._states.pop(0)

    def is_being_read(self, key: str) -> bool:
        """True while somebody reads its preview."""
        assert key == KEY
        return self._is_read


class Terminal(io.StringIO):
    """A terminal that a person looks at."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def course(*looks: Job | None) -> Course:
    """The job, looked at once before."""
    return Course((JOB, *looks))


def at(state: JobState, *, done: int = 0, message: str = "") -> Job:
    """The job in this state."""
    return replace(JOB, state=state, read_items=done, ended_items=done, message=message)


def test_a_preview_is_waited_for() -> None:
    """As long as items are read."""
    time = FakeTime()
    wait_for_preview(
        course(at(JobState.READING, done=1), at(JobState.READING, done=2), at(JobState.PREVIEWED, done=4)),
        KEY,
        sleep=time.sleep,
    )
    assert len(time.sleeps) == 2


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (
            at(JobState.PREVIEWED, done=3, message="The service is away."),
            "1 of 4 items could not be read. The",
        ),
        (at(JobState.CANCELLED, done=1), r"3 of 4 items could not be read\.$"),
        (None, "does not exist any more"),
    ],
)
def test_a_preview_that_does_not_come_about_is_an_error(last: Job | None, words: str) -> None:
    """The error says how it ended."""
    with pytest.raises(BulkError, match=words):
        wait_for_preview(course(last), KEY, sleep=FakeTime().sleep)


def test_a_preview_that_broke_off_is_not_waited_for() -> None:
    """It stays as it is for ever, because nobody reads it any more."""
    looks = Course((JOB, at(JobState.READING, done=1), at(JobState.READING, done=1)), is_read=False)
    with pytest.raises(BulkError, match="3 of 4 items could not be read"):
        wait_for_preview(looks, KEY, sleep=FakeTime().sleep)


def test_why_a_job_waits_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Until it waits for another reason."""
    down, slow = at(JobState.WAITING, message="Down."), at(JobState.WAITING, message="Slow.")
    ended = at(JobState.ENDED, done=4)
    looks = course(at(JobState.QUEUED), down, down, at(JobState.RUNNING), slow, ended)
    assert wait_for_job(looks, KEY, sleep=FakeTime().sleep) == ended
    assert capsys.readouterr() == ("", "Down.\nSlow.\n")


def test_a_job_that_waits_for_others_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Once, when it has not begun for seconds."""
    ended = at(JobState.ENDED, done=4)
    queued = [at(JobState.QUEUED)] * 40
    wait_for_job(course(*queued, ended), KEY, sleep=FakeTime().sleep)
    assert capsys.readouterr().err == "The job waits for others that were applied before it.\n"


def test_a_job_that_nobody_can_work_on_does_not_wait_for_others(capsys: pytest.CaptureFixture[str]) -> None:
    """The trouble is told instead."""
    looks = Course(
        [JOB, *[at(JobState.QUEUED)] * 40, at(JobState.ENDED, done=4)], trouble="It cannot be done."
    )
    wait_for_job(looks, KEY, sleep=FakeTime().sleep)
    assert capsys.readouterr().err == "It cannot be done.\n"


def test_progress_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows how many are done."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress(4, "Reading") as advance:
        advance(1)
        advance(4)
    assert "Reading" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


def test_progress_is_not_drawn_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log holds what happened, and no bars."""
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with progress(4, "Reading") as advance:
        advance(4)
    assert file.getvalue() == ""
