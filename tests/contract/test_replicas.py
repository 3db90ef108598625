"""Two processes on one database: only one at a time changes an item, and one completes
the other's saves.

A forked process saves while the service holds back its writes. The test itself is the
other process.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.model.outcome import Outcome, Verdict
from item_visibility.saving import settle_interrupted
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.use_cases.desk import Desk
from tests.contract.processes import BEFORE, ITEM, KEY, additions, settings_for, truth
from tests.contract.quick_processes import Nursery
from tests.support.desk import a_request, wait_until
from tests.support.fault_service import Call, FaultKind, FaultService

pytestmark = pytest.mark.contract

FEW = 3
MORE = 40
A_WHILE_S = 0.3


class HeldWrite:
    """Makes the service hold back one write until `may_end` is set.

    The write then ends with this fault.
    """

    def __init__(self, *, after: int, ends: FaultKind | None) -> None:
        self.is_held = threading.Event()
        self.may_end = threading.Event()
        self._left = after
        self._lock = threading.Lock()
        self._ends = ends

    def choose(self, call: Call) -> FaultKind | None:
        with self._lock:
            self._left -= call.operation != "getVisibilities"
            if self._left >= 0 or self.is_held.is_set():
                return None
            self.is_held.set()
        assert self.may_end.wait(60)
        return self._ends


@contextmanager
def one_save_under_way(
    nursery: Nursery,
    service: FaultService,
    line: tuple[str, ...],
    count: int,
    held: HeldWrite,
) -> Iterator[int]:
    """Let the other process save while the service holds back one of its writes.

    Yield the process id.
    """
    service.fake.put(ITEM, BEFORE)
    service.choose_fault = held.choose
    process_id = nursery.begin("save", *line, count)
    try:
        assert held.is_held.wait(60)
        yield process_id
    finally:
        held.may_end.set()


def ended(desk: Desk, key: str) -> SaveStatus | None:
    status = desk.save_status(key)
    if status is None or status.result is None:
        return None
    return status


def test_no_change_of_two_processes_to_one_item_is_lost(
    nursery: Nursery, service: FaultService, line: tuple[str, ...]
) -> None:
    held = HeldWrite(after=0, ends=None)
    with (
        one_save_under_way(nursery, service, line, MORE, held),
        closing(open_desk(settings_for(*line))) as desk,
    ):
        desk.save(
            a_request(
                ITEM, base=BEFORE, add={"mine"}, environment=desk.environment.name
            )
        )
        time.sleep(A_WHILE_S)
        ended_too_soon = ended(desk, "key-1")
        held.may_end.set()
        status = wait_until(lambda: ended(desk, "key-1"))
        other = desk.records.history.entry(KEY)
    assert ended_too_soon is None
    assert truth(service) == BEFORE | additions(MORE) | {"mine"}
    assert status.result is not None
    assert status.result.verdict is Verdict.VERIFIED
    assert status.result.others.added == additions(MORE)
    assert other is not None
    assert other.verdict is Verdict.VERIFIED


def open_keys(desk: Desk) -> list[str]:
    return [entry.request.key for entry in desk.records.history.open_saves()]


def test_only_saves_of_dead_processes_are_settled_and_only_once(
    nursery: Nursery,
    service: FaultService,
    line: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settle_interrupted, "SETTLE_AGAIN_S", 0.01)
    held = HeldWrite(after=1, ends=FaultKind.RESET_BEFORE)
    with (
        one_save_under_way(nursery, service, line, FEW, held) as process_id,
        closing(open_desk(settings_for(*line))) as desk,
        closing(open_desk(settings_for(*line))),
    ):
        time.sleep(A_WHILE_S)
        assert open_keys(desk) == [KEY]
        wait_until(lambda: len(truth(service)) == FEW - 1 + len(BEFORE))
        nursery.kill(process_id)
        wait_until(lambda: not open_keys(desk))
        entry = desk.records.history.entry(KEY)
    assert entry is not None
    assert entry.was_settled_later
    done = [
        step.step.recipient_id for step in entry.steps if step.outcome is Outcome.DONE
    ]
    assert Counter(done) == Counter(truth(service) - BEFORE)
    assert len(truth(service)) == FEW - 1 + len(BEFORE)
