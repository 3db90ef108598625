"""A scan from its start to its end: cancelled, interrupted, killed, resumed, and shared by all who look."""

import logging
import threading
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.jobs.chunk import StoppedError
from item_visibility.scans import items_to_read, scan_reader
from item_visibility.storage.scans.scan_state import Scan, ScanState
from item_visibility.storage.scans.stored_scans import Scans
from item_visibility.timeouts import ITEM_READS
from tests.scans.scanning import SUPPLIER, open_scans, service
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeCall, FakeVisibilities, Fault, not_sent, refused

READ = "getVisibilities"
WITHIN_S = 60.0


class Held:
    """A service that holds its second read until it is let go."""

    def __init__(self, fake: FakeVisibilities) -> None:
        self.is_held = threading.Event()
        self._is_free = threading.Event()
        self._fake = fake
        fake.before_call = self._hold

    def let_go(self) -> None:
        """Answer."""
        self._is_free.set()

    def _hold(self, _call: FakeCall) -> None:
        if len(self._fake.calls) == 2:
            self.is_held.set()
            self._is_free.wait(WITHIN_S)


def reads_of(fake: FakeVisibilities) -> list[str]:
    """The own ids of the items that were read, in order."""
    return [call.item.supplier_item_id for call in fake.calls]


def fail_always(_call: FakeCall) -> None:
    """The service cannot be reached."""
    raise not_sent(READ)


def test_every_known_item_is_read_once(tmp_path: Path) -> None:
    """Nothing recorded is an answer too; the items of others are left alone."""
    fake = service(5)
    with open_scans(tmp_path, fake, known=5) as kit:
        kit.records.directory.remember([ItemKey("another", "0")])
        kit.runs.start(SUPPLIER, person="ann")
        scan = kit.ended()
        assert (scan.state, scan.total, scan.checked, scan.failed) == (ScanState.ENDED, 5, 5, 0)
        assert scan.person == "ann"
        assert kit.seen() == {"0": True, "1": False, "2": True, "3": False, "4": True}
        assert sorted(reads_of(fake)) == ["0", "1", "2", "3", "4"]


def test_all_suppliers_are_scanned_at_once(tmp_path: Path) -> None:
    """Without a supplier, every known item is read."""
    fake = service(2)
    with open_scans(tmp_path, fake, known=2) as kit:
        kit.records.directory.remember([ItemKey("another", "9")])
        kit.runs.start(None, person="ann")
        wait_until(lambda: [one.seen_at for one in kit.records.seen.all() if one.seen_at is None] == [])
        assert sorted(reads_of(fake)) == ["0", "1", "9"]
        assert kit.runs.progress(SUPPLIER) is None


def test_a_scan_without_items_ends_at_once(tmp_path: Path) -> None:
    """Nothing is known, so nothing is read."""
    with open_scans(tmp_path, service(0)) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        assert (kit.ended().state, kit.now().total) == (ScanState.ENDED, 0)


