"""Killed while staging, saving, undoing or withdrawing: what is remembered is exact afterwards.

`--thorough` or `KILLS=100` asks for a hundred random moments on each database instead of one.
"""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.outcome import StepOutcome, Verdict
from item_visibility.changes.plan import is_met
from item_visibility.desk.history.undo_saves import undo_of
from item_visibility.desk.use_cases import Desk
from item_visibility.wiring.open_desk import open_desk
from tests.contract.remembering_process import (
    EVERYBODY,
    ITEM,
    MOST_SAVES,
    opened,
    request_of,
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

KILLS = range(how_many(usual=1, thorough=100, variable="KILLS"))
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
        wait_until(lambda: not opened_again.records.history.unsettled())
        yield opened_again


def test_what_is_remembered_is_exact(service: FaultService, desk: Desk, seed: int) -> None:
    """SIGKILL at a random moment: service, history, drafts and the undo agree."""
    truth = service.recipients_of(ITEM.supplier, ITEM.supplier_item_id)
    entries = entries_of(desk, seed)
    latest = entries[-1]
    draft = opened(desk)
    assert wrong_lists(entries, truth) == []
    assert open_steps(latest, truth) <= draft.add | draft.remove
    undo = undo_of(desk.records.search, draft.discarded(), wait_until(lambda: desk.latest_save(ITEM)))
    status = saved_on(desk, request_of(undo.draft, key="undo", person=desk.doorkeeper.person().name))
    assert status.result is not None
    assert status.result.verdict is Verdict.VERIFIED
    assert service.recipients_of(ITEM.supplier, ITEM.supplier_item_id) == latest.request.base


def kill_at_work(nursery: Nursery, service: FaultService, line: tuple[str, ...], seed: int) -> None:
    """Have a process that works, kill it after a moment, and wait until the service is done with it."""
    life_s = random.Random(seed).uniform(0, LONGEST_LIFE_S)  # noqa: S311  (repeatable on purpose)
    nursery.kill_at_work(*line, seed, after_s=life_s)
    wait_until_quiet(service)


def entries_of(desk: Desk, seed: int) -> list[HistoryEntry]:
    """All saves on record, in their order."""
    rows = desk.records.history
    keys = [f"{seed}-{number}" for number in range(MOST_SAVES)]
    return [entry for entry in map(rows.entry, keys) if entry is not None]


def wrong_lists(entries: list[HistoryEntry], truth: frozenset[str]) -> list[str]:
    """Replay the history: each save begins where the one before ended, and the last one ended as it is."""
    seen: frozenset[str] | None = frozenset(EVERYBODY)
    wrong = []
    for entry in entries:
        done = [step.step for step in entry.steps if step.outcome is StepOutcome.DONE]
        wrong += [] if entry.request.base == seen else [f"{entry.request.key}: before"]
        wrong += (
            []
            if all(is_met(step, entry.result.after or frozenset()) for step in done)
            else [f"{entry.request.key}: done"]
        )
        seen = entry.result.after
    return wrong if seen == truth else [*wrong, "the end"]


def open_steps(entry: HistoryEntry, truth: frozenset[str]) -> frozenset[str]:
    """The recipients that the save did not come to."""
    return frozenset(step.step.recipient_id for step in entry.steps if not is_met(step.step, truth))
