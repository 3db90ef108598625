"""Which jobs a process puts into the queue, and which it takes over, on a queue in memory."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pytest

from item_visibility.changes.job import JobState
from item_visibility.errors import RecordsError
from item_visibility.jobs import worker as module
from item_visibility.jobs.durable import ActiveJob
from item_visibility.jobs.runner import JobRunner, StoppedError, sleeper
from item_visibility.jobs.worker import JobWorker
from tests.jobs.running import JOB, JobBench, asks, service
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall

ME = "here:1:me"
DEAD = "elsewhere:1:dead"
BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


class FakePlace:
    """Nobody uses it."""

    def wait_until_idle(self, timeout_s: float) -> None:
        """It is idle."""
        assert timeout_s > 0


@dataclass(slots=True)
class FakeQueues:
    """A queue in memory that only keeps what it is told."""

    url: str = "sqlite:///queue"
    is_open: bool = True
    jobs: list[ActiveJob] = field(default_factory=list)
    put_jobs: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    closed: int = 0
    on_left: Callable[[], None] = print

    def add(self, _queue: str, _runner: JobRunner, *, on_left: Callable[[], None]) -> FakePlace:
        """Take it in."""
        self.on_left = on_left
        return FakePlace()

    def remove(self, _queue: str) -> None:
        """It was the last one."""
        self.closed += 1

    def active(self, _queue: str) -> tuple[ActiveJob, ...]:
        """What stands in it."""
        return tuple(self.jobs)

    def put(self, queue: str, job_key: str) -> None:
        """Keep it."""
        self.put_jobs.append(job_key)
        self.jobs.append(ActiveJob(f"{job_key}/1", queue, job_key, None))

    def take_over(self, jobs: Iterable[ActiveJob]) -> None:
        """Keep which."""
        self.taken_over += [job.job_key for job in jobs]


class MemoryPresence:
    """Who is alive, in memory; `errors` are raised one by one."""

    def __init__(self, *others: str) -> None:
        self.others = others
        self.shown: dict[str, int] = {}
        self.errors: list[Exception] = []

    def show(self, worker: str, *, beat: int) -> None:
        """Keep it."""
        if self.errors:
            raise self.errors.pop()
        queue = worker.partition(" ")[2]
        self.shown |= {f"{other} {queue}": 1 for other in self.others}
        self.others = ()
        self.shown[worker] = beat

    def beats(self) -> dict[str, int]:
        """All of them, and one of another environment."""
        return self.shown | {f"{DEAD} bulk-another": 1}

    def leave(self, worker: str) -> None:
        """Forget it."""
        if self.errors:
            raise self.errors.pop()
        del self.shown[worker]


@pytest.fixture
def queues(monkeypatch: pytest.MonkeyPatch) -> FakeQueues:
    """The queues of this process, open already."""
    fake = FakeQueues()
    process = module._Process()  # noqa: SLF001  (one a test)
    process.name, process.queues = ME, fake  # type: ignore[assignment]  (a fake)
    monkeypatch.setattr(module, "_PROCESS", process)
    return fake


@pytest.fixture
def bench() -> JobBench:
    """A job that is queued."""
    return JobBench(service("a"), asks(add={"x"}))


@pytest.fixture
def presence() -> MemoryPresence:
    """Who is alive."""
    return MemoryPresence()


@pytest.fixture
def worker(queues: FakeQueues, bench: JobBench, presence: MemoryPresence) -> Iterator[JobWorker]:
    """A worker that has not started."""
    one = worker_on(bench, presence, url=queues.url)
    yield one
    one.close()


def worker_on(
    bench: JobBench, presence: MemoryPresence, *, url: str, check: Callable[[], None] = lambda: None
) -> JobWorker:
    """A worker that looks often."""
    return JobWorker(
        "default",
        bench.runner,
        store=bench.store,
        presence=presence,
        url=url,
        check=check,
        look_every_s=0.01,
    )


def test_a_job_that_is_under_way_is_put_into_the_queue_once(worker: JobWorker, queues: FakeQueues) -> None:
    """As long as it stands there, it is left alone."""
    worker.start()
    wait_until(lambda: queues.put_jobs)
    worker.enqueue(JOB)
    worker.wake(JOB)
    queues.jobs.clear()
    wait_until(lambda: len(queues.put_jobs) > 1)
    worker.close()
    assert set(queues.put_jobs) == {JOB}
    assert len(queues.put_jobs) == 2


@pytest.mark.parametrize("state", [JobState.PREVIEWED, JobState.PAUSED, JobState.ENDED])
def test_a_job_that_is_not_under_way_is_not(
    worker: JobWorker, queues: FakeQueues, bench: JobBench, state: JobState
) -> None:
    """Nor is the queue even opened."""
    bench.store.move(JOB, state, expected=set(JobState), at=bench.fake.time.now())
    looks = count_looks(bench)
    worker.start()
    wait_until(lambda: len(looks) > 2)
    worker.close()
    assert (queues.put_jobs, queues.closed) == ([], 0)


def test_a_job_is_at_work_while_its_items_are(worker: JobWorker, bench: JobBench) -> None:
    """Also after it was cancelled, until what was begun has ended."""
    seen: list[bool] = []

    def before(_call: FakeCall) -> None:
        bench.store.move(JOB, JobState.CANCELLED, expected=set(JobState), at=bench.fake.time.now())
        seen.append(worker.is_at_work(JOB))

    bench.fake.before_call = before
    bench.run()
    assert set(seen) == {True}
    assert not worker.is_at_work(JOB)


def count_looks(bench: JobBench) -> list[None]:
    """One entry a look."""
    looks: list[None] = []
    in_state = bench.store.in_state

    def counted(states: Iterable[JobState]) -> object:
        looks.append(None)
        return in_state(frozenset(states))

    bench.store.in_state = counted  # type: ignore[method-assign,assignment]  (each look is counted)
    return looks


def test_what_a_dead_process_worked_on_is_taken_over(
    worker: JobWorker, queues: FakeQueues, presence: MemoryPresence
) -> None:
    """What a living one, and what nobody, works on is not."""
    presence.others = ("here:2:alive",)
    queues.jobs += [
        ActiveJob("a/1", "q", "job-of-the-dead", DEAD),
        ActiveJob("b/1", "q", "job-of-a-living-one", "here:2:alive"),
        ActiveJob("c/1", "q", JOB, None),
    ]
    worker.start()
    wait_until(lambda: queues.taken_over)
    worker.close()
    assert set(queues.taken_over) == {"job-of-the-dead"}
    assert queues.put_jobs == []


def test_one_living_process_takes_over_and_the_others_do_not(
    worker: JobWorker, queues: FakeQueues, presence: MemoryPresence, bench: JobBench
) -> None:
    """The first by name."""
    presence.others = ("first:1:alive",)
    queues.jobs += [ActiveJob("a/1", "q", JOB, DEAD)]
    looks = count_looks(bench)
    worker.start()
    wait_until(lambda: len(looks) > 3)
    worker.close()
    assert queues.taken_over == []


def test_what_keeps_jobs_waiting_is_known_until_it_is_gone(
    worker: JobWorker, queues: FakeQueues, presence: MemoryPresence
) -> None:
    """A job that nobody can work on must not seem to wait its turn."""
    presence.errors = [RuntimeError()]
    before = worker.trouble()
    worker.start()
    told = wait_until(worker.trouble)
    wait_until(lambda: queues.put_jobs)
    wait_until(lambda: not worker.trouble())
    assert (before, told) == ("", "Jobs cannot be worked on now: RuntimeError.")


def test_a_queue_that_cannot_be_used_is_told_by_the_worker(
    queues: FakeQueues, bench: JobBench, presence: MemoryPresence
) -> None:
    """To whoever is about to apply something."""

    def refuse() -> None:
        raise RecordsError("No right.", advice="Let it.")

    worker_on(bench, presence, url=queues.url).check()
    with pytest.raises(RecordsError, match="No right"):
        worker_on(bench, presence, url=queues.url, check=refuse).check()


def test_a_dead_process_is_forgotten(
    worker: JobWorker, presence: MemoryPresence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it has shown nothing for long enough."""
    presence.others = (DEAD,)
    monkeypatch.setattr(worker._living, "_dead_after_s", 0.0)  # noqa: SLF001  (at once)
    worker._living.among = lambda beats, *, me: frozenset(beats) & {me}  # type: ignore[method-assign]  # noqa: SLF001  (only this one lives)
    worker.start()
    wait_until(lambda: presence.shown and not [one for one in presence.shown if one.startswith(DEAD)])


