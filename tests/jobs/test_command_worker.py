"""The worker of a command: it works on the jobs that its command claimed.

Other processes see when that ends.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import Mock

import pytest

from item_visibility.errors import NotPossibleError, RecordsError
from item_visibility.jobs import apply, command_worker
from item_visibility.jobs.command_worker import CommandWorker
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.model.job import BEGUN, JobOrigin, JobState
from item_visibility.model.outcome import Outcome
from item_visibility.storage.database import Database
from item_visibility.storage.jobs import Jobs
from tests.jobs.running import JOB, JobBench, asks, records, service
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall

BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


@pytest.fixture
def bench() -> JobBench:
    return JobBench(
        service(items=5),
        *(asks(number, add={"r"}) for number in range(5)),
        origin=JobOrigin.COMMAND,
    )


@contextmanager
def opened(bench: JobBench) -> Iterator[CommandWorker]:
    """Open a worker, as a process of its own that shares the database."""
    worker = CommandWorker(bench.new_runner(), again_after_s=0.001)
    try:
        yield worker
    finally:
        worker.close()


@pytest.fixture
def worker(bench: JobBench) -> Iterator[CommandWorker]:
    with opened(bench) as worker:
        yield worker


def begin(worker: CommandWorker) -> None:
    worker.claim(JOB)
    worker.notify(JOB)


def wait_for_rest(worker: CommandWorker) -> None:
    wait_until(lambda: not worker.is_at_work(JOB))


def test_a_claimed_job_is_worked_on_until_it_ends(
    bench: JobBench, worker: CommandWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply, "CHUNK_ITEMS", 2)
    begin(worker)
    wait_for_rest(worker)
    assert bench.job.state is JobState.ENDED
    assert [result.outcome for _, result in bench.rows] == [Outcome.DONE] * 5
    assert not bench.store.is_claimed(JOB)


def test_a_job_that_was_not_claimed_is_left_alone(
    bench: JobBench, worker: CommandWorker
) -> None:
    worker.notify(JOB)
    assert not worker.is_at_work(JOB)
    assert not worker.runner.run_chunk(JOB)
    assert bench.job.state is JobState.QUEUED
    assert bench.fake.calls == []


def test_two_commands_never_work_on_the_same_job(
    bench: JobBench, worker: CommandWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_worker, "CLAIM_JOB_WITHIN_S", 0.01)
    worker.claim(JOB)
    with (
        opened(bench) as other,
        pytest.raises(NotPossibleError, match="Another command works on this job"),
    ):
        other.claim(JOB)
    worker.claim(JOB)
    assert bench.store.is_claimed(JOB)


def test_a_claim_waits_for_somebody_who_only_looks(
    bench: JobBench, worker: CommandWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([False, False])
    locks = records().job_locks
    take = locks._take  # noqa: SLF001  (a look holds the lock for a moment)
    monkeypatch.setattr(locks, "_take", lambda key: next(looks, True) and take(key))
    worker.claim(JOB)
    assert bench.store.is_claimed(JOB)


def test_a_job_that_is_paused_stops_and_frees_its_claim(
    bench: JobBench, worker: CommandWorker
) -> None:
    bench.fake.before_call = lambda _call: bench.move(JobState.PAUSED)
    begin(worker)
    wait_for_rest(worker)
    assert bench.job.state is JobState.PAUSED
    assert bench.job.ended_items == 1
    assert not bench.store.is_claimed(JOB)
    bench.fake.before_call = lambda _call: None
    bench.move(JobState.QUEUED)
    begin(worker)
    wait_for_rest(worker)
    assert bench.job.state is JobState.ENDED


def test_a_process_that_ends_leaves_the_job_as_it_is(bench: JobBench) -> None:
    is_called = threading.Event()
    may_end = threading.Event()

    def hold(_call: FakeCall) -> None:
        is_called.set()
        may_end.wait(60)

    bench.fake.before_call = hold
    with opened(bench) as worker:
        begin(worker)
        assert is_called.wait(60)
        claimed_meanwhile = bench.store.is_claimed(JOB)
        worker.runner.engine.stop_all()
        may_end.set()
    assert claimed_meanwhile
    assert bench.job.state in BEGUN
    assert not bench.store.is_claimed(JOB)


def test_a_claim_that_was_not_used_ends_with_the_process(bench: JobBench) -> None:
    with opened(bench) as worker:
        worker.claim(JOB)
    assert not bench.store.is_claimed(JOB)


def test_work_is_tried_again_while_our_own_records_are_away(
    bench: JobBench,
    worker: CommandWorker,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    troubles: list[str] = []
    errors = [BROKEN, RuntimeError("never shown")]
    move = bench.store.move

    def fail_first(*arguments: object, **named: object) -> bool:
        troubles.append(worker.trouble)
        if errors:
            raise errors.pop(0)
        return move(*arguments, **named)  # type: ignore[arg-type]  (as they came)

    monkeypatch.setattr(
        Jobs,
        "move",
        lambda _store, *arguments, **named: fail_first(*arguments, **named),
    )
    begin(worker)
    wait_for_rest(worker)
    assert bench.job.state is JobState.ENDED
    assert troubles[:3] == [
        "",
        f"The job cannot be worked on now: {BROKEN.message}",
        "The job cannot be worked on now: RuntimeError",
    ]
    assert worker.trouble == ""
    assert "never shown" not in caplog.text


class LosableClaims:
    """Claims that are lost when a test sets `is_held`.

    With PostgreSQL, claims are lost with the connection. With `is_taken`, another
    command has the claim afterwards.
    """

    def __init__(self, *, is_taken: bool) -> None:
        self.is_held = False
        self.claimed = 0
        self._is_taken = is_taken

    @contextmanager
    def claim(
        self, _key: str, *, sleep: Callable[[float], None]
    ) -> Iterator[Callable[[], bool]]:
        while self._is_taken and self.claimed:
            sleep(0)
        self.is_held = True
        self.claimed += 1
        yield lambda: self.is_held

    def lose(self, _call: FakeCall) -> None:
        self.is_held = self.claimed > 1


@pytest.mark.parametrize("is_taken", [False, True])
def test_work_continues_after_a_lost_claim_unless_another_command_has_it(
    bench: JobBench,
    worker: CommandWorker,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_taken: bool,
) -> None:
    claims = LosableClaims(is_taken=is_taken)
    monkeypatch.setattr(command_worker, "CLAIM_JOB_WITHIN_S", 0.01)
    monkeypatch.setattr(
        Jobs,
        "claim",
        lambda _store, *arguments, **named: claims.claim(*arguments, **named),
    )
    bench.fake.before_call = claims.lose
    begin(worker)
    wait_for_rest(worker)
    assert bench.job.ended_items == (1 if is_taken else 5)
    assert bench.job.state is (JobState.RUNNING if is_taken else JobState.ENDED)
    assert worker.trouble == ("Another command works on this job." if is_taken else "")


def test_a_dashboard_does_not_queue_or_run_the_job_of_a_command(
    bench: JobBench,
) -> None:
    queue = Mock(**{"jobs.return_value": ()})
    dispatcher = JobDispatcher(
        replace(bench.runner, origin=JobOrigin.BULK_PAGE),
        open_queue=lambda: queue,
        check=Mock(),
    )
    dispatcher.look()
    is_more = dispatcher.runner.run_chunk(
        JOB
    )  # as if an older version had put it into the queue
    dispatcher.close()
    assert queue.put.mock_calls == []
    assert not is_more
    assert bench.job.state is JobState.QUEUED
    assert bench.fake.calls == []


def test_a_command_does_not_run_a_job_of_the_bulk_page() -> None:
    bench = JobBench(service(), asks(add={"r"}))
    with opened(bench) as worker:
        begin(worker)
        wait_until(lambda: worker.is_at_work(JOB))
    assert bench.job.state is JobState.QUEUED
    assert bench.fake.calls == []


def test_a_command_needs_no_queue(
    worker: CommandWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Database, "check_queue", Mock(side_effect=BROKEN))
    worker.check()
