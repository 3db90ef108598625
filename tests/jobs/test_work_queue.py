"""The work queue: jobs go on, one at a time, whatever becomes of those who work on them.

It also shows what DBOS does and what it leaves to us: docs/decisions/dbos.md.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from item_visibility.access.access import Role
from item_visibility.errors import RecordsError
from item_visibility.jobs import work_queue
from item_visibility.jobs.dispatcher import JobDispatcher, JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.item_saver import Tools
from item_visibility.jobs.throttle import Throttle
from item_visibility.jobs.work_queue import DBOS, WorkQueue, work_on_chunk
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, Job, JobState
from item_visibility.saving.locks import ItemLocks
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.save import Saver
from item_visibility.storage.database import Database, queue_url
from item_visibility.storage.history.saves import History
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.timeouts import QUEUE_CLOSING_POLL_S
from tests.jobs.running import asks
from tests.support.databases import (
    postgres_records_url,
    postgres_server,
    records,
    records_url,
    sqlite_records_url,
    sqlite_url,
)
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall, FakeVisibilities
from tests.support.quick_queue import quick_queue

__all__ = [
    "postgres_records_url",
    "postgres_server",
    "quick_queue",
    "records",
    "records_url",
    "sqlite_records_url",
    "sqlite_url",
]


@dataclass(slots=True)
class Bench:
    """A dispatcher of one environment, and what it works with."""

    fake: FakeVisibilities
    store: Jobs
    dispatcher: JobDispatcher

    def queue(self, key: str, *intents: BulkItem) -> None:
        """Have a job that was previewed worked on."""
        queue_up(self.store, self.fake, key, *intents)
        self.dispatcher.notify(key)

    def state(self, key: str) -> JobState | None:
        """The state of the job."""
        job = self.store.job(key)
        return job.state if job else None

    def wait_for(self, key: str, state: JobState) -> None:
        """Return when the job is so far."""
        wait_until(lambda: self.state(key) is state)


def queue_up(store: Jobs, fake: FakeVisibilities, key: str, *intents: BulkItem) -> None:
    """A job that was previewed and queued."""
    now = fake.time.now()
    store.create(
        Job(
            key=key,
            title="list.xlsx",
            person="ann",
            reason="",
            state=JobState.READING,
            created_at=now,
            item_count=len(intents),
        ),
        intents,
    )
    previews = {
        at: ItemPreview(current=None, read_at=now, add=intent.add) for at, intent in enumerate(intents)
    }
    store.put_previews(key, previews, at=now)
    store.move(key, JobState.QUEUED, expected={JobState.READING}, at=now, applied_role=Role.EDITOR)


def bench(
    records: Database,
    records_url: str,
    *,
    environment: str = "default",
    fake: FakeVisibilities | None = None,
) -> Bench:
    """A dispatcher that looks often."""
    fake = fake or FakeVisibilities()
    store = Jobs(records, service=environment, environment="default")
    history = History(records, service=environment)
    saver = Saver(fake, history, clock=fake.time.now, sleep=fake.time.sleep)
    tools = Tools(store=store, service=fake, saver=saver, history=history, locks=ItemLocks())
    engine = Engine(fake, Throttle(2), clock=fake.time.now)
    runner = JobRunner(engine, tools, clock=fake.time.now, stopping=threading.Event())
    dispatcher = JobDispatcher(
        runner,
        store=store,
        open_queue=lambda: WorkQueue(environment, runner, url=queue_url(records_url)),
        check=records.check_queue,
        look_every_s=0.05,
        dead_after_s=0.3,
    )
    return Bench(fake, store, dispatcher)


@pytest.fixture
def working(records: Database, records_url: str) -> Iterator[Bench]:
    """A dispatcher that has started."""
    one = bench(records, records_url)
    one.dispatcher.start()
    yield one
    one.dispatcher.close()


def test_a_queued_job_is_worked_on_until_it_ends(working: Bench) -> None:
    """Its rows hold the outcomes."""
    working.queue("job-1", *(asks(number, add={"r"}) for number in range(3)))
    working.wait_for("job-1", JobState.ENDED)
    assert [row.outcome for row in working.store.rows("job-1")] == [Outcome.DONE] * 3


def test_jobs_wait_for_one_another(working: Bench) -> None:
    """Two jobs of one environment never run at the same time."""
    running: list[int] = []

    def before(_call: FakeCall) -> None:
        running.append(len(working.store.in_state({JobState.RUNNING})))

    working.fake.before_call = before
    queue_up(working.store, working.fake, "job-1", asks(0, add={"r"}))
    working.queue("job-2", asks(1, add={"r"}))
    working.wait_for("job-2", JobState.ENDED)
    working.wait_for("job-1", JobState.ENDED)
    assert set(running) == {1}


def test_a_job_goes_on_at_the_next_start(records: Database, records_url: str) -> None:
    """Closing lets nothing hang, and loses nothing."""
    first = bench(records, records_url)
    is_called = threading.Event()

    def before(_call: FakeCall) -> None:
        is_called.set()
        first.dispatcher._runner.stop()  # noqa: SLF001  (the very moment in which somebody presses Ctrl-C)

    first.fake.before_call = before
    first.dispatcher.start()
    first.queue("job-1", *(asks(number, add={"r"}) for number in range(5)))
    assert is_called.wait(60)
    first.dispatcher.close()
    assert first.state("job-1") is JobState.RUNNING
    first.fake.before_call = lambda _call: None
    second = bench(records, records_url, fake=first.fake)
    second.dispatcher.start()
    second.wait_for("job-1", JobState.ENDED)
    second.dispatcher.close()
    assert [row.outcome for row in second.store.rows("job-1")] == [Outcome.DONE] * 5


def test_two_environments_share_a_process(records: Database, records_url: str) -> None:
    """The second one is opened later; the first one that closes leaves the other alone."""
    one = bench(records, records_url)
    other = bench(records, records_url, environment="test")
    one.dispatcher.start()
    one.queue("job-1", asks(0, add={"r"}))
    one.wait_for("job-1", JobState.ENDED)
    other.dispatcher.start()
    other.queue("job-2", asks(0, add={"r"}))
    other.wait_for("job-2", JobState.ENDED)
    one.dispatcher.close()
    other.queue("job-3", asks(1, add={"r"}))
    other.wait_for("job-3", JobState.ENDED)
    other.dispatcher.close()
    assert [one.state("job-1"), other.state("job-2"), other.state("job-3")] == [JobState.ENDED] * 3


def test_a_job_is_left_for_now_while_our_own_records_are_away(
    working: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes on as soon as they are back."""
    run_chunk = JobRunner.run_chunk
    errors = [RecordsError("The database is away.", advice="Ask.")]

    def run_or_not(runner: JobRunner, key: str) -> bool:
        if errors:
            raise errors.pop()
        return run_chunk(runner, key)

    monkeypatch.setattr(JobRunner, "run_chunk", run_or_not)
    working.queue("job-1", asks(0, add={"r"}))
    working.wait_for("job-1", JobState.ENDED)
    assert "A job is left for now: The database is away." in caplog.messages


