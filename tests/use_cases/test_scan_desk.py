"""Scans from start to end: cancelled, interrupted, killed, resumed, and shared by all who look."""

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.scans import Scan, ScanState
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.timeouts import SCAN_DEAD_AFTER
from tests.support.desk import DeskKit, FakeService, open_kit, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, not_sent, refused

READ = "getVisibilities"
SUPPLIER = "S"
WITHIN_S = 60.0


def key_of(number: int) -> ItemKey:
    """One of the supplier's items."""
    return ItemKey(SUPPLIER, str(number))


def service(count: int) -> FakeService:
    """A service where "A" can see the items with an even number, and nobody the others."""
    return FakeService({key_of(number): "A" if number % 2 == 0 else "" for number in range(count)})


def now(kit: DeskKit) -> Scan:
    """The scan of the supplier."""
    scan = kit.desk.scans.progress(SUPPLIER)
    assert scan is not None
    return scan


def ended(kit: DeskKit) -> Scan:
    """The scan of the supplier, after it has ended."""
    wait_until(lambda: not now(kit).is_under_way)
    return now(kit)


def seen(kit: DeskKit) -> dict[str, bool | None]:
    """Say whether "A" can see each item, by their own ids; None when it is not known."""
    return {
        one.item.supplier_item_id: None if one.recipients is None else "A" in one.recipients
        for one in kit.records.seen.all(SUPPLIER)
    }


def know(kit: DeskKit, count: int) -> None:
    """Make so many items of the supplier known."""
    kit.records.directory.remember([key_of(number) for number in range(count)])


def reads_of(fake: FakeService) -> list[str]:
    """The own ids of the items that were read, in order."""
    return sorted(call.item.supplier_item_id for call in fake.calls)


class Held:
    """A service that holds the read of this item until it is let go."""

    def __init__(self, fake: FakeService, number: int) -> None:
        self.is_held, self._may_go_on = threading.Event(), threading.Event()
        self._item = key_of(number)
        fake.before_call = self._hold

    def let_go(self) -> None:
        """Answer."""
        self._may_go_on.set()

    def _hold(self, call: FakeCall) -> None:
        if call.item == self._item:
            self.is_held.set()
            self._may_go_on.wait(WITHIN_S)


def test_every_known_item_is_read_once(tmp_path: Path) -> None:
    """Nothing recorded is an answer too; the items of others are left alone, unless all are scanned."""
    fake = service(5)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 5)
        kit.records.directory.remember([ItemKey("another", "9")])
        assert kit.desk.scans.progress(SUPPLIER) is None
        assert kit.desk.scans.resume(SUPPLIER) is None
        begun = kit.desk.scans.start(SUPPLIER)
        assert begun is not None
        assert (begun.total, begun.begun_at) == (5, START)
        scan = ended(kit)
        assert (scan.state, scan.total, scan.checked, scan.failed) == (ScanState.ENDED, 5, 5, 0)
        assert seen(kit) == {"0": True, "1": False, "2": True, "3": False, "4": True}
        assert reads_of(fake) == ["0", "1", "2", "3", "4"]
        fake.time.sleep(1)
        kit.desk.scans.start(None)
        wait_until(lambda: (one := kit.desk.scans.progress(None)) and one.state is ScanState.ENDED)
        assert len(fake.calls) == 11
        assert kit.desk.scans.cancel(SUPPLIER) == scan


def test_what_the_service_refuses_has_a_reason(tmp_path: Path) -> None:
    """The other items are read, and the refused one is tried again when the scan is resumed."""
    fake = service(3)
    fake.faults.append(Fault(READ, refused(READ, 400)))
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 3)
        kit.desk.scans.start(SUPPLIER)
        scan = ended(kit)
        failures = {one.failure for one in kit.records.seen.all(SUPPLIER)}
        assert (scan.state, scan.checked, scan.failed, scan.is_resumable) == (ScanState.ENDED, 2, 1, True)
        assert failures == {"", "The service refused it (400). A title"}
        kit.desk.scans.resume(SUPPLIER)
        wait_until(lambda: now(kit).checked == 3)
        assert len(fake.calls) == 4
        assert {one.failure for one in kit.records.seen.all(SUPPLIER)} == {""}


