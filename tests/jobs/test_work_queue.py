"""The work queue and its dispatcher: one job at a time, whatever process ends.

It also shows what DBOS does, and what it does not do: docs/decisions/dbos.md.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from item_visibility.errors import RecordsError
from item_visibility.jobs import work_queue
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import StoppedError, interruptible_sleep
from item_visibility.jobs.work_queue import DBOS, QueuedJob, WorkQueue, work_on_chunk
from item_visibility.model.job import JobState
from item_visibility.model.outcome import Outcome
from item_visibility.storage.database import queue_url
from item_visibility.timeouts import JOB_DEAD_AFTER_S, QUEUE_CLOSING_POLL_S
from tests.jobs.running import JOB, JobBench, asks, service
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall
from tests.support.quick_queue import quick_queue
from tests.support.waiting import HandClock

__all__ = ["quick_queue"]


def job_of(items: int) -> JobBench:
    return JobBench(
        service(items=items), *(asks(number, add={"r"}) for number in range(items))
    )


def dispatch(
    bench: JobBench, records_url: str, *, environment: str = "default"
) -> JobDispatcher:
    runner = bench.runner
    dispatcher = JobDispatcher(
        runner,
        open_queue=lambda: WorkQueue(environment, runner, url=queue_url(records_url)),
        check=Mock(),
        look_every_s=0.05,
        dead_after_s=0.3,
    )
    dispatcher.start()
    return dispatcher


def wait_for_end(bench: JobBench) -> None:
    wait_until(lambda: bench.job.state is JobState.ENDED)


def test_a_job_continues_at_the_next_start(records_url: str) -> None:
    bench = job_of(5)
    is_called = threading.Event()

    def stop(_call: FakeCall) -> None:
        is_called.set()
        bench.runner.engine.stop_all()  # as Ctrl-C in the middle of a call

    bench.fake.before_call = stop
    first = dispatch(bench, records_url)
    assert is_called.wait(60)
    first.close()
    assert bench.job.state is JobState.RUNNING
    bench.fake.before_call = lambda _call: None
    bench.runner = bench.new_runner()
    second = dispatch(bench, records_url)
    wait_for_end(bench)
    second.close()
    assert [result.outcome for _, result in bench.rows] == [Outcome.DONE] * 5


def test_two_environments_share_a_process(records_url: str) -> None:
    job = job_of(1)
    other = job_of(1)
    first = dispatch(job, records_url)
    wait_for_end(job)
    second = dispatch(other, records_url, environment="test")
    wait_for_end(other)
    first.close()
    other.move(JobState.QUEUED)
    second.notify("job-1")
    wait_for_end(other)
    second.close()


@pytest.fixture
def queue_address(sqlite_url: str) -> str:
    return queue_url(sqlite_url)


def test_jobs_wait_for_one_another(queue_address: str) -> None:
    running: list[str] = []
    seen: list[int] = []

    def run(key: str) -> bool:
        running.append(key)
        seen.append(len(running))
        time.sleep(0.05)
        running.remove(key)
        return False

    queue = WorkQueue("bulk", Mock(run_chunk=run), url=queue_address)
    for number in range(3):
        queue.put(f"job-{number}")
    wait_until(lambda: not queue.jobs())
    queue.close(within_s=0)
    assert seen == [1, 1, 1]


def test_a_job_is_left_for_now_while_our_own_records_are_away(
    queue_address: str, caplog: pytest.LogCaptureFixture
) -> None:
    broken = RecordsError("The database is away.", advice="Ask.")
    queue = WorkQueue(
        "bulk", Mock(run_chunk=Mock(side_effect=broken)), url=queue_address
    )
    is_more = [work_on_chunk(name, "job-1") for name in ("bulk", "bulk of others")]
    queue.close(within_s=0)
    assert is_more == [False, False]
    assert "Work on a job stops for now: The database is away." in caplog.messages


def test_a_queue_that_cannot_be_opened_does_not_block_others(
    queue_address: str,
) -> None:
    with pytest.raises(Exception, match="unable to open database file"):
        WorkQueue("broken", Mock(), url="sqlite:////dev/null/queue.sqlite")
    WorkQueue("bulk", Mock(), url=queue_address).close(within_s=0)


class HeldRunner:
    """A runner of a job with two chunks.

    It records them, and holds the first chunk of each process.
    """

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.may_end = [threading.Event(), threading.Event()]
        self._processes: set[int] = set()

    def run_chunk(self, _key: str) -> bool:
        """Hold the first chunk of a process, which is a thread here."""
        if threading.get_ident() in self._processes:
            self.begun.append(2)
            return False
        self._processes.add(threading.get_ident())
        self.begun.append(1)
        return self.may_end[len(self.begun) - 1].wait(60)


def identity(address: str) -> str:
    """Open and close a queue, and return the name by which this process takes jobs."""
    queue = WorkQueue("bulk", Mock(), url=address)
    name = DBOS.executor_id
    queue.close(within_s=0.0)
    return name


def test_processes_with_the_same_host_name_and_id_are_told_apart(
    queue_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 1)
    monkeypatch.setattr(socket, "gethostname", lambda: "pod")
    monkeypatch.setenv("DBOS__VMID", "pod")
    assert len({identity(queue_address), identity(queue_address), "pod"}) == 3


@pytest.fixture
def held(queue_address: str) -> Iterator[tuple[WorkQueue, HeldRunner]]:
    runner = HeldRunner()
    queue = WorkQueue("bulk held", runner, url=queue_address)  # type: ignore[arg-type]  (a stand-in)
    queue.put("job-1")
    wait_until(lambda: runner.begun)
    yield queue, runner
    for may_end in runner.may_end:
        may_end.set()


def test_closing_waits_for_the_chunk_under_way(
    held: tuple[WorkQueue, HeldRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, runner = held
    waits: list[float] = []

    def wait(delay_s: float) -> None:
        waits.append(delay_s)
        runner.may_end[0].set()
        threading.Event().wait(delay_s)

    monkeypatch.setattr(
        work_queue, "time", SimpleNamespace(monotonic=time.monotonic, sleep=wait)
    )
    queue.close(within_s=60)
    assert set(waits) == {QUEUE_CLOSING_POLL_S}
    assert runner.begun == [1, 2]


def test_dbos_itself_does_not_continue_jobs_of_a_dead_process(
    held: tuple[WorkQueue, HeldRunner], queue_address: str
) -> None:
    queue, runner = held
    queue.close(within_s=0)
    again = WorkQueue("bulk held", runner, url=queue_address)  # type: ignore[arg-type]  (as above)
    (left,) = again.jobs()
    again.take_over(left)
    wait_until(lambda: len(runner.begun) == 2)
    (taken,) = again.jobs()
    again.close(within_s=0)
    assert left.beat is not None
    assert not left.is_here
    assert taken.is_here


def test_dbos_stops_a_slow_process_whose_job_was_taken_over(
    held: tuple[WorkQueue, HeldRunner],
) -> None:
    queue, runner = held
    queue.take_over(*queue.jobs())
    wait_until(lambda: len(runner.begun) == 2)
    runner.may_end[0].set()
    runner.may_end[1].set()
    wait_until(lambda: not queue.jobs())
    queue.close(within_s=0)
    assert runner.begun == [1, 1, 2]


def test_a_heartbeat_is_recorded(held: tuple[WorkQueue, HeldRunner]) -> None:
    queue, _ = held
    (before,) = queue.jobs()
    wait_until(lambda: queue.beat(before) or queue.jobs()[0].beat != before.beat)
    (after,) = queue.jobs()
    queue.close(within_s=0)
    assert after.beat != before.beat
    assert after.workflow_id == before.workflow_id
    assert after.job_key == "job-1"
    assert after.is_here


BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


@dataclass(slots=True)
class FakeQueue:
    """A queue in memory that records calls. Each of the `errors` is raised once."""

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
def dispatcher(
    queue: FakeQueue, bench: JobBench, clock: HandClock
) -> Iterator[JobDispatcher]:
    """A dispatcher that looks for jobs only when a test calls `look`."""
    dispatcher = JobDispatcher(
        bench.runner, open_queue=queue.open, check=Mock(), clock=clock, look_every_s=600
    )
    yield dispatcher
    dispatcher.close()


def test_a_running_job_is_queued_once(
    dispatcher: JobDispatcher, queue: FakeQueue
) -> None:
    dispatcher.look()
    dispatcher.look()
    put_first = list(queue.put_jobs)
    queue.queued.clear()
    dispatcher.look()
    assert put_first == [JOB]
    assert queue.put_jobs == [JOB, JOB]
    assert queue.opened == 1
    assert queue.taken_over == []


@pytest.mark.parametrize("state", [JobState.PREVIEWED, JobState.PAUSED, JobState.ENDED])
def test_jobs_in_other_states_are_not_queued(
    dispatcher: JobDispatcher, queue: FakeQueue, bench: JobBench, state: JobState
) -> None:
    bench.move(state)
    dispatcher.look()
    assert queue.put_jobs == []
    assert queue.opened == 0


def test_a_changed_job_is_noticed_at_once(
    dispatcher: JobDispatcher, queue: FakeQueue
) -> None:
    dispatcher.start()
    wait_until(lambda: queue.put_jobs)
    queue.queued.clear()
    dispatcher.notify(JOB)
    wait_until(lambda: len(queue.put_jobs) == 2)
    dispatcher.close()
    dispatcher.close()
    assert queue.closed == 1


def test_jobs_of_a_dead_process_are_taken_over(
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
    assert taken_over_before == []
    assert queue.taken_over == ["job-of-the-dead"]
    assert queue.put_jobs == []


def test_heartbeats_are_sent_for_jobs_of_this_process(
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


def test_a_job_that_this_process_lost_is_taken_over(
    dispatcher: JobDispatcher, queue: FakeQueue, clock: HandClock
) -> None:
    queue.queued.append(QueuedJob("a/1", JOB, 7, is_here=True))
    dispatcher.look()
    clock.move(JOB_DEAD_AFTER_S)
    dispatcher.look()
    assert queue.beats == []
    assert queue.taken_over == [JOB]


def test_trouble_of_the_queue_is_reported_until_it_is_over(
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


def test_a_queue_that_cannot_be_closed_does_not_block_the_exit(
    dispatcher: JobDispatcher, queue: FakeQueue, caplog: pytest.LogCaptureFixture
) -> None:
    dispatcher.start()
    wait_until(lambda: queue.put_jobs)
    queue.errors = [BROKEN] * 99
    dispatcher.close()
    assert "The queue of jobs could not be closed: RecordsError" in caplog.messages


def test_stopping_ends_a_wait() -> None:
    stopping = threading.Event()
    sleep = interruptible_sleep(stopping)
    sleep(0)
    stopping.set()
    with pytest.raises(StoppedError):
        sleep(600)