def test_a_job_of_an_environment_that_is_not_open_here_is_left(working: Bench) -> None:
    """A process that has it open finds it under way."""
    working.queue("job-1", asks(0, add={"r"}))
    working.wait_for("job-1", JobState.ENDED)
    assert not work_on_chunk("bulk of others", "job-1")
    assert working.state("job-1") is JobState.ENDED


def test_a_queue_that_cannot_be_opened_keeps_nobody_else_from_theirs(
    records: Database, records_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried again and again; the job waits."""
    broken = bench(records, "sqlite:////dev/null/records.sqlite")
    broken.dispatcher.start()
    broken.queue("job-1", asks(0, add={"r"}))
    wait_until(lambda: [one for one in caplog.messages if one.startswith("Jobs cannot be worked on now")])
    broken.dispatcher.close()
    assert broken.state("job-1") is JobState.QUEUED
    whole = bench(records, records_url)
    whole.dispatcher.start()
    whole.wait_for("job-1", JobState.ENDED)
    whole.dispatcher.close()


def test_a_process_works_on_the_jobs_of_one_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of another one wait until it is closed."""
    open_queues = {"bulk other": SimpleNamespace(url="sqlite:///other")}
    monkeypatch.setattr(work_queue, "_OPEN", open_queues)
    with pytest.raises(RuntimeError, match="one database at a time"):
        WorkQueue("bulk", HeldRunner(), url="sqlite:///queue")  # type: ignore[arg-type]  (stands in for one)
    assert list(open_queues) == ["bulk other"]


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


@pytest.fixture
def queue_address(sqlite_url: str) -> str:
    """The address of the queue."""
    return queue_url(sqlite_url)


def identity(address: str) -> str:
    """As whom a process takes jobs, which begins and ends here."""
    queue = WorkQueue("bulk", HeldRunner(), url=address)  # type: ignore[arg-type]  (stands in for one)
    name = DBOS.executor_id
    queue.close(within_s=0.0)
    return name


def test_two_processes_with_one_host_name_and_one_number_are_two(
    queue_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In containers all of that is alike, and one would take the other's jobs for its own."""
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
    """It looks again and again; the job then has nothing left in the queue."""
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


@pytest.mark.skipif(os.name != "posix", reason="rights of this kind are POSIX's")
def test_the_file_of_the_queue_is_its_owners_alone(tmp_path: Path) -> None:
    """DBOS makes none that others can read: it is there before, and keeps its rights."""
    before = os.umask(0o022)
    url = f"sqlite:///{tmp_path / 'queue.sqlite'}"
    WorkQueue("bulk", HeldRunner(), url=url).close(within_s=0)  # type: ignore[arg-type]  (stands in for one)
    os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("queue.sqlite*")} == {0o600}


def test_dbos_takes_no_queue_after_its_start(held: tuple[WorkQueue, HeldRunner]) -> None:
    """So an environment that is opened later is added to its list by hand."""
    queue, _ = held
    with pytest.raises(Exception, match="after DBOS is launched"):
        DBOS.listen_queues(["another"])
    queue.close(within_s=0)


def test_dbos_leaves_what_a_dead_process_worked_on(
    held: tuple[WorkQueue, HeldRunner], queue_address: str
) -> None:
    """It takes over what is its own, by name; who is dead is known by the beats."""
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


def test_dbos_puts_a_job_into_the_queue_once(held: tuple[WorkQueue, HeldRunner]) -> None:
    """Many processes may find it under way."""
    queue, _ = held
    queue.put("job-1")
    queue.put("job-2")
    queue.put("job-2")
    keys = [job.job_key for job in queue.jobs()]
    queue.close(within_s=0)
    assert sorted(keys) == ["job-1", "job-2"]


def test_dbos_stops_a_slow_process_whose_job_was_taken_over(held: tuple[WorkQueue, HeldRunner]) -> None:
    """At the end of its chunk; the other one goes on."""
    queue, runner = held
    queue.take_over(*queue.jobs())
    wait_until(lambda: len(runner.begun) == 2)
    runner.may_end[0].set()
    runner.may_end[1].set()
    wait_until(lambda: not queue.jobs())
    queue.close(within_s=0)
    assert runner.begun == [1, 1, 2]


def test_a_beat_moves(held: tuple[WorkQueue, HeldRunner]) -> None:
    """DBOS keeps when a workflow was changed last, and that is the beat."""
    queue, _ = held
    (before,) = queue.jobs()
    wait_until(lambda: queue.beat(before) or queue.jobs()[0].beat != before.beat)
    (after,) = queue.jobs()
    queue.close(within_s=0)
    assert after.beat != before.beat
    assert (after.workflow_id, after.job_key, after.is_here) == (before.workflow_id, "job-1", True)