def test_a_service_that_is_down_is_waited_for(tmp_path: Path) -> None:
    """Nothing is said of an item that was not read; the scan goes on by itself."""
    fake = service(3)

    def fail(_call: FakeCall) -> None:
        if fake.time.now() < START + timedelta(seconds=3):
            raise not_sent(READ)
        wait_until(lambda: now(kit).state is not ScanState.RUNNING)

    fake.before_call = fail
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 3)
        kit.desk.scans.start(SUPPLIER)
        wait_until(lambda: now(kit).state is ScanState.WAITING)
        waiting = now(kit)
        fake.before_call = lambda _call: None
        scan = ended(kit)
        assert (waiting.message, waiting.next_try_at is not None) == ("The service cannot be reached.", True)
        assert (scan.state, scan.message, scan.checked) == (ScanState.ENDED, "", 3)


def test_a_cancelled_scan_is_cancelled_at_once_and_resumes_where_it_was(tmp_path: Path) -> None:
    """Cancelling waits for no read; what was read stays, and is not read again. Another process may ask."""
    fake = service(4)
    held = Held(fake, 3)
    with open_kit(tmp_path, fake=fake) as kit, open_kit(tmp_path, fake=fake) as another:
        know(kit, 4)
        kit.desk.scans.start(SUPPLIER)
        held.is_held.wait(WITHIN_S)
        wait_until(lambda: now(another).checked == 3)
        another.desk.scans.start(SUPPLIER)
        another.desk.scans.resume(SUPPLIER)
        another.desk.scans.cancel("another")
        assert (now(another).state, len(fake.calls)) == (ScanState.RUNNING, 4)
        another.desk.scans.cancel(SUPPLIER)
        assert now(kit).state is ScanState.CANCELLED
        held.let_go()
        wait_until(lambda: seen(kit)["3"] is not None)
        kit.desk.scans.resume(SUPPLIER)
        assert (ended(kit).state, now(kit).checked) == (ScanState.ENDED, 4)
        assert len(fake.calls) == 4


def test_a_scan_that_is_read_here_is_under_way_without_a_beat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine is no dead process: no second run begins beside it, and its end is told."""
    fake = service(4)
    held = Held(fake, 2)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 4)
        kit.desk.scans.start(SUPPLIER)
        held.is_held.wait(WITHIN_S)
        last = now(kit)
        late = replace(last, state=ScanState.INTERRUPTED)
        monkeypatch.setattr(kit.records.scans, "scan", lambda _supplier, *, at: late if at else None)
        kit.desk.scans.start(SUPPLIER)
        kit.desk.scans.resume(SUPPLIER)
        assert now(kit) == replace(last, state=ScanState.RUNNING)
        monkeypatch.undo()
        held.let_go()
        assert (ended(kit).state, len(fake.calls)) == (ScanState.ENDED, 4)


def test_a_scan_of_a_killed_process_resumes_elsewhere(tmp_path: Path) -> None:
    """It counts as interrupted when it was not heard of for a while; what it read is not read again."""
    fake = service(3)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 3)
        kit.records.scans.begin(SUPPLIER, run="killed", at=START)
        read = ReadItem(item=key_of(0), recipients=frozenset("A"), asked_at=START, read_at=START)
        kit.records.seen.note_every_read([read])
        kit.desk.scans.resume(SUPPLIER)
        assert (now(kit).state, fake.calls) == (ScanState.RUNNING, [])
        fake.time.sleep(SCAN_DEAD_AFTER.total_seconds() + 1)
        assert now(kit).state is ScanState.INTERRUPTED
        kit.desk.scans.resume(SUPPLIER)
        assert (ended(kit).state, now(kit).checked) == (ScanState.ENDED, 3)
        assert reads_of(fake) == ["1", "2"]


def test_what_was_read_is_saved_when_the_program_ends(tmp_path: Path) -> None:
    """The scan counts as interrupted at once."""
    fake = service(4)
    held = Held(fake, 3)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 4)
        kit.desk.scans.start(SUPPLIER)
        held.is_held.wait(WITHIN_S)
        closing = threading.Thread(target=kit.desk.close)
        closing.start()
        held.let_go()
        closing.join(WITHIN_S)
    with open_kit(tmp_path, fake=fake) as kit:
        assert now(kit).state is ScanState.INTERRUPTED
        assert seen(kit)["0"] is True
