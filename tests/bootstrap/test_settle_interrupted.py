"""Saves that a process left open: settled by reading, at the start of another or by one that lives."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.bootstrap import settle_interrupted
from item_visibility.bootstrap.settle_interrupted import Settling
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.transport import ClosedError
from item_visibility.errors import RecordsError
from item_visibility.jobs.engine import StoppedError
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, SaveResult
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import Follower
from item_visibility.storage.history.saves import History
from item_visibility.storage.shared_locks import FileLocks, SharedLocks
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit, a_request, open_kit, wait_until
from tests.support.fake_visibilities import START, FakeCall

SERVICE = "the service"


def begin(history: History, item: ItemKey, *, key: str) -> None:
    """Record the intent of a save, and no end."""
    request = a_request(item, key=key, add={"A"})
    plan = plan_changes(item, current=frozenset(), add=request.add, remove=frozenset())
    history.begin(request, plan, started_at=START)


def saver_of(kit: DeskKit) -> Saver:
    """A saver without real waiting."""
    return Saver(kit.fake, kit.records.history, clock=kit.fake.time.now, sleep=kit.fake.time.sleep)


def settling_of(
    kit: DeskKit, folder: Path, *, saver: Saver | None = None, followers: Iterable[Follower] = ()
) -> Settling:
    """A settler of the saves of a process; every call stands for another one."""
    return Settling(
        saver or saver_of(kit),
        kit.records.history,
        locks=locks_in(folder),
        service=SERVICE,
        sleep=kit.fake.time.sleep,
        followers=followers,
    )


def locks_in(folder: Path) -> SharedLocks:
    """The locks of a process; every call stands for another one."""
    return FileLocks(folder / "locks")


def settled(history: History, key: str) -> HistoryEntry | None:
    """The entry of the save, once it has a result."""
    entry = history.entry(key)
    return entry if entry is not None and entry.result is not None else None


def open_keys(history: History) -> list[str]:
    """The saves that are open."""
    return [entry.request.key for entry in history.unsettled()]


def wait_for(settling: Settling) -> None:
    """Return when it has ended."""
    settling._thread.join(60)  # noqa: SLF001  (a stop waits for a few seconds only)


def test_settling_stops_when_the_program_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that takes too long is not waited for; what is still open stays open for the next run."""
    monkeypatch.setattr(settle_interrupted, "SETTLE_AT_CLOSE_S", 0.0)
    is_reading, goes_on = threading.Event(), threading.Event()

    def hold(_call: FakeCall) -> None:
        is_reading.set()
        assert goes_on.wait(60)

    with open_kit(tmp_path) as kit:
        begin(kit.records.history, ITEM, key="first")
        begin(kit.records.history, OTHER_ITEM, key="second")
        kit.fake.before_call = hold
        settling = settling_of(kit, tmp_path)
        settling.start()
        assert is_reading.wait(60)
        settling.stop()
        goes_on.set()
        wait_for(settling)
        assert open_keys(kit.records.history) == ["second"]


def test_settling_tells_the_followers_of_a_save(tmp_path: Path) -> None:
    """With what it removed."""
    told: list[SaveResult] = []
    with open_kit(tmp_path) as kit:
        request = a_request(ITEM, key="open", base="AB", remove="AB")
        plan = plan_changes(ITEM, current=frozenset("AB"), add=frozenset(), remove=frozenset("AB"))
        kit.records.history.begin(request, plan, started_at=START)
        kit.fake.put(ITEM, "B")
        settling = settling_of(kit, tmp_path, followers=[lambda _request, result: told.append(result)])
        settling.start()
        wait_until(lambda: not kit.records.history.unsettled())
        settling.stop()
    (result,) = told
    assert (result.item, set(result.removed), result.after) == (ITEM, {"A"}, frozenset("B"))


@pytest.mark.parametrize("end", [ClosedError, StoppedError])
def test_settling_ends_with_the_program(tmp_path: Path, end: type[Exception]) -> None:
    """In the middle of a read, and without a word; what is open stays open."""
    with open_kit(tmp_path) as kit:
        begin(kit.records.history, ITEM, key="first")
        saver = Mock(settle_open=Mock(side_effect=end))
        settling = settling_of(kit, tmp_path, saver=saver)
        settling.start()
        wait_for(settling)
        settling.stop()
        saver.settle_open.assert_called_once()
        assert open_keys(kit.records.history) == ["first"]


