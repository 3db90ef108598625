"""Killed in the middle of a save or of an undo: history and service agree afterwards, on either database.

`--thorough` or `KILLS=100` asks for a hundred random moments instead of ten.
"""

import random
from collections.abc import Iterator
from contextlib import closing

import pytest

from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import is_met
from item_visibility.saving.save import Saver
from item_visibility.storage.database import Database, open_records
from item_visibility.storage.history.saves import History
from tests.contract.saving_process import ITEM, MOST_SAVES, OTHERS
from tests.contract.wiring import at_once, open_client, open_fault_service, utc_now
from tests.support.databases import database_url, postgres_server, postgres_url, sqlite_url
from tests.support.fault_service import FaultService, Semantics
from tests.support.nursery import Nursery, open_nursery, wait_until_quiet
from tests.support.thorough import how_many

__all__ = ["database_url", "postgres_server", "postgres_url", "sqlite_url"]

pytestmark = pytest.mark.contract

KILLS = range(how_many(usual=10, thorough=100, variable="KILLS"))
LONGEST_LIFE_S = 0.15


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """A process that starts saving processes quickly, because it has imported everything."""
    with open_nursery("tests.contract.saving_process") as opened:
        yield opened


@pytest.fixture
def service() -> Iterator[FaultService]:
    """A service without faults."""
    with open_fault_service() as running:
        yield running


def test_what_was_begun_is_settled_exactly(
    nursery: Nursery, service: FaultService, database_url: str
) -> None:
    """SIGKILL at random moments; at the next start every save is on record as it really ended."""
    with closing(open_records(database_url)) as records:
        wrong = [
            f"{seed}: {fault}"
            for seed in KILLS
            for fault in faults_after_a_kill(nursery, service, records, (database_url, seed))
        ]
    assert wrong == []


def faults_after_a_kill(
    nursery: Nursery, service: FaultService, records: Database, line: tuple[str, int]
) -> Iterator[str]:
    """Kill a process while it saves, settle what it left open, and yield what is not as recorded."""
    _, seed = line
    service.begin(Semantics())
    service.fill(ITEM.supplier, ITEM.supplier_item_id, OTHERS)
    life_s = random.Random(seed).uniform(0, LONGEST_LIFE_S)  # noqa: S311  (repeatable on purpose)
    nursery.kill_at_work(service.base_url, service.auth_url, *line, after_s=life_s)
    wait_until_quiet(service)
    history = History(records, service=f"{seed}")
    interrupted = history.unsettled()
    with open_client(service.base_url, service.auth_url, read_timeout_s=60) as client:
        saver = Saver(client, history, clock=utc_now, sleep=at_once)
        results = [saver.settle_open(entry) for entry in interrupted]
    truth = service.recipients_of(ITEM.supplier, ITEM.supplier_item_id)
    latest = history.latest(ITEM)
    certain = {Outcome.DONE: True, Outcome.IN_PLACE: True, Outcome.NOT_SENT: False}
    expectations = {
        "several were open": len(interrupted) <= 1,
        "it is still open": not history.unsettled(),
        "the list": [result.after for result in results] == [truth] * len(interrupted),
        "a step": latest is not None
        and all(is_met(step.step, truth) is certain.get(step.outcome) for step in latest.steps),
        "somebody else's recipient": truth >= OTHERS,
    }
    yield from (fault for fault, is_right in expectations.items() if not is_right)
    yield from unrecorded_writes(service, history, seed)


def unrecorded_writes(service: FaultService, history: History, seed: int) -> list[str]:
    """Replay the history: writes that it does not explain, and lists that it has wrong."""
    seen = OTHERS
    wrong = []
    writes = [logged.call.recipient_id for logged in service.log if logged.call.recipient_id is not None]
    keys = (f"{undo}{seed}-{number}" for number in range(MOST_SAVES) for undo in ("", "undo-"))
    for entry in filter(None, map(history.entry, keys)):
        done = [step.step.recipient_id for step in entry.steps if step.outcome is Outcome.DONE]
        wrong += [] if entry.request.base == seen else [f"{entry.request.key}: before"]
        wrong += [] if sorted(writes[: len(done)]) == sorted(done) else [f"{entry.request.key}: writes"]
        writes = writes[len(done) :]
        seen = entry.result.after or frozenset()
    return wrong + [f"left over: {recipient_id}" for recipient_id in writes]
