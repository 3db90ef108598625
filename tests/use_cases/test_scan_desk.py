"""Scans from start to end: cancelled, interrupted, killed, resumed, and shared by all who look."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import ItemPreview, Job, JobState
from item_visibility.timeouts import SCAN_DEAD_AFTER
from tests.support.desk import DeskKit, open_kit, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, not_sent, refused
from tests.support.waiting import HeldCalls

READ = "getVisibilities"
SUPPLIER = "S"
ITEMS = [ItemKey(SUPPLIER, str(number)) for number in range(4)]


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk that knows four items: "A" can see the even ones, and nobody the others."""
    with open_kit(tmp_path, dict(zip(ITEMS, ("A", "", "A", ""), strict=True))) as kit:
        kit.records.directory.remember(ITEMS)
        yield kit


def now(kit: DeskKit) -> Job:
    return kit.desk.scans.progress(SUPPLIER)


def ended(kit: DeskKit) -> Job:
    wait_until(lambda: now(kit).state is not JobState.READING)
    return now(kit)


def seen(kit: DeskKit) -> list[bool | None]:
    """Say whether "A" can see each item; None when it is not known."""
    return [one.recipients and "A" in one.recipients for one in kit.records.seen.all(SUPPLIER)]


def test_every_known_item_is_read_once(kit: DeskKit) -> None:
    scans = kit.desk.scans
    kit.records.directory.remember([ItemKey("another", "9")])
    assert scans.progress(SUPPLIER) is None
    scans.resume(SUPPLIER)
    scans.start(SUPPLIER)
    scan = ended(kit)
    assert (scan.state, scan.item_count, scan.read_items) == (JobState.ENDED, 4, 4)
    assert seen(kit) == [True, frozenset(), True, frozenset()]
    assert sorted(call.item for call in kit.fake.calls) == ITEMS
    scans.start(None)
    wait_until(lambda: not (one := scans.progress(None)) or one.state is not JobState.READING)
    assert len(kit.fake.calls) == 9
    scans.cancel(SUPPLIER)
    assert now(kit) == scan


def test_an_item_that_alone_does_not_answer_is_left_unread(kit: DeskKit) -> None:
    def fail(call: FakeCall) -> None:
        if call.item == ITEMS[1]:
            raise not_sent(READ)

    kit.fake.before_call = fail
    kit.desk.scans.start(SUPPLIER)
    scan = ended(kit)
    assert (scan.state, scan.read_items, scan.unread) == (JobState.ENDED, 3, 1)
    assert seen(kit) == [True, None, True, frozenset()]


def test_what_the_service_refuses_has_a_reason(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault(READ, refused(READ, 400)))
    kit.desk.scans.start(SUPPLIER)
    scan = ended(kit)
    assert (scan.state, scan.read_items, scan.unread) == (JobState.ENDED, 3, 1)
    (failure,) = {one.failure for one in kit.records.seen.all(SUPPLIER)} - {""}
    assert failure.startswith("The service refused it (400).")
    kit.desk.scans.resume(SUPPLIER)
    assert (ended(kit).read_items, now(kit).unread, len(kit.fake.calls)) == (4, 0, 5)
    assert {one.failure for one in kit.records.seen.all(SUPPLIER)} == {""}


def test_a_cancelled_scan_is_cancelled_at_once_and_resumes_where_it_was(kit: DeskKit, tmp_path: Path) -> None:
    kit.fake.before_call = held = HeldCalls(lambda call: call.item == ITEMS[3])
    with open_kit(tmp_path, fake=kit.fake) as another:
        kit.desk.scans.start(SUPPLIER)
        held.wait()
        wait_until(lambda: now(another).read_items == 3)
        another.desk.scans.start(SUPPLIER)
        another.desk.scans.resume(SUPPLIER)
        another.desk.scans.cancel("another")
        assert (now(another).state, len(kit.fake.calls)) == (JobState.READING, 4)
        another.desk.scans.cancel(SUPPLIER)
        assert now(kit).state is JobState.CANCELLED
        held.let_go()
        wait_until(lambda: now(kit).read_items == 4)
        kit.desk.scans.resume(SUPPLIER)
        assert (ended(kit).state, len(kit.fake.calls)) == (JobState.ENDED, 4)


def test_a_scan_that_is_read_here_is_under_way_without_a_beat(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit.fake.before_call = held = HeldCalls(lambda call: call.item == ITEMS[2])
    kit.desk.scans.start(SUPPLIER)
    held.wait()
    late = replace(now(kit), beat_at=None)
    monkeypatch.setattr(kit.records.scans, "job", lambda _key: late)
    kit.desk.scans.start(SUPPLIER)
    kit.desk.scans.resume(SUPPLIER)
    assert now(kit).state is JobState.READING
    monkeypatch.undo()
    held.let_go()
    assert (ended(kit).state, len(kit.fake.calls)) == (JobState.ENDED, 4)


def test_a_scan_of_a_killed_process_resumes_elsewhere(kit: DeskKit) -> None:
    fake, scans, store = kit.fake, kit.desk.scans, kit.records.scans
    scans.start(SUPPLIER)
    scan = replace(ended(kit), state=JobState.READING, created_at=fake.time.now(), read_items=0)
    fake.calls.clear()
    store.begin_scan(scan, SUPPLIER)
    first, *others = store.items(scan.key)
    store.put_previews(scan.key, {first.position: ItemPreview(current=None, read_at=START)}, at=START)
    scans.start(SUPPLIER)
    scans.resume(SUPPLIER)
    assert (now(kit).state, now(kit).read_items, fake.calls) == (JobState.READING, 1, [])
    fake.time.sleep(SCAN_DEAD_AFTER.total_seconds() + 1)
    assert now(kit).state is JobState.PAUSED
    scans.resume(SUPPLIER)
    assert (ended(kit).state, now(kit).read_items) == (JobState.ENDED, 4)
    assert sorted(call.item for call in fake.calls) == [one.intent.item for one in others]
