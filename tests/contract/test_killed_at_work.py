"""After a kill during a save, an undo, a removal of all or a job, the next start knows
what was changed.

`--thorough` or `KILLS=100` tries a hundred random moments on each database instead of a
few.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.model.change import ChangeOperation, is_met
from item_visibility.model.job import JobState
from item_visibility.model.outcome import HistoryEntry, Outcome, Verdict
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.desk import Desk
from tests.contract.processes import EVERYBODY, ITEM, settings_for, truth
from tests.contract.quick_processes import Nursery, wait_until_quiet
from tests.contract.wiring import (
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
from tests.support.desk import saved_on, wait_until
from tests.support.fault_service import EVERY_FAULT, Call, FaultKind, FaultService
from tests.support.quick_queue import quick_queue
from tests.support.thorough import how_many

pytestmark = pytest.mark.contract

KILLS = range(how_many(usual=4, thorough=100, variable="KILLS"))
LONGEST_LIFE_S = 0.25
IS_SO = {
    Outcome.DONE: True,
    Outcome.IN_PLACE: True,
    Outcome.NOT_SENT: False,
    Outcome.UNKNOWN: False,
}
"""The service had no open requests when the list was read, so an unknown change was not
made.
"""


@pytest.mark.parametrize("seed", KILLS)
def test_the_history_is_exact_after_a_kill(
    nursery: Nursery, service: FaultService, line: tuple[str, ...], seed: int
) -> None:
    service.fake.put(ITEM, EVERYBODY)
    life_s = random.Random(seed).uniform(0, LONGEST_LIFE_S)  # noqa: S311  (repeatable on purpose)
    process_id = nursery.begin("saves", *line, seed)
    time.sleep(life_s)
    nursery.kill(process_id)
    wait_until_quiet(service)

    with closing(open_desk(settings_for(*line))) as desk:
        wait_until(lambda: not desk.settle(ITEM))
        entries = [*desk.records.history.all(HistoryFilter())][::-1]
        latest = entries[-1]
        wrong_steps = [
            step
            for step in latest.steps
            if is_met(step.step, truth(service)) is not IS_SO[step.outcome]
        ]
        assert desk.records.history.open_saves() == ()
        assert wrong_lists(entries, truth(service)) == []
        assert wrong_steps == []
        assert unrecorded_writes(service, entries) == Counter()
        restored = undone(desk, latest)
    assert restored is Verdict.VERIFIED
    assert truth(service) == latest.request.base


def undone(desk: Desk, entry: HistoryEntry) -> Verdict | None:
    undo = desk.undo(entry.request.key, desk.read(ITEM)).request
    status = saved_on(desk, replace(undo, confirmed_count=len(undo.remove)))
    return None if status.result is None else status.result.verdict


def wrong_lists(entries: list[HistoryEntry], truth: frozenset[str]) -> list[str]:
    """Replay the history.

    Return the saves that do not fit the list that the previous save left.
    """
    seen: frozenset[str] | None = frozenset(EVERYBODY)
    wrong = []
    for entry in entries:
        key = entry.request.key
        if entry.request.base != seen:
            wrong.append(f"{key}: before")
        added = frozenset(entry.result.added)
        removed = frozenset(entry.result.removed)
        seen = (entry.request.base | added) - removed
        if entry.result.after != seen:
            wrong.append(f"{key}: made")
    if seen != truth:
        wrong.append("the end")
    return wrong


def unrecorded_writes(
    service: FaultService, entries: list[HistoryEntry]
) -> Counter[str]:
    """Count the calls for one recipient that the service applied but that the history
    does not report.
    """
    written = Counter(
        call.recipient_id
        for call in service.log
        if call.is_applied and call.recipient_id
    )
    reported: Counter[str] = Counter()
    for entry in entries:
        if entry.request.operation is not ChangeOperation.REMOVE_ALL:
            reported.update(
                step.step.recipient_id
                for step in entry.steps
                if step.outcome is Outcome.DONE
            )
    return written - reported


__all__ = ["quick_queue"]

JOB_KILLS = range(how_many(usual=1, thorough=100, variable="KILLS"))
LONGEST_JOB_S = 0.6
FAULTY_SHARE = 0.05
CALL_S = 0.004
FAULTS = tuple(kind for kind in EVERY_FAULT if kind is not FaultKind.BAD_REQUEST_400)
"""All faults except 400: a refusal would end a row, and is no reason to repeat it."""


@pytest.mark.parametrize("seed", JOB_KILLS)
def test_a_job_continues_after_a_kill(
    nursery: Nursery, service: FaultService, line: tuple[str, ...], seed: int
) -> None:
    for item in ITEMS:
        service.fake.put(item, BEFORE)
    service.choose_fault = take_a_moment
    process_id = nursery.begin("job", *line)
    service.choose_fault = faulty(seed)
    time.sleep(random.Random(seed).uniform(0, LONGEST_JOB_S))  # noqa: S311  (repeatable on purpose)
    nursery.kill(process_id)
    with closing(open_desk(settings_for(*line))) as desk:
        dispatcher = desk.bulk.dispatcher
        dispatcher.dead_after_s = 1.0
        dispatcher.look_every_s = 0.1
        dispatcher.notify("a job")
        job = desk.bulk.store.jobs(limit=1)[0]
        wait_for(desk, job.key, JobState.ENDED)
        assert rows(desk, job.key) == ROWS
        assert lists(service) == [AFTER] * len(ITEMS)

        service.choose_fault = take_a_moment
        undo = wait_for_preview(desk, desk.bulk.undo(job.key))
        apply_and_wait(desk, undo, JobState.ENDED)
    assert lists(service) == [BEFORE] * len(ITEMS)


def take_a_moment(_call: Call) -> FaultKind | None:
    """Let every call succeed, after a short pause."""
    time.sleep(CALL_S)
    return None


def faulty(seed: int) -> Callable[[Call], FaultKind | None]:
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)

    def choose(call: Call) -> FaultKind | None:
        take_a_moment(call)
        return chance.choice(FAULTS) if chance.random() < FAULTY_SHARE else None

    return choose