def test_what_is_away_is_looked_for_again(
    worker: JobWorker, queues: FakeQueues, presence: MemoryPresence, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says what kind of thing it is, and no more."""
    presence.errors = [BROKEN, RuntimeError("never-shown")]
    worker.start()
    wait_until(lambda: queues.put_jobs)
    assert caplog.messages[:2] == [
        "Jobs cannot be worked on now: RuntimeError",
        "Jobs cannot be worked on now: RecordsError",
    ]


def test_the_jobs_of_another_database_wait(
    queues: FakeQueues, bench: JobBench, presence: MemoryPresence, caplog: pytest.LogCaptureFixture
) -> None:
    """A process works on the jobs of one at a time."""
    other = worker_on(bench, presence, url="sqlite:///another")
    other.start()
    wait_until(lambda: caplog.messages)
    other.close()
    assert queues.put_jobs == []
    assert queues.closed == 0


def test_a_worker_that_closes_leaves_everything_in_order(
    worker: JobWorker, queues: FakeQueues, presence: MemoryPresence
) -> None:
    """The last one closes the queue; closing again does nothing."""
    worker.start()
    wait_until(lambda: queues.put_jobs)
    worker.close()
    worker.close()
    assert (presence.shown, queues.closed) == ({}, 1)


def test_a_worker_that_cannot_leave_in_order_ends_all_the_same(
    worker: JobWorker, queues: FakeQueues, presence: MemoryPresence, caplog: pytest.LogCaptureFixture
) -> None:
    """The next start finds what is open."""
    worker.start()
    wait_until(lambda: queues.put_jobs)
    presence.errors = [BROKEN] * 99
    worker.close()
    assert "The queue of jobs was not left in order: RecordsError" in caplog.messages


def test_a_worker_that_was_never_started_closes(worker: JobWorker, queues: FakeQueues) -> None:
    """Who only looks starts none."""
    worker.close()
    assert queues.closed == 0


def test_a_workflow_that_ends_makes_the_worker_look(worker: JobWorker, queues: FakeQueues) -> None:
    """A job that was resumed meanwhile need not wait."""
    worker._look_every_s = 600  # noqa: SLF001  (it looks when it is told to)
    worker.start()
    wait_until(lambda: queues.put_jobs)
    queues.jobs.clear()
    queues.on_left()
    wait_until(lambda: len(queues.put_jobs) == 2)


def test_a_wait_is_cut_when_work_is_to_stop() -> None:
    """At once; before that it is a wait like any other."""
    stopping = threading.Event()
    sleep = sleeper(stopping)
    sleep(0)
    stopping.set()
    with pytest.raises(StoppedError):
        sleep(600)
