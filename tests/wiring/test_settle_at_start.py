"""Saves that an earlier run left open: settled at the start by reading, and only then."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.api.http.transport import ClosedError
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.plan import plan_changes
from item_visibility.changes.request import ChangeKind, Origin
from item_visibility.changes.saving.locks import ItemLocks
from item_visibility.changes.saving.save import Saver
from item_visibility.errors import RecordsError
from item_visibility.jobs.runner import StoppedError
from item_visibility.records.history.recorded_saves import History
from item_visibility.wiring.settle_at_start import Settling
from tests.support.desk import ITEM, OTHER_ITEM, a_request, break_records, open_kit, wait_until
from tests.support.fake_visibilities import START, FakeCall


def begin(history: History, item: ItemKey, *, key: str) -> None:
    """Record the intent of a save, and no end."""
    request = a_request(item, key=key, add={"A"})
    plan = plan_changes(item, current=frozenset(), add=request.add, remove=frozenset())
    history.begin(request, plan, started_at=START)


def wait_for(settling: Settling) -> None:
    """Return when it has looked at every open save."""
    settling._thread.join(60)  # noqa: SLF001  (a stop would keep it from looking)


def test_settling_stops_when_the_program_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that takes too long is not waited for; what is still open stays open for the next run."""
    monkeypatch.setattr("item_visibility.wiring.settle_at_start.SETTLE_AT_CLOSE_S", 0.0)
    is_reading, goes_on = threading.Event(), threading.Event()

    def hold(_call: FakeCall) -> None:
        is_reading.set()
        assert goes_on.wait(60)

    with open_kit(tmp_path) as kit:
        begin(kit.records.history, ITEM, key="first")
        begin(kit.records.history, OTHER_ITEM, key="second")
        kit.fake.before_call = hold
        saver = Saver(kit.fake, kit.records.history, clock=kit.fake.time.now, sleep=kit.fake.time.sleep)
        settling = Settling(saver, kit.records.history, locks=ItemLocks())
        settling.start()
        assert is_reading.wait(60)
        settling.stop()
        goes_on.set()
        wait_for(settling)
        assert [entry.request.key for entry in kit.records.history.unsettled()] == ["second"]


def test_settling_tells_the_followers_of_a_save(tmp_path: Path) -> None:
    """A park that was interrupted holds what was taken away."""
    with open_kit(tmp_path) as kit:
        park = replace(
            a_request(ITEM, key="park", base="AB", remove="AB"), origin=Origin(kind=ChangeKind.PARK)
        )
        kit.desk.parks.snapshot(park)
        plan = plan_changes(ITEM, current=frozenset("AB"), add=frozenset(), remove=frozenset("AB"))
        kit.records.history.begin(park, plan, started_at=START)
        kit.fake.put(ITEM, "B")
        saver = Saver(kit.fake, kit.records.history, clock=kit.fake.time.now, sleep=kit.fake.time.sleep)
        settling = Settling(
            saver,
            kit.records.history,
            locks=ItemLocks(),
            followers=[kit.desk.parks.settle],
        )
        settling.start()
        wait_until(lambda: not kit.records.history.unsettled())
        settling.stop()
        (parked,) = kit.desk.parks.latest()
    assert (parked.recipients, parked.settled_at) == (frozenset("AB"), kit.fake.time.now())


@pytest.mark.parametrize("end", [ClosedError, StoppedError])
def test_settling_ends_with_the_program(tmp_path: Path, end: type[Exception]) -> None:
    """In the middle of a read, and without a word; what is open stays open."""
    with open_kit(tmp_path) as kit:
        begin(kit.records.history, ITEM, key="first")
        saver = Mock(settle_open=Mock(side_effect=end))
        settling = Settling(saver, kit.records.history, locks=ItemLocks())
        settling.start()
        wait_for(settling)
        settling.stop()
        saver.settle_open.assert_called_once()
        assert [entry.request.key for entry in kit.records.history.unsettled()] == ["first"]


class LateLocks(ItemLocks):
    """Locks that something happens before, as when somebody else holds the item until then."""

    def __init__(self, before: Callable[[], None]) -> None:
        super().__init__()
        self._before = before

    @contextmanager
    def holding(self, item: ItemKey, ticket: object | None = None) -> Iterator[None]:
        """Let it happen, then hold the item."""
        self._before()
        with super().holding(item, ticket):
            yield


def test_a_save_that_ends_meanwhile_is_not_settled_as_interrupted(tmp_path: Path) -> None:
    """Another environment at the same service is making it, and holds the item until it ended."""
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="open")
        saver = Saver(kit.fake, history, clock=kit.fake.time.now, sleep=kit.fake.time.sleep)
        (ended,) = (saver._read_result(entry) for entry in history.unsettled())  # noqa: SLF001  (as it comes out)
        locks = LateLocks(lambda: history.settle("open", ended))
        settling = Settling(saver, kit.records.history, locks=locks)
        settling.start()
        wait_for(settling)
        settling.stop()
        entry = history.entry("open")
    assert entry is not None
    assert entry.was_settled_later is False


def test_settling_tries_again_when_there_was_no_database(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log says so once, and what is open is settled as soon as it can be."""
    monkeypatch.setattr("item_visibility.wiring.settle_at_start.SETTLE_AGAIN_S", 0.0)
    no_database = RecordsError("no database", advice="")
    with open_kit(tmp_path) as kit:
        history = kit.records.history
        begin(history, ITEM, key="open")
        saver = Saver(kit.fake, history, clock=kit.fake.time.now, sleep=kit.fake.time.sleep)
        found = [no_database, no_database, history.unsettled()]
        monkeypatch.setattr(history, "unsettled", Mock(side_effect=found))
        settling = Settling(saver, history, locks=ItemLocks())
        settling.start()
        wait_for(settling)
        settling.stop()
        entry = history.entry("open")
    assert entry is not None
    assert entry.was_settled_later
    assert caplog.text.count("Open saves could not be settled yet") == 1


def test_settling_without_a_database_ends_with_the_program(tmp_path: Path) -> None:
    """It does not keep the program from its end."""
    with open_kit(tmp_path) as kit:
        break_records(tmp_path)
        saver = Saver(kit.fake, kit.records.history, clock=kit.fake.time.now, sleep=kit.fake.time.sleep)
        settling = Settling(saver, kit.records.history, locks=ItemLocks())
        settling.start()
        settling.stop()
        wait_for(settling)
        assert not settling._thread.is_alive()  # noqa: SLF001  (what a stop is for)
