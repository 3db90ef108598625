"""The work queue: jobs go on, one at a time, whatever becomes of those who work on them.

It also shows what DBOS does and what it leaves to us: docs/decisions/dbos.md.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from item_visibility.errors import RecordsError
from item_visibility.jobs import work_queue
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.work_queue import DBOS, WorkQueue, work_on_chunk
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.database import queue_url
from item_visibility.timeouts import QUEUE_CLOSING_POLL_S
from tests.jobs.running import JobBench, asks, service
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall
from tests.support.quick_queue import quick_queue

__all__ = ["quick_queue"]


def job_of(items: int) -> JobBench:
    """A job that is queued in the records, and lets "r" see some items."""
    return JobBench(service(items=items), *(asks(number, add={"r"}) for number in range(items)))


def dispatch(bench: JobBench, records_url: str, *, environment: str = "default") -> JobDispatcher:
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


def test_a_job_goes_on_at_the_next_start(records_url: str) -> None:
    bench = job_of(5)
    is_called = threading.Event()

    def stop(_call: FakeCall) -> None:
        is_called.set()
        bench.runner.engine.stop_all()  # the very moment in which somebody presses Ctrl-C

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
    assert [row.outcome for row in bench.rows] == [Outcome.DONE] * 5


def test_two_environments_share_a_process(records_url: str) -> None:
    one, other = job_of(1), job_of(1)
    first = dispatch(one, records_url)
    wait_for_end(one)
    second = dispatch(other, records_url, environment="test")
    wait_for_end(other)
    first.close()
    other.move(JobState.QUEUED)
    second.notify("job-1")
    wait_for_end(other)
    second.close()


def test_a_process_works_on_the_jobs_of_one_database(monkeypatch: pytest.MonkeyPatch) -> None:
    open_queues = {"bulk other": SimpleNamespace(url="sqlite:///other")}
    monkeypatch.setattr(work_queue, "_OPEN", open_queues)
    with pytest.raises(RuntimeError, match="one database at a time"):
        WorkQueue("bulk", Mock(), url="sqlite:///queue")
    assert list(open_queues) == ["bulk other"]


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
    queue = WorkQueue("bulk", Mock(run_chunk=Mock(side_effect=broken)), url=queue_address)
    is_more = [work_on_chunk(name, "job-1") for name in ("bulk", "bulk of others")]
    queue.close(within_s=0)
    assert is_more == [False, False]
    assert "A job is left for now: The database is away." in caplog.messages


def test_a_queue_that_cannot_be_opened_keeps_nobody_else_from_theirs(queue_address: str) -> None:
    with pytest.raises(Exception, match="unable to open database file"):
        WorkQueue("broken", Mock(), url="sqlite:////dev/null/queue.sqlite")
    WorkQueue("bulk", Mock(), url=queue_address).close(within_s=0)


class HeldRunner:
    """A runner of a job of two chunks. It keeps the chunks begun; the first one of a process stands still."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.may_end = [threading.Event(), threading.Event()]
        self._processes: set[int] = set()

    def run_chunk(self, _key: str) -> bool:
        """Stand still in the first chunk. A thread stands for a process."""
        if threading.get_ident() in self._processes:
            self.begun.append(2)
            return False
        self._processes.add(threading.get_ident())
        self.begun.append(1)
        return self.may_end[len(self.begun) - 1].wait(60)


def identity(address: str) -> str:
    """As whom a process takes jobs, which begins and ends here."""
    queue = WorkQueue("bulk", Mock(), url=address)
    name = DBOS.executor_id
    queue.close(within_s=0.0)
    return name


def test_two_processes_with_one_host_name_and_one_number_are_two(
    queue_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 1)
    monkeypatch.setattr(socket, "gethostname", lambda: "pod")
    monkeypatch.setenv("DBOS__VMID", "pod")
    assert len({identity(queue_address), identity(queue_address), "pod"}) == 3


@pytest.fixture
def held(queue_address: str) -> Iterator[tuple[WorkQueue, HeldRunner]]:
    """A queue with a job whose first chunk stands still."""
    runner = HeldRunner()
    queue = WorkQueue("bulk held", runner, url=queue_address)  # type: ignore[arg-type]  (stands in for one)
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

    monkeypatch.setattr(work_queue, "time", SimpleNamespace(monotonic=time.monotonic, sleep=wait))
    queue.close(within_s=60)
    assert set(waits) == {QUEUE_CLOSING_POLL_S}
    assert runner.begun == [1, 2]


def test_dbos_leaves_what_a_dead_process_worked_on(
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
    assert (left.is_here, taken.is_here) == (False, True)


def test_dbos_stops_a_slow_process_whose_job_was_taken_over(held: tuple[WorkQueue, HeldRunner]) -> None:
    queue, runner = held
    queue.take_over(*queue.jobs())
    wait_until(lambda: len(runner.begun) == 2)
    runner.may_end[0].set()
    runner.may_end[1].set()
    wait_until(lambda: not queue.jobs())
    queue.close(within_s=0)
    assert runner.begun == [1, 1, 2]


def test_a_beat_moves(held: tuple[WorkQueue, HeldRunner]) -> None:
    queue, _ = held
    (before,) = queue.jobs()
    wait_until(lambda: queue.beat(before) or queue.jobs()[0].beat != before.beat)
    (after,) = queue.jobs()
    queue.close(within_s=0)
    assert after.beat != before.beat
    assert (after.workflow_id, after.job_key, after.is_here) == (before.workflow_id, "job-1", True)
