"""Killed in the middle of a bulk job: it goes on, every row ends once, and the undo is exact.

`--thorough` or `KILLS=100` asks for a hundred random moments on each database instead of one.
"""

import random
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.saving.job import JobState
from tests.contract.bulk import (
    AFTER,
    BEFORE,
    ITEMS,
    ROWS,
    apply_and_wait,
    lists,
    rows,
    wait_for,
    wait_for_preview,
)
from tests.contract.nursery import Nursery
from tests.contract.processes import settings_for
from tests.support.fault_service import EVERY_FAULT, Call, FaultKind, FaultService
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


@pytest.mark.parametrize("seed", KILLS)
def test_a_job_goes_on_after_a_kill(
    nursery: Nursery, service: FaultService, line: tuple[str, ...], seed: int
) -> None:
    for item in ITEMS:
        service.fake.put(item, BEFORE)
    service.choose_fault = slow
    process_id = nursery.begin("job", *line)
    service.choose_fault = faulty(seed)
    time.sleep(random.Random(seed).uniform(0, LONGEST_LIFE_S))  # noqa: S311  (repeatable on purpose)
    nursery.kill(process_id)
    with closing(open_desk(settings_for(*line))) as desk:
        dispatcher = desk.bulk.dispatcher
        dispatcher._dead_after_s, dispatcher._look_every_s = 1.0, 0.1  # noqa: SLF001  (sooner than usual)
        dispatcher.notify("a job")
        job = desk.bulk.store.jobs(limit=1)[0]
        wait_for(desk, job.key, JobState.ENDED)
        assert rows(desk, job.key) == ROWS
        assert lists(service) == [AFTER] * len(ITEMS)
        service.choose_fault = slow
        apply_and_wait(desk, wait_for_preview(desk, desk.bulk.undo(job.key)), JobState.ENDED)
    assert lists(service) == [BEFORE] * len(ITEMS)


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
