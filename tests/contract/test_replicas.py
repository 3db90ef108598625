"""Two processes on one database: one at a time changes an item, and a living one settles for a dead one.

One process is forked and makes a save, whose writes the service holds. This one has a desk on the same
records.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.bootstrap import settle_interrupted
from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.saving.outcome import HistoryEntry, Outcome, Verdict
from item_visibility.saving.save import OTHER_CONTENT
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.storage.shared_locks import SharedLocks
from item_visibility.use_cases.desk import Desk
from tests.contract.processes import BEFORE, ITEM, KEY, additions, settings_for
from tests.contract.wiring import open_fault_service
from tests.support.desk import a_request, saved_on, wait_until
from tests.support.fault_service import Call, FaultKind, FaultService
from tests.support.nursery import Nursery

pytestmark = pytest.mark.contract

FEW, MORE = 3, 40
MINE = "mine"


@pytest.fixture
def service() -> Iterator[FaultService]:
    """A service where one recipient can see the item."""
    with open_fault_service() as running:
        running.fill(ITEM.supplier, ITEM.supplier_item_id, BEFORE)
        yield running


@pytest.fixture
def line(service: FaultService, tmp_path: Path, database_url: str) -> tuple[str, ...]:
    return service.base_url, service.auth_url, str(tmp_path), database_url


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set as soon as this process waits for an item that the other one holds."""
    waits, holding = threading.Event(), SharedLocks.holding

    @contextmanager
    def tell(locks: SharedLocks, *name: str, sleep: Callable[[float], None]) -> Iterator[Callable[[], bool]]:
        def wait(pause_s: float) -> None:
            waits.set()
            sleep(pause_s)

        with holding(locks, *name, sleep=wait) as is_held:
            yield is_held

    monkeypatch.setattr(SharedLocks, "holding", tell)
    return waits


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each of many looks for open saves: True when this process could hold the item."""
    monkeypatch.setattr(settle_interrupted, "SETTLE_AGAIN_S", 0.01)
    looks, holding_if_free = [], SharedLocks.holding_if_free

    @contextmanager
    def note(locks: SharedLocks, *name: str) -> Iterator[bool]:
        with holding_if_free(locks, *name) as is_held:
            looks.append(is_held)
            yield is_held

    monkeypatch.setattr(SharedLocks, "holding_if_free", note)
    return looks


class HeldWrite:
    """The service holds one write until it may go on; then the write ends so."""

    def __init__(self, *, after: int, ends: FaultKind | None) -> None:
        self.is_held, self.may_end = threading.Event(), threading.Event()
        self._left = after
        self._lock = threading.Lock()
        self._ends = ends

    def choose(self, call: Call) -> FaultKind | None:
        """Let reads pass, and all writes but one."""
        with self._lock:
            self._left -= call.operation != "getVisibilities"
            if self._left >= 0 or self.is_held.is_set():
                return None
            self.is_held.set()
        assert self.may_end.wait(60)
        return self._ends


@contextmanager
def one_save_under_way(
    nursery: Nursery, service: FaultService, line: tuple[str, ...], count: int, held: HeldWrite
) -> Iterator[int]:
    """The other process makes a save, and the service holds one of its writes. Yields its id."""
    service.choose_fault = held.choose
    process_id = nursery.begin("save", *line, count)
    try:
        assert held.is_held.wait(60)
        yield process_id
    finally:
        held.may_end.set()


@pytest.mark.parametrize("count", [FEW, MORE])
def test_what_two_processes_do_to_one_item_is_all_there(
    nursery: Nursery, service: FaultService, line: tuple[str, ...], waits: threading.Event, count: int
) -> None:
    held = HeldWrite(after=0, ends=None)
    with one_save_under_way(nursery, service, line, count, held), closing(opened(line)) as desk:
        desk.save(a_request(ITEM, base=BEFORE, add={MINE}))
        wait_until(lambda: waits.is_set() or ended(desk, "key-1"))
        held.may_end.set()
        status = wait_until(lambda: ended(desk, "key-1"))
        other = desk.records.history.entry(KEY)
    assert truth(service) == BEFORE | additions(count) | {MINE}
    assert status.result is not None
    assert (status.result.verdict, status.result.others.added) == (Verdict.VERIFIED, additions(count))
    assert other is not None
    assert other.verdict is Verdict.VERIFIED


def test_a_save_of_a_living_process_is_left_alone_and_that_of_a_dead_one_settled_once(
    nursery: Nursery, service: FaultService, line: tuple[str, ...], looks: list[bool]
) -> None:
    held = HeldWrite(after=1, ends=FaultKind.RESET_BEFORE)
    with (
        one_save_under_way(nursery, service, line, FEW, held) as process_id,
        closing(opened(line)) as desk,
        closing(opened(line)),
    ):
        wait_until(lambda: len(looks) > 5)
        assert open_keys(desk) == [KEY]
        assert not any(looks)
        wait_until(lambda: len(truth(service)) == FEW - 1 + len(BEFORE))
        nursery.kill(process_id)
        wait_until(lambda: not open_keys(desk))
        entry = desk.records.history.entry(KEY)
    assert entry is not None
    assert entry.was_settled_later
    assert claimed(entry) == Counter(truth(service) - BEFORE)
    assert len(truth(service)) == FEW - 1 + len(BEFORE)


def test_a_change_of_a_dead_process_is_claimed_once(
    nursery: Nursery, service: FaultService, line: tuple[str, ...]
) -> None:
    held = HeldWrite(after=1, ends=FaultKind.RESET_BEFORE)
    with (
        closing(opened(line)) as desk,
        one_save_under_way(nursery, service, line, FEW, held) as process_id,
    ):
        nursery.kill(process_id)
        held.may_end.set()
        status = saved_on(desk, a_request(ITEM, key="again", base=BEFORE, add=additions(FEW)))
        entries = [desk.records.history.entry(key) for key in (KEY, "again")]
    assert status.result is not None
    assert status.result.verdict is Verdict.VERIFIED
    assert claimed(*filter(None, entries)) == Counter(additions(FEW))


def test_opening_an_item_settles_the_save_of_a_dead_process_at_once(
    nursery: Nursery, service: FaultService, line: tuple[str, ...]
) -> None:
    held = HeldWrite(after=1, ends=FaultKind.RESET_BEFORE)
    with (
        closing(opened(line)) as desk,
        one_save_under_way(nursery, service, line, FEW, held) as process_id,
    ):
        made = wait_until(lambda: two_of(truth(service) - BEFORE))
        assert desk.settle(ITEM) is True
        assert open_keys(desk) == [KEY]
        nursery.kill(process_id)
        held.may_end.set()
        wait_until(lambda: not desk.settle(ITEM))
        status = desk.save_status(KEY)
        undo = desk.undo(KEY, desk.read(ITEM))
    assert status is not None
    assert status.result is not None
    assert (frozenset(status.result.added), status.result.verdict) == (made, Verdict.DIFFERS)
    assert Outcome.UNKNOWN not in {step.outcome for step in status.result.steps}
    assert (undo.request.remove, undo.request.add) == (made, frozenset())


def test_a_key_is_bound_to_its_content_in_every_process(service: FaultService, line: tuple[str, ...]) -> None:
    request = a_request(ITEM, key="key", base=BEFORE, add={"A"})
    with closing(opened(line)) as one, closing(opened(line)) as other:
        first = saved_on(one, request).result
        refused = saved_on(other, replace(request, add=frozenset({"B"}))).result
        other.save(request)
        again = wait_until(lambda: other.save(request).result)
    assert refused is not None
    assert (refused.verdict, refused.message) == (Verdict.NOTHING_SENT, OTHER_CONTENT.message)
    assert first is not None
    assert (again.verdict, again.steps, again.after) == (first.verdict, first.steps, first.after)
    assert truth(service) == BEFORE | {"A"}
    assert len(service.asked("addVisibility")) == 1


def two_of(recipients: frozenset[str]) -> frozenset[str] | None:
    """The recipients, once there are two."""
    return recipients if len(recipients) == FEW - 1 else None


def opened(line: tuple[str, ...]) -> Desk:
    """A desk of this process; each has its own connections and locks, as if it were a process of its own."""
    return open_desk(settings_for(*line))


def ended(desk: Desk, key: str) -> SaveStatus | None:
    """The save with this key, once it ended."""
    status = desk.save_status(key)
    return status if status is not None and status.is_ended else None


def open_keys(desk: Desk) -> list[str]:
    """The saves that nobody settled."""
    return [entry.request.key for entry in desk.records.history.unsettled()]


def claimed(*entries: HistoryEntry) -> Counter[str]:
    steps = [step for entry in entries for step in entry.steps]
    return Counter(step.step.recipient_id for step in steps if step.outcome is Outcome.DONE)


def truth(service: FaultService) -> frozenset[str]:
    return service.recipients_of(ITEM.supplier, ITEM.supplier_item_id)
