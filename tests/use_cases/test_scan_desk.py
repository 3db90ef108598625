"""Scans from start to end: cancelled, interrupted, killed, resumed, and shared by all who look."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import ItemPreview, Job, JobState
from item_visibility.timeouts import SCAN_DEAD_AFTER
from tests.support.desk import DeskKit, FakeService, open_kit, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, not_sent, refused

READ = "getVisibilities"
SUPPLIER = "S"
WITHIN_S = 60.0


def key_of(number: int) -> ItemKey:
    return ItemKey(SUPPLIER, str(number))


def service(count: int) -> FakeService:
    """A service where "A" can see the items with an even number, and nobody the others."""
    return FakeService({key_of(number): "A" if number % 2 == 0 else "" for number in range(count)})


def now(kit: DeskKit) -> Job:
    scan = kit.desk.scans.progress(SUPPLIER)
    assert scan is not None
    return scan


def ended(kit: DeskKit) -> Job:
    """The scan of the supplier, after it has ended."""
    wait_until(lambda: now(kit).state is not JobState.READING)
    return now(kit)


def seen(kit: DeskKit) -> dict[str, bool | None]:
    """Say whether "A" can see each item, by their own ids; None when it is not known."""
    return {
        one.item.supplier_item_id: None if one.recipients is None else "A" in one.recipients
        for one in kit.records.seen.all(SUPPLIER)
    }


def know(kit: DeskKit, count: int) -> None:
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
        self._may_go_on.set()

    def _hold(self, call: FakeCall) -> None:
        if call.item == self._item:
            self.is_held.set()
            self._may_go_on.wait(WITHIN_S)


def test_every_known_item_is_read_once(tmp_path: Path) -> None:
    fake = service(5)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 5)
        kit.records.directory.remember([ItemKey("another", "9")])
        assert kit.desk.scans.progress(SUPPLIER) is None
        kit.desk.scans.resume(SUPPLIER)
        kit.desk.scans.start(SUPPLIER)
        scan = ended(kit)
        assert (scan.state, scan.item_count, scan.read_items) == (JobState.ENDED, 5, 5)
        assert seen(kit) == {"0": True, "1": False, "2": True, "3": False, "4": True}
        assert reads_of(fake) == ["0", "1", "2", "3", "4"]
        kit.desk.scans.start(None)
        wait_until(lambda: not (one := kit.desk.scans.progress(None)) or one.state is not JobState.READING)
        assert len(fake.calls) == 11
        kit.desk.scans.cancel(SUPPLIER)
        assert now(kit) == scan


def test_an_item_that_alone_does_not_answer_is_left_unread(tmp_path: Path) -> None:
    fake = service(3)

    def fail(call: FakeCall) -> None:
        if call.item == key_of(1):
            raise not_sent(READ)

    fake.before_call = fail
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 3)
        kit.desk.scans.start(SUPPLIER)
        scan = ended(kit)
        assert (scan.state, scan.read_items, scan.unread) == (JobState.ENDED, 2, 1)
        assert seen(kit) == {"0": True, "1": None, "2": True}


def test_what_the_service_refuses_has_a_reason(tmp_path: Path) -> None:
    fake = service(3)
    fake.faults.append(Fault(READ, refused(READ, 400)))
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 3)
        kit.desk.scans.start(SUPPLIER)
        scan = ended(kit)
        failures = {one.failure for one in kit.records.seen.all(SUPPLIER)}
        assert (scan.state, scan.read_items, scan.unread) == (JobState.ENDED, 2, 1)
        assert failures == {"", "The service refused it (400). It said: A title."}
        kit.desk.scans.resume(SUPPLIER)
        assert (ended(kit).read_items, now(kit).unread, len(fake.calls)) == (3, 0, 4)
        assert {one.failure for one in kit.records.seen.all(SUPPLIER)} == {""}


def test_a_cancelled_scan_is_cancelled_at_once_and_resumes_where_it_was(tmp_path: Path) -> None:
    fake = service(4)
    held = Held(fake, 3)
    with open_kit(tmp_path, fake=fake) as kit, open_kit(tmp_path, fake=fake) as another:
        know(kit, 4)
        kit.desk.scans.start(SUPPLIER)
        held.is_held.wait(WITHIN_S)
        wait_until(lambda: now(another).read_items == 3)
        another.desk.scans.start(SUPPLIER)
        another.desk.scans.resume(SUPPLIER)
        another.desk.scans.cancel("another")
        assert (now(another).state is JobState.READING, len(fake.calls)) == (True, 4)
        another.desk.scans.cancel(SUPPLIER)
        assert now(kit).state is JobState.CANCELLED
        held.let_go()
        wait_until(lambda: now(kit).read_items == 4)
        kit.desk.scans.resume(SUPPLIER)
        assert (ended(kit).state, len(fake.calls)) == (JobState.ENDED, 4)


def test_a_scan_that_is_read_here_is_under_way_without_a_beat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = service(4)
    held = Held(fake, 2)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 4)
        kit.desk.scans.start(SUPPLIER)
        held.is_held.wait(WITHIN_S)
        late = replace(now(kit), beat_at=None)
        monkeypatch.setattr(kit.records.scans, "job", lambda _key: late)
        kit.desk.scans.start(SUPPLIER)
        kit.desk.scans.resume(SUPPLIER)
        assert now(kit).state is JobState.READING
        monkeypatch.undo()
        held.let_go()
        assert (ended(kit).state, len(fake.calls)) == (JobState.ENDED, 4)


def test_a_scan_of_a_killed_process_resumes_elsewhere(tmp_path: Path) -> None:
    fake = service(3)
    with open_kit(tmp_path, fake=fake) as kit:
        know(kit, 3)
        kit.desk.scans.start(SUPPLIER)
        scan = replace(ended(kit), state=JobState.READING, created_at=fake.time.now(), read_items=0)
        fake.calls.clear()
        store = kit.records.scans
        store.begin_scan(scan, SUPPLIER)
        first, *_ = store.items(scan.key)
        store.put_previews(scan.key, {first.position: ItemPreview(current=None, read_at=START)}, at=START)
        kit.desk.scans.start(SUPPLIER)
        kit.desk.scans.resume(SUPPLIER)
        assert (now(kit).state is JobState.READING, now(kit).read_items, fake.calls) == (True, 1, [])
        fake.time.sleep(SCAN_DEAD_AFTER.total_seconds() + 1)
        assert now(kit).state is JobState.PAUSED
        kit.desk.scans.resume(SUPPLIER)
        assert (ended(kit).state, now(kit).read_items) == (JobState.ENDED, 3)
        assert reads_of(fake) == ["1", "2"]