def test_a_save_that_is_being_made_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its maker holds the item; others are settled meanwhile, and this one when its item is free."""
    monkeypatch.setattr(settle_interrupted, "SETTLE_AGAIN_S", 0.01)
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="being made")
        begin(history, OTHER_ITEM, key="of a dead process")
        one, maker = settling_of(kit, tmp_path), locks_in(tmp_path)
        with maker.holding(SERVICE, ITEM.supplier, ITEM.supplier_item_id, sleep=kit.fake.time.sleep):
            one.start()
            wait_until(lambda: settled(history, "of a dead process"))
            assert open_keys(history) == ["being made"]
        entry = wait_until(lambda: settled(history, "being made"))
        one.stop()
    assert entry.was_settled_later


def test_a_save_that_ends_meanwhile_is_not_settled_as_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was open when the open saves were listed; once its item was free, it had ended."""
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="open")
        listed = history.unsettled()
        (ended,) = (saver_of(kit)._read_result(entry, is_over=False) for entry in listed)  # noqa: SLF001  (as it comes out)
        history.settle("open", ended)
        monkeypatch.setattr(history, "unsettled", Mock(return_value=listed))
        settling = settling_of(kit, tmp_path)
        settling.start()
        settling.stop()
        wait_for(settling)
        entry = history.entry("open")
    assert entry is not None
    assert entry.was_settled_later is False


def test_an_item_is_settled_when_it_is_opened_unless_somebody_holds_it(tmp_path: Path) -> None:
    """Somebody who holds it is still saving; other items stay for later."""
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="open")
        begin(history, OTHER_ITEM, key="of another item")
        one, maker = settling_of(kit, tmp_path), locks_in(tmp_path)
        with maker.holding(SERVICE, ITEM.supplier, ITEM.supplier_item_id, sleep=kit.fake.time.sleep):
            assert one.settle(ITEM) is True
            assert open_keys(history) == ["open", "of another item"]
        assert one.settle(ITEM) is False
        assert open_keys(history) == ["of another item"]


def test_opening_an_item_waits_for_the_look_that_settles_it(tmp_path: Path) -> None:
    """The thread of this process holds the item while it reads: that is no save under way."""
    is_reading, goes_on = threading.Event(), threading.Event()

    def hold(_call: FakeCall) -> None:
        is_reading.set()
        assert goes_on.wait(60)

    with open_kit(tmp_path) as kit, ThreadPoolExecutor(1) as pool:
        begin(kit.records.history, ITEM, key="open")
        kit.fake.before_call = hold
        settling = settling_of(kit, tmp_path)
        settling.start()
        assert is_reading.wait(60)
        opening = pool.submit(settling.settle, ITEM)
        goes_on.set()
        assert opening.result() is False
        assert open_keys(kit.records.history) == []
        settling.stop()


def test_two_living_processes_settle_a_save_once(tmp_path: Path) -> None:
    """One of them holds the item and reads; the other one, which finds the save too, leaves it to that."""
    told = Mock()
    with open_kit(tmp_path) as kit:
        begin(kit.records.history, ITEM, key="dead")
        kit.fake.put(ITEM, "A")
        one, other = (settling_of(kit, tmp_path, followers=[told]) for _ in range(2))
        kit.fake.before_call = lambda _call: other._look()  # noqa: SLF001  (one look, without its thread)
        one.start()
        wait_until(lambda: settled(kit.records.history, "dead"))
        one.stop()
        wait_for(one)
    told.assert_called_once()


def test_who_holds_an_item_for_a_new_save_settles_what_is_open_of_it(tmp_path: Path) -> None:
    """So that no change is claimed by two saves; what is open of other items stays for later."""
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="dead")
        begin(history, OTHER_ITEM, key="of another item")
        kit.fake.put(ITEM, "A")
        with settling_of(kit, tmp_path).holding(ITEM) as is_held:
            assert is_held()
            entry = settled(history, "dead")
        assert open_keys(history) == ["of another item"]
    assert entry is not None
    assert [step.outcome for step in entry.steps] == [Outcome.DONE]


def test_settling_tries_again_when_there_was_no_database(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log says so once, and what is open is settled as soon as it can be."""
    monkeypatch.setattr(settle_interrupted, "SETTLE_AGAIN_S", 0.0)
    no_database = RecordsError("no database", advice="")
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="open")
        found = chain([no_database, no_database], repeat(history.unsettled()))
        monkeypatch.setattr(history, "unsettled", Mock(side_effect=found))
        settling = settling_of(kit, tmp_path)
        settling.start()
        entry = wait_until(lambda: settled(history, "open"))
        settling.stop()
    assert entry.was_settled_later
    assert caplog.text.count("Open saves could not be settled yet") == 1
