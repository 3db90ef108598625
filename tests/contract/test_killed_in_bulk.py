"""Killed in the middle of a bulk job: it goes on, every row ends once, and the undo is exact.

`--thorough` or `KILLS=100` asks for a hundred random moments on each database instead of one.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.jobs.work_queue import QueuedJob
from item_visibility.saving.job import JobState
from item_visibility.use_cases.desk import Desk
from tests.contract.bulk import (
    BEFORE,
    ITEMS,
    after,
    apply_and_wait,
    wait_for,
    wait_for_preview,
    wrong_items,
    wrong_rows,
)
from tests.contract.processes import settings_for
from tests.contract.wiring import open_fault_service
from tests.support.desk import wait_until
from tests.support.fault_service import EVERY_FAULT, Call, FaultKind, FaultService
from tests.support.nursery import Nursery
from tests.support.quick_queue import quick_queue
from tests.support.thorough import how_many

__all__ = ["quick_queue"]

pytestmark = pytest.mark.contract

KILLS = range(how_many(usual=1, thorough=100, variable="KILLS"))
LONGEST_LIFE_S = 0.6
FAULTY_SHARE = 0.05
CALL_S = 0.004
FAULTS = tuple(kind for kind in EVERY_FAULT if kind is not FaultKind.BAD_REQUEST_400)
"""A refusal would be an answer to the row, and so an end of its own."""


@pytest.fixture
def service() -> Iterator[FaultService]:
    """A service that takes its time, and where the same people can see every item."""
    with open_fault_service() as running:
        for item in ITEMS:
            running.fill(item.supplier, item.supplier_item_id, BEFORE)
        running.choose_fault = slow
        yield running


@pytest.mark.parametrize("seed", KILLS)
def test_a_job_goes_on_after_a_kill(
    nursery: Nursery, service: FaultService, database_url: str, tmp_path: Path, seed: int
) -> None:
    line = (service.base_url, service.auth_url, str(tmp_path), database_url)
    process_id = nursery.begin("job", *line)
    service.choose_fault = faulty(seed)
    time.sleep(random.Random(seed).uniform(0, LONGEST_LIFE_S))  # noqa: S311  (repeatable on purpose)
    nursery.kill(process_id)
    with closing(open_desk(settings_for(*line))) as desk:
        judge_early(desk, dead_after_s=1.0)
        job = desk.bulk.store.jobs(limit=1)[0]
        wait_for(desk, job.key, JobState.ENDED)
        assert wrong_rows(desk, job.key) == []
        assert wrong_items(service, {number: after(number) for number in range(len(ITEMS))}) == []
        service.choose_fault = slow
        apply_and_wait(desk, wait_for_preview(desk, desk.bulk.undo(job.key)), JobState.ENDED)
    assert wrong_items(service, dict.fromkeys(range(len(ITEMS)), BEFORE)) == []


@pytest.mark.peer
def test_a_living_process_takes_over_from_a_dead_one(
    nursery: Nursery,
    service: FaultService,
    postgres_url: str,
    tmp_path: Path,
) -> None:
    may_write = threading.Event()
    service.choose_fault = hold_writes(may_write)
    line = (service.base_url, service.auth_url, str(tmp_path), postgres_url)
    process_id = nursery.begin("job", *line)
    with closing(open_desk(settings_for(*line))) as desk:
        job = desk.bulk.store.jobs(limit=1)[0]
        judge_early(desk, dead_after_s=5.0)
        seen: set[int | None] = set()
        wait_until(lambda: seen.update(one.beat for one in workers_of(desk, job.key)) or len(seen) > 2)
        (worker,) = workers_of(desk, job.key)
        nursery.kill(process_id)
        may_write.set()
        wait_for(desk, job.key, JobState.ENDED)
        assert not worker.is_here
        assert wrong_rows(desk, job.key) == []
    assert wrong_items(service, {number: after(number) for number in range(len(ITEMS))}) == []


def slow(_call: Call) -> FaultKind | None:
    """Let every call succeed, after a moment."""
    time.sleep(CALL_S)
    return None


def faulty(seed: int) -> Callable[[Call], FaultKind | None]:
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)

    def choose(call: Call) -> FaultKind | None:
        slow(call)
        return chance.choice(FAULTS) if chance.random() < FAULTY_SHARE else None

    return choose


def hold_writes(may_write: threading.Event) -> Callable[[Call], FaultKind | None]:
    """Let reads succeed, and writes when they may."""

    def choose(call: Call) -> FaultKind | None:
        if call.operation != "getVisibilities":
            may_write.wait(60)
        return None

    return choose


def judge_early(desk: Desk, *, dead_after_s: float) -> None:
    """Take a process for dead sooner than others do, and look often."""
    dispatcher = desk.bulk.dispatcher
    dispatcher._dead_after_s = dead_after_s  # noqa: SLF001  (as above)
    dispatcher._look_every_s = 0.1  # noqa: SLF001  (as above)
    dispatcher.notify("a job")


def workers_of(desk: Desk, job_key: str) -> list[QueuedJob]:
    """The workers on the job, as the queue has them once this process has opened it, too."""
    queue = desk.bulk.dispatcher._queue  # noqa: SLF001  (nobody else asks)
    found = queue.jobs() if queue else ()
    return [one for one in found if one.job_key == job_key and one.beat is not None]