def test_what_the_service_refuses_is_kept_with_its_reason(tmp_path: Path) -> None:
    """The other items are read, and the refused one is tried again when the scan is gone on with."""
    fake = service(3)
    fake.faults.append(Fault(READ, refused(READ, 400)))
    with open_scans(tmp_path, fake, known=3, at_once=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        scan = kit.ended()
        (first, *others) = kit.records.seen.all(SUPPLIER)
        assert (scan.state, scan.checked, scan.failed, scan.is_resumable) == (ScanState.ENDED, 2, 1, True)
        assert (first.recipients, first.failure) == (None, "The service refused it (400). A title")
        assert [one.failure for one in others] == ["", ""]
        fake.time.sleep(1)
        kit.runs.resume(SUPPLIER)
        wait_until(lambda: kit.now().checked == 3)
        assert reads_of(fake) == ["0", "1", "2", "0"]
        assert (kit.ended().is_resumable, kit.records.seen.all(SUPPLIER)[0].failure) == (False, "")


def test_a_scan_that_has_just_ended_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A press right behind its end is not lost, though its thread still lives."""
    fake = service(1)
    fake.faults.append(Fault(READ, refused(READ, 400)))
    may_leave = threading.Event()
    with open_scans(tmp_path, fake, known=1) as kit:
        beat = kit.records.scans.beat

        def beat_and_stay(supplier: str | None, *, run: str, now: Scan, at: datetime) -> bool:
            is_ours = beat(supplier, run=run, now=now, at=at)
            if now.state is ScanState.ENDED:
                may_leave.wait(WITHIN_S)
            return is_ours

        monkeypatch.setattr(kit.records.scans, "beat", beat_and_stay)
        kit.runs.start(SUPPLIER, person="ann")
        assert kit.ended().failed == 1
        fake.time.sleep(1)
        kit.runs.resume(SUPPLIER)
        wait_until(lambda: kit.now().checked == 1)
        may_leave.set()
        assert reads_of(fake) == ["0", "0"]


def test_a_service_that_is_down_is_waited_for(tmp_path: Path) -> None:
    """Nothing is said of an item that was not read; the scan goes on by itself."""
    fake = service(3)
    fake.before_call = fail_always
    told: list[tuple[ScanState, str, bool, set[bool | None]]] = []

    def look_and_mend(_items: items_to_read.ItemsToRead, delay_s: float) -> None:
        wait_until(lambda: kit.now().state is ScanState.WAITING)
        now = kit.now()
        told.append((now.state, now.message, now.next_try_at is not None, set(kit.seen().values())))
        fake.before_call = lambda _call: None
        assert delay_s > 0

    with open_scans(tmp_path, fake, known=3, at_once=1, pause=look_and_mend) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        scan = kit.ended()
        assert told == [(ScanState.WAITING, "The service cannot be reached.", True, {None})]
        assert (scan.state, scan.message, scan.checked) == (ScanState.ENDED, "", 3)


def test_every_scan_says_that_the_service_is_down(tmp_path: Path) -> None:
    """One reader tries for all of them; none seems to stand still for no reason."""
    fake = service(2)
    fake.before_call = fail_always
    is_mended = threading.Event()

    def wait(_items: items_to_read.ItemsToRead, _delay_s: float) -> None:
        is_mended.wait(WITHIN_S)

    with open_scans(tmp_path, fake, known=2, pause=wait) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        wait_until(lambda: kit.now().state is ScanState.WAITING)
        kit.runs.start(None, person="bob")
        other = wait_until(lambda: (one := kit.runs.progress(None)) and one.next_try_at and one)
        assert (other.state, other.message) == (ScanState.WAITING, "The service cannot be reached.")
        fake.before_call = lambda _call: None
        is_mended.set()
        assert kit.ended().state is ScanState.ENDED
        wait_until(lambda: (one := kit.runs.progress(None)) and one.state is ScanState.ENDED)


@pytest.mark.parametrize("bad", ["0", "4"])
def test_one_item_that_never_answers_does_not_hold_the_others(tmp_path: Path, bad: str) -> None:
    """It is given up after some reads, once another item shows that the service is up."""
    fake = service(5)

    def fail(call: FakeCall) -> None:
        if call.item.supplier_item_id == bad:
            raise not_sent(READ)

    fake.before_call = fail
    with open_scans(tmp_path, fake, known=5, at_once=1, pause=lambda _items, _delay_s: None) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        scan = kit.ended()
        assert (scan.state, scan.checked, scan.failed) == (ScanState.ENDED, 4, 1)
        assert kit.seen()[bad] is None
        assert reads_of(fake).count(bad) == ITEM_READS


@pytest.mark.parametrize("known", [1, 2])
def test_no_item_is_given_up_while_the_service_is_down(tmp_path: Path, known: int) -> None:
    """Even after many tries: no other item can be read either."""
    fake = service(known)

    def fail(_call: FakeCall) -> None:
        if known <= len(fake.calls) < 20:
            raise not_sent(READ)

    fake.before_call = fail
    with open_scans(tmp_path, fake, known=known, at_once=1, pause=lambda _items, _delay_s: None) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        scan = kit.ended()
        assert (scan.state, scan.checked, scan.failed) == (ScanState.ENDED, known, 0)


def test_a_wait_for_the_service_ends_when_the_scan_is_stopped(tmp_path: Path) -> None:
    """Nobody waits for it at the end of the program."""
    fake = service(1)
    fake.before_call = fail_always
    with open_scans(tmp_path, fake, known=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        wait_until(lambda: kit.now().state is ScanState.WAITING)
    names = ("scan", "scan-reader")
    wait_until(lambda: not [one for one in threading.enumerate() if one.name in names])


def test_a_read_that_is_cut_at_the_end_is_no_failure(tmp_path: Path) -> None:
    """The program ends in the middle of it."""
    fake = service(1)

    def cut(_call: FakeCall) -> None:
        raise StoppedError

    fake.before_call = cut
    with open_scans(tmp_path, fake, known=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        assert (kit.ended().state, kit.now().failed) == (ScanState.INTERRUPTED, 0)


def test_a_cancelled_scan_is_cancelled_at_once_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """Cancelling waits for no read; what was read stays, and is not read again."""
    fake = service(4)
    held = Held(fake)
    with open_scans(tmp_path, fake, known=4, at_once=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        held.is_held.wait(WITHIN_S)
        kit.runs.cancel(SUPPLIER)
        assert kit.now().state is ScanState.CANCELLED
        held.let_go()
        wait_until(lambda: kit.seen()["0"])
        fake.time.sleep(1)
        kit.runs.resume(SUPPLIER)
        assert (kit.ended().state, kit.now().checked) == (ScanState.ENDED, 4)
        assert reads_of(fake)[2:] in (["1", "2", "3"], ["2", "3"])


def test_a_scan_that_is_read_here_is_under_way_without_a_beat(tmp_path: Path) -> None:
    """A busy machine is no dead process: no second run begins beside it, and its end is told."""
    fake = service(4)
    held = Held(fake)
    with open_scans(tmp_path, fake, known=4, at_once=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        held.is_held.wait(WITHIN_S)
        fake.time.sleep(60)
        kit.runs.start(SUPPLIER, person="ben")
        kit.runs.resume(SUPPLIER)
        assert (kit.now().is_under_way, kit.now().person) == (True, "ann")
        held.let_go()
        assert (kit.ended().state, len(fake.calls)) == (ScanState.ENDED, 4)


def test_a_second_person_sees_the_same_scan(tmp_path: Path) -> None:
    """Another process starts none beside it, shows how far it is, and can cancel it."""
    fake = service(4)
    held = Held(fake)
    with (
        open_scans(tmp_path, fake, known=4, at_once=1) as kit,
        open_scans(tmp_path, fake) as another,
    ):
        kit.runs.start(SUPPLIER, person="ann")
        held.is_held.wait(WITHIN_S)
        wait_until(lambda: another.now().checked == 1)
        another.runs.start(SUPPLIER, person="ben")
        another.runs.resume(SUPPLIER)
        another.runs.cancel("another")
        kit.runs.cancel("another")
        assert (another.now().person, another.now().total) == ("ann", 4)
        another.runs.cancel(SUPPLIER)
        wait_until(lambda: "scan" not in {thread.name for thread in threading.enumerate()})
        held.let_go()
        assert (kit.ended().state, len(fake.calls)) == (ScanState.CANCELLED, 2)


def test_a_scan_of_a_killed_process_goes_on_elsewhere(tmp_path: Path) -> None:
    """It counts as interrupted when it was not heard of for a while; what it read is not read again."""
    fake = service(3)
    with open_scans(tmp_path, fake, known=3) as kit:
        kit.records.scans.begin(SUPPLIER, run="killed", person="ann", at=fake.time.now())
        read = kit.records.scans.items(SUPPLIER, after=-1, limit=1)[0].item
        fake.time.sleep(1)
        kit.note_read(read, at=fake.time.now())
        kit.runs.resume(SUPPLIER)
        assert (kit.now().state, fake.calls) == (ScanState.RUNNING, [])
        fake.time.sleep(10)
        assert kit.now().state is ScanState.INTERRUPTED
        kit.runs.resume(SUPPLIER)
        assert (kit.ended().state, kit.now().checked) == (ScanState.ENDED, 3)
        assert sorted(reads_of(fake)) == ["1", "2"]


def test_what_was_read_is_saved_when_the_program_ends(tmp_path: Path) -> None:
    """The scan counts as interrupted at once, and nothing begins after that."""
    fake = service(4)
    held = Held(fake)
    with open_scans(tmp_path, fake, known=4, at_once=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        held.is_held.wait(WITHIN_S)
        kit.runs.close()
        assert (kit.now().state, kit.now().checked) == (ScanState.INTERRUPTED, 1)
        held.let_go()
        kit.runs.resume(SUPPLIER)
        assert (kit.seen()["0"], len(fake.calls)) == (True, 2)


def test_much_is_saved_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers wait while much is to be saved: memory does not grow with the scan."""
    monkeypatch.setattr(items_to_read, "BATCH", 2)
    monkeypatch.setattr(scan_reader, "PAGE", 3)
    with open_scans(tmp_path, service(10), known=10) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        assert (kit.ended().checked, list(kit.seen().values()).count(None)) == (10, 0)


def test_a_program_error_leaves_a_scan_that_can_be_gone_on_with(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says where, without the error's own words."""
    fake = service(2)

    def break_off(_call: FakeCall) -> None:
        raise ZeroDivisionError("secret")

    fake.before_call = break_off
    with open_scans(tmp_path, fake, known=2, at_once=1) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        assert kit.ended().state is ScanState.INTERRUPTED
    (line,) = [one.getMessage() for one in caplog.records if one.name == scan_reader.__name__]
    assert line == "A scan broke off: ZeroDivisionError in break_off"


def test_a_program_error_while_saving_leaves_no_reader_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They would wait for ever to be saved, and keep their slots."""
    monkeypatch.setattr(items_to_read, "BATCH", 1)
    monkeypatch.setattr(Scans, "beat", Mock(side_effect=ZeroDivisionError("secret")))
    others = threading.active_count()
    with open_scans(tmp_path, service(9), known=9) as kit:
        kit.runs.start(SUPPLIER, person="ann")
        wait_until(lambda: "A scan broke off: ZeroDivisionError in" in caplog.text)
        wait_until(lambda: threading.active_count() == others)
    assert "secret" not in caplog.text


def test_a_scan_that_cannot_be_saved_breaks_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing counts as checked that is not on record."""
    caplog.set_level(logging.WARNING)

    def break_off(*_given: object, **_named: object) -> bool:
        raise RecordsError("The disk is full.", advice="")

    fake = service(2)
    with open_scans(tmp_path, fake, known=2) as kit:
        monkeypatch.setattr(Scans, "beat", break_off)
        kit.runs.start(SUPPLIER, person="ann")
        wait_until(lambda: "A scan broke off: The disk is full." in caplog.text)
        fake.time.sleep(11)
        assert kit.now().state is ScanState.INTERRUPTED
