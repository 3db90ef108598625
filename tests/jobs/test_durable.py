"""The durable queue: jobs go on, one at a time, whatever becomes of those who work on them."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import ItemPreview, Job, JobState, RowOutcome
from item_visibility.changes.locks import ItemLocks
from item_visibility.changes.save import Saver
from item_visibility.errors import RecordsError
from item_visibility.jobs import durable
from item_visibility.jobs.pace import Pace
from item_visibility.jobs.runner import JobRunner
from item_visibility.jobs.worker import JobWorker
from item_visibility.records import Records, open_records
from item_visibility.records.database import queue_url
from item_visibility.records.jobs import Jobs
from tests.jobs.running import asks
from tests.support.databases import (
    postgres_records_url,
    postgres_server,
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
    "records_url",
    "sqlite_records_url",
    "sqlite_url",
]


@pytest.fixture
def records(records_url: str) -> Iterator[Records]:
    """Open records."""
    opened = open_records(records_url)
    yield opened
    opened.close()


@dataclass(slots=True)
class Bench:
    """A worker of one environment, and what it works with."""

    fake: FakeVisibilities
    store: Jobs
    worker: JobWorker

    def queue(self, key: str, *intents: BulkItem) -> None:
        """Have a job that was previewed worked on."""
        queue_up(self.store, self.fake, key, *intents)
        self.worker.enqueue(key)

    def state(self, key: str) -> JobState | None:
        """How far the job is."""
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
    store.put_previews(key, previews)
    store.move(key, JobState.QUEUED, expected={JobState.READING}, at=now)


def bench(
    records: Records, records_url: str, *, environment: str = "default", fake: FakeVisibilities | None = None
) -> Bench:
    """A worker that looks often."""
    fake = fake or FakeVisibilities()
    store = records.jobs(service=environment, environment="default")
    journal = records.history(service=environment)
    runner = JobRunner(
        store,
        Saver(fake, journal, clock=fake.time.now, sleep=fake.time.sleep),
        journal,
        locks=ItemLocks(),
        pace=Pace(2),
        clock=fake.time.now,
        sleep=fake.time.sleep,
    )
    worker = JobWorker(
        environment,
        runner,
        store=store,
        presence=records.presence(),
        url=queue_url(records_url),
        look_every_s=0.05,
        dead_after_s=0.3,
    )
    return Bench(fake, store, worker)


@pytest.fixture
def working(records: Records, records_url: str) -> Iterator[Bench]:
    """A worker that has started."""
    one = bench(records, records_url)
    one.worker.start()
    yield one
    one.worker.close()


def test_a_queued_job_is_worked_on_until_it_ends(working: Bench, records: Records) -> None:
    """Its rows are what became of them; while it lasts, the process shows that it is alive."""
    working.queue("job-1", *(asks(number, add={"r"}) for number in range(3)))
    working.wait_for("job-1", JobState.ENDED)
    assert [row.outcome for row in working.store.rows("job-1", limit=9)] == [RowOutcome.VERIFIED] * 3
    assert len(records.presence().beats()) == 1
    working.worker.close()
    assert records.presence().beats() == {}


def test_nothing_is_opened_while_there_is_no_job(working: Bench, records: Records, tmp_path: Path) -> None:
    """No file, no sign of life."""
    working.worker.wake("job-1")
    working.worker.close()
    assert records.presence().beats() == {}
    assert list(tmp_path.glob("*-jobs.sqlite")) == []


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


def test_a_paused_job_goes_on_when_it_is_resumed(working: Bench) -> None:
    """It leaves the queue, and comes back to it."""

    def before(call: FakeCall) -> None:
        if call.recipient_id == "first":
            working.store.move("job-1", JobState.PAUSED, expected=set(JobState), at=working.fake.time.now())

    working.fake.before_call = before
    working.queue("job-1", asks(0, add={"first"}), *(asks(number, add={"r"}) for number in range(1, 9)))
    working.wait_for("job-1", JobState.PAUSED)
    working.fake.before_call = lambda _call: None
    working.store.move("job-1", JobState.QUEUED, expected={JobState.PAUSED}, at=working.fake.time.now())
    working.worker.enqueue("job-1")
    working.wait_for("job-1", JobState.ENDED)
    assert len(working.store.rows("job-1", limit=20)) == 9


def test_a_job_goes_on_at_the_next_start(records: Records, records_url: str) -> None:
    """Closing lets nothing hang, and loses nothing."""
    first = bench(records, records_url)
    is_called = threading.Event()

    def before(_call: FakeCall) -> None:
        is_called.set()
        first.worker._runner.stop()  # noqa: SLF001  (the very moment in which somebody presses Ctrl-C)

    first.fake.before_call = before
    first.worker.start()
    first.queue("job-1", *(asks(number, add={"r"}) for number in range(5)))
    assert is_called.wait(60)
    first.worker.close()
    assert first.state("job-1") is JobState.RUNNING
    first.fake.before_call = lambda _call: None
    second = bench(records, records_url, fake=first.fake)
    second.worker.start()
    second.wait_for("job-1", JobState.ENDED)
    second.worker.close()
    assert [row.outcome for row in second.store.rows("job-1", limit=9)] == [RowOutcome.VERIFIED] * 5


def test_two_environments_share_a_process(records: Records, records_url: str) -> None:
    """The second one is opened later; the first one that closes leaves the other alone."""
    one = bench(records, records_url)
    other = bench(records, records_url, environment="test")
    one.worker.start()
    one.queue("job-1", asks(0, add={"r"}))
    one.wait_for("job-1", JobState.ENDED)
    other.worker.start()
    other.queue("job-2", asks(0, add={"r"}))
    other.wait_for("job-2", JobState.ENDED)
    one.worker.close()
    other.queue("job-3", asks(1, add={"r"}))
    other.wait_for("job-3", JobState.ENDED)
    other.worker.close()
    assert records.presence().beats() == {}


def test_a_job_is_left_for_now_while_our_own_records_are_away(
    working: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes on as soon as they are back."""
    begin = JobRunner.begin
    errors = [RecordsError("The database is away.", advice="Ask.")]

    def begin_or_not(runner: JobRunner, key: str) -> Job | None:
        if errors:
            raise errors.pop()
        return begin(runner, key)

    monkeypatch.setattr(JobRunner, "begin", begin_or_not)
    working.queue("job-1", asks(0, add={"r"}))
    working.wait_for("job-1", JobState.ENDED)
    assert "A job is left for now: The database is away." in caplog.messages


def test_a_job_of_an_environment_that_is_not_open_here_is_left(working: Bench) -> None:
    """Whoever has it open finds it under way."""
    working.queue("job-1", asks(0, add={"r"}))
    working.wait_for("job-1", JobState.ENDED)
    assert durable.work_on_job("bulk-of-others", "job-1") == durable.LEFT
    assert not durable.finish("bulk-of-others", "job-1")


def test_a_queue_that_cannot_be_opened_keeps_nobody_else_from_theirs(
    records: Records, records_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried again and again; the job waits."""
    broken = bench(records, "sqlite:////dev/null/records.sqlite")
    broken.worker.start()
    broken.queue("job-1", asks(0, add={"r"}))
    wait_until(lambda: [one for one in caplog.messages if one.startswith("Jobs cannot be worked on now")])
    broken.worker.close()
    assert broken.state("job-1") is JobState.QUEUED
    whole = bench(records, records_url)
    whole.worker.start()
    whole.wait_for("job-1", JobState.ENDED)
    whole.worker.close()
