"""Processes that run a bulk job until they are killed: `python -m tests.contract.bulk_process`.

This one reads lines "BASE_URL AUTH_URL FOLDER DATABASE_URL". For each it forks a process that previews
and applies a job, answers with its id once the job runs, and again with how the process ended.
"""

import signal
import time

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs import work_queue
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import JobState
from item_visibility.use_cases.desk import Desk
from tests.contract.remembering_process import settings_for
from tests.support.nursery import fork_for_each_line, tell_that_it_works
from tests.support.quick_queue import hurry

assert work_queue  # imported here, once for all processes

PATIENCE_S = 90.0
SUPPLIER = "4000001000005"
BEFORE = frozenset({"a", "b", "c", "d", "e"})
ITEMS = tuple(ItemKey(SUPPLIER, f"item-{number}") for number in range(24))


def intent_for(number: int) -> BulkItem:
    """Additions and removals, a whole list, a withdrawal, and nothing to do, in turn."""
    item = ITEMS[number]
    kinds = (
        BulkItem(item=item, add=frozenset({"new-1", "new-2"}), remove=frozenset({"a"})),
        BulkItem(item=item, exactly=frozenset({"a", "new-1"})),
        BulkItem(item=item, exactly=frozenset()),
        BulkItem(item=item, add=frozenset({"a"}), remove=frozenset({"nobody"})),
    )
    return kinds[number % len(kinds)]


def previewed(desk: Desk) -> str:
    """The key of a new job of all items, once its preview is whole."""
    key = desk.bulk.start_preview([intent_for(number) for number in range(len(ITEMS))], title="a list")
    return wait_for_preview(desk, key)


def wait_for(desk: Desk, key: str, state: JobState) -> None:
    """Return when the job is so far; fail with the job as it stands when that takes too long."""
    ends_at = time.monotonic() + PATIENCE_S
    while (job := desk.bulk.store.job(key)) and job.state is not state and time.monotonic() < ends_at:
        time.sleep(0.02)
    assert job is not None
    assert job.state is state, job


def wait_for_preview(desk: Desk, key: str) -> str:
    """Return when every item was read, however often a read failed."""
    wait_for(desk, key, JobState.PREVIEWED)
    while desk.bulk.job(key).unread:
        desk.bulk.reread(key)
        wait_for(desk, key, JobState.PREVIEWED)
    return key


def apply_and_wait(desk: Desk, key: str, state: JobState) -> None:
    """Have the job done, and return when it is so far."""
    desk.bulk.apply(key, confirmed_count=desk.bulk.job(key).removals_to_confirm)
    wait_for(desk, key, state)


def run_a_job(*line: str) -> None:
    """Preview and apply a job, and tell when it runs."""
    desk = open_desk(settings_for(*line))
    apply_and_wait(desk, previewed(desk), JobState.RUNNING)
    tell_that_it_works()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    hurry(pytest.MonkeyPatch())
    fork_for_each_line(run_a_job)
