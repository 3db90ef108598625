"""Killed while saving, undoing or removing all: the next start knows exactly what was made.

`--thorough` or `KILLS=100` asks for a hundred random moments on each database instead of two.
"""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Verdict
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from tests.contract.remembering_process import (
    EVERYBODY,
    ITEM,
    settings_for,
)
from tests.contract.wiring import open_fault_service
from tests.support.databases import database_url, postgres_server, postgres_url, sqlite_url
from tests.support.desk import saved_on, wait_until
from tests.support.fault_service import FaultService
from tests.support.nursery import Nursery, open_nursery, wait_until_quiet
from tests.support.thorough import how_many

__all__ = ["database_url", "postgres_server", "postgres_url", "sqlite_url"]

pytestmark = pytest.mark.contract

KILLS = range(how_many(usual=2, thorough=100, variable="KILLS"))
LONGEST_LIFE_S = 0.25


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """A process that starts working processes quickly, because it has imported everything."""
    with open_nursery("tests.contract.remembering_process") as opened:
        yield opened


@pytest.fixture
def service() -> Iterator[FaultService]:
    """A service where everybody can see the item."""
    with open_fault_service() as running:
        running.fill(ITEM.supplier, ITEM.supplier_item_id, EVERYBODY)
        yield running


@pytest.fixture(params=KILLS)
def seed(request: pytest.FixtureRequest) -> int:
    """The number of this random moment."""
    number: int = request.param
    return number


@pytest.fixture
def desk(
    nursery: Nursery, service: FaultService, database_url: str, tmp_path: Path, seed: int
) -> Iterator[Desk]:
    """The desk of the next start, after a process was killed and what it left open was settled."""
    line = (service.base_url, service.auth_url, str(tmp_path), database_url)
    kill_at_work(nursery, service, line, seed)
    with closing(open_desk(settings_for(*line))) as opened_again:
        wait_until(lambda: not opened_again.settle(ITEM))
        yield opened_again


def test_what_is_recorded_is_exact(service: FaultService, desk: Desk) -> None:
    """SIGKILL at a random moment: service and history agree, and the undo restores the list before."""
    entries = [*desk.records.search.all(HistoryFilter())][::-1]
    latest = entries[-1]
    assert desk.records.history.unsettled() == ()
    assert wrong_lists(entries, truth(service)) == []
    undo = desk.undo(latest.request.key, desk.read(ITEM)).request
    status = saved_on(desk, replace(undo, confirmed_count=len(undo.remove)))
    assert status.result is not None
    assert status.result.verdict is Verdict.VERIFIED
    assert truth(service) == latest.request.base


def truth(service: FaultService) -> frozenset[str]:
    """The item's recipients."""
    return service.recipients_of(ITEM.supplier, ITEM.supplier_item_id)


def kill_at_work(nursery: Nursery, service: FaultService, line: tuple[str, ...], seed: int) -> None:
    """Have a process that works, kill it after a moment, and wait until the service is done with it."""
    life_s = random.Random(seed).uniform(0, LONGEST_LIFE_S)  # noqa: S311  (repeatable on purpose)
    nursery.kill_at_work(*line, seed, after_s=life_s)
    wait_until_quiet(service)


def wrong_lists(entries: list[HistoryEntry], truth: frozenset[str]) -> list[str]:
    """Replay the history: each save begins where the one before ended, and changed what it says."""
    seen: frozenset[str] | None = frozenset(EVERYBODY)
    wrong = []
    for entry in entries:
        added, removed = frozenset(entry.result.added), frozenset(entry.result.removed)
        wrong += [] if entry.request.base == seen else [f"{entry.request.key}: before"]
        seen = (entry.request.base | added) - removed
        wrong += [] if entry.result.after == seen else [f"{entry.request.key}: made"]
    return wrong if seen == truth else [*wrong, "the end"]
