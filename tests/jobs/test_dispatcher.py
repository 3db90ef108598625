"""Jobs that a process puts into the work queue, and jobs that it takes over, on a queue in memory."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from unittest.mock import Mock

import pytest

from item_visibility.errors import RecordsError
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import StoppedError, interruptible_sleep
from item_visibility.jobs.work_queue import QueuedJob
from item_visibility.saving.job import JobState
from item_visibility.timeouts import JOB_DEAD_AFTER_S
from tests.jobs.running import JOB, JobBench, asks, service
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall
from tests.support.waiting import HandClock

BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


@dataclass(slots=True)
class FakeQueue:
    """A queue in memory that only keeps what it is told; `errors` are raised one by one."""

    queued: list[QueuedJob] = field(default_factory=list)
    put_jobs: list[str] = field(default_factory=list)
    beats: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    opened: int = 0
    closed: int = 0

    def open(self) -> "FakeQueue":
        self.opened += 1
        return self

    def jobs(self) -> tuple[QueuedJob, ...]:
        if self.errors:
            raise self.errors.pop()
        return tuple(self.queued)

    def put(self, job_key: str) -> None:
        self.put_jobs.append(job_key)
        self.queued.append(QueuedJob(f"{job_key}/1", job_key, None, is_here=False))

    def beat(self, job: QueuedJob) -> None:
        self.beats.append(job.job_key)

    def take_over(self, job: QueuedJob) -> None:
        self.taken_over.append(job.job_key)

    def close(self, *, within_s: float) -> None:
        assert within_s > 0
        if self.errors:
            raise self.errors.pop()
        self.closed += 1


@pytest.fixture
def queue() -> FakeQueue:
    return FakeQueue()


@pytest.fixture
def bench() -> JobBench:
    return JobBench(service("a"), asks(add={"x"}))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def dispatcher(queue: FakeQueue, bench: JobBench, clock: HandClock) -> Iterator[JobDispatcher]:
    """A dispatcher that has not started, and that looks again only when it is told to."""
    one = JobDispatcher(bench.runner, open_queue=queue.open, check=Mock(), clock=clock, look_every_s=600)
    yield one
    one.close()


def test_a_job_that_is_under_way_is_put_into_the_queue_once(
    dispatcher: JobDispatcher, queue: FakeQueue
) -> None:
    dispatcher.look()
    dispatcher.look()
    put_first = list(queue.put_jobs)
    queue.queued.clear()
    dispatcher.look()
    assert (put_first, queue.put_jobs) == ([JOB], [JOB, JOB])
    assert (queue.opened, queue.taken_over) == (1, [])


@pytest.mark.parametrize("state", [JobState.PREVIEWED, JobState.PAUSED, JobState.ENDED])
def test_a_job_that_is_not_under_way_is_not(
    dispatcher: JobDispatcher, queue: FakeQueue, bench: JobBench, state: JobState
) -> None:
    bench.move(state)
    dispatcher.look()
    assert (queue.put_jobs, queue.opened) == ([], 0)


def test_a_job_that_changed_is_looked_at_at_once(dispatcher: JobDispatcher, queue: FakeQueue) -> None:
    dispatcher.start()
    wait_until(lambda: queue.put_jobs)
    queue.queued.clear()
    dispatcher.notify(JOB)
    wait_until(lambda: len(queue.put_jobs) == 2)
    dispatcher.close()
    dispatcher.close()
    assert queue.closed == 1


def test_what_a_dead_process_worked_on_is_taken_over(
    dispatcher: JobDispatcher, queue: FakeQueue, clock: HandClock
) -> None:
    queue.queued += [
        QueuedJob("a/1", "job-of-the-dead", 7, is_here=False),
        QueuedJob("c/1", JOB, None, is_here=False),
    ]
    dispatcher.look()
    clock.move(JOB_DEAD_AFTER_S - 1)
    dispatcher.look()
    taken_over_before = list(queue.taken_over)
    clock.move(1)
    dispatcher.look()
    assert (taken_over_before, queue.taken_over) == ([], ["job-of-the-dead"])
    assert queue.put_jobs == []


def test_a_job_beats_while_it_is_worked_on_here(
    dispatcher: JobDispatcher, queue: FakeQueue, bench: JobBench, clock: HandClock
) -> None:
    def before(_call: FakeCall) -> None:
        dispatcher.look()
        clock.move(JOB_DEAD_AFTER_S)

    queue.queued.append(QueuedJob("a/1", JOB, 7, is_here=True))
    bench.fake.before_call = before
    bench.run()
    assert set(queue.beats) == {JOB}
    assert queue.taken_over == []


def test_a_job_that_was_given_to_this_process_and_got_lost_is_taken_over_too(
    dispatcher: JobDispatcher, queue: FakeQueue, clock: HandClock
) -> None:
    queue.queued.append(QueuedJob("a/1", JOB, 7, is_here=True))
    dispatcher.look()
    clock.move(JOB_DEAD_AFTER_S)
    dispatcher.look()
    assert (queue.beats, queue.taken_over) == ([], [JOB])


def test_what_keeps_jobs_waiting_is_known_until_it_is_gone(
    dispatcher: JobDispatcher, queue: FakeQueue, caplog: pytest.LogCaptureFixture
) -> None:
    queue.errors = [BROKEN, RuntimeError("never-shown")]
    troubles = [(dispatcher.look(), dispatcher.trouble)[1] for _ in range(3)]
    assert troubles == [
        "Jobs cannot be worked on now: RuntimeError.",
        "Jobs cannot be worked on now: RecordsError.",
        "",
    ]
    assert caplog.messages == [trouble.rstrip(".") for trouble in troubles if trouble]
    assert queue.put_jobs == [JOB]


def test_a_queue_that_cannot_be_closed_keeps_nobody_waiting(
    dispatcher: JobDispatcher, queue: FakeQueue, caplog: pytest.LogCaptureFixture
) -> None:
    dispatcher.start()
    wait_until(lambda: queue.put_jobs)
    queue.errors = [BROKEN] * 99
    dispatcher.close()
    assert "The queue of jobs was not left in order: RecordsError" in caplog.messages


def test_a_wait_is_cut_when_work_is_to_stop() -> None:
    stopping = threading.Event()
    sleep = interruptible_sleep(stopping)
    sleep(0)
    stopping.set()
    with pytest.raises(StoppedError):
        sleep(600)
