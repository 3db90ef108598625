"""Saves that a dead process left open: another process reads what was changed."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.client.http_calls import ClosedError
from item_visibility.errors import RecordsError
from item_visibility.jobs.engine import StoppedError
from item_visibility.model.outcome import HistoryEntry, Outcome
from item_visibility.saving import settle_interrupted
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import Follower
from item_visibility.saving.settle_interrupted import InterruptedSaves
from item_visibility.storage.history import History
from item_visibility.storage.shared_locks import FileLocks
from tests.storage.entries import begin
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit, open_kit, wait_until
from tests.support.waiting import HeldCalls

SERVICE = "the service"


def saver_of(kit: DeskKit) -> Saver:
    return Saver(
        kit.fake,
        kit.records.history,
        clock=kit.fake.time.now,
        sleep=kit.fake.time.sleep,
    )


def interrupted_saves_of(
    kit: DeskKit,
    folder: Path,
    *,
    saver: Saver | None = None,
    followers: Iterable[Follower] = (),
) -> InterruptedSaves:
    """Return the interrupted saves as a new process sees them.

    Each call acts as another process.
    """
    return InterruptedSaves(
        saver or saver_of(kit),
        kit.records.history,
        locks=FileLocks(folder / "locks"),
        service=SERVICE,
        sleep=kit.fake.time.sleep,
        followers=followers,
    )


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path) as opened:
        begin(opened.records.history, "first", item=ITEM, add="A")
        begin(opened.records.history, "second", item=OTHER_ITEM, add="A")
        yield opened


@contextmanager
def held_elsewhere(kit: DeskKit, folder: Path) -> Iterator[None]:
    name = (SERVICE, ITEM.supplier, ITEM.supplier_item_id)
    with FileLocks(folder / "locks").holding(*name, sleep=kit.fake.time.sleep):
        yield


def settled(history: History, key: str) -> HistoryEntry | None:
    entry = history.entry(key)
    return entry if entry is not None and entry.result is not None else None


def open_keys(kit: DeskKit) -> list[str]:
    return [entry.request.key for entry in kit.records.history.open_saves()]


def wait_for(interrupted_saves: InterruptedSaves) -> None:
    interrupted_saves._thread.join(60)


def test_settling_stops_when_the_program_ends(
    kit: DeskKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle_interrupted, "SETTLE_AT_CLOSE_S", 0.0)
    kit.fake.before_call = reads = HeldCalls()
    interrupted_saves = interrupted_saves_of(kit, tmp_path)
    interrupted_saves.start()
    reads.wait()
    interrupted_saves.stop()
    reads.let_go()
    wait_for(interrupted_saves)
    assert open_keys(kit) == ["second"]


def test_listeners_are_called_after_each_settled_save(
    kit: DeskKit, tmp_path: Path
) -> None:
    follower = Mock()
    kit.fake.put(ITEM, "A")
    interrupted_saves = interrupted_saves_of(kit, tmp_path, followers=[follower])
    interrupted_saves.start()
    wait_until(lambda: not open_keys(kit))
    interrupted_saves.stop()
    results = [call.args[1] for call in follower.call_args_list]
    assert [(result.item, result.after) for result in results] == [
        (ITEM, {"A"}),
        (OTHER_ITEM, frozenset()),
    ]


@pytest.mark.parametrize("end", [ClosedError, StoppedError])
def test_settling_ends_with_the_program(
    kit: DeskKit, tmp_path: Path, end: type[Exception]
) -> None:
    saver = Mock(settle=Mock(side_effect=end))
    interrupted_saves = interrupted_saves_of(kit, tmp_path, saver=saver)
    interrupted_saves.start()
    wait_for(interrupted_saves)
    interrupted_saves.stop()
    saver.settle.assert_called_once()
    assert open_keys(kit) == ["first", "second"]


def test_a_running_save_is_left_alone(
    kit: DeskKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle_interrupted, "SETTLE_AGAIN_S", 0.01)
    interrupted_saves = interrupted_saves_of(kit, tmp_path)
    with held_elsewhere(kit, tmp_path):
        interrupted_saves.start()
        wait_until(lambda: settled(kit.records.history, "second"))
        assert open_keys(kit) == ["first"]
    entry = wait_until(lambda: settled(kit.records.history, "first"))
    interrupted_saves.stop()
    assert entry.was_settled_later


def test_a_save_that_ends_meanwhile_is_not_settled_as_interrupted(
    kit: DeskKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = kit.records.history
    listed = history.open_saves()
    for entry in listed:
        ended = saver_of(kit)._read_result(entry)
        history.record_result(entry.request.key, ended)
    monkeypatch.setattr(history, "open_saves", Mock(return_value=listed))
    interrupted_saves = interrupted_saves_of(kit, tmp_path)
    interrupted_saves.start()
    interrupted_saves.stop()
    wait_for(interrupted_saves)
    found = history.entry("first")
    assert found.was_settled_later is False


def test_opening_an_item_settles_its_saves_unless_it_is_locked(
    kit: DeskKit, tmp_path: Path
) -> None:
    interrupted_saves = interrupted_saves_of(kit, tmp_path)
    with held_elsewhere(kit, tmp_path):
        assert interrupted_saves.settle(ITEM) is True
        assert open_keys(kit) == ["first", "second"]
    assert interrupted_saves.settle(ITEM) is False
    assert open_keys(kit) == ["second"]


def test_opening_an_item_waits_while_its_saves_are_being_settled(
    kit: DeskKit, tmp_path: Path
) -> None:
    kit.fake.before_call = reads = HeldCalls()
    interrupted_saves = interrupted_saves_of(kit, tmp_path)
    with ThreadPoolExecutor(1) as pool:
        interrupted_saves.start()
        reads.wait()
        opening = pool.submit(interrupted_saves.settle, ITEM)
        reads.let_go()
        assert opening.result() is False
    assert "first" not in open_keys(kit)
    interrupted_saves.stop()


def test_a_new_save_settles_the_open_saves_of_its_item_first(
    kit: DeskKit, tmp_path: Path
) -> None:
    kit.fake.put(ITEM, "A")
    with interrupted_saves_of(kit, tmp_path).holding(ITEM) as is_held:
        assert is_held()
        entry = settled(kit.records.history, "first")
    assert open_keys(kit) == ["second"]
    assert [step.outcome for step in entry.steps] == [Outcome.DONE]


def test_settling_is_repeated_after_a_failure_of_the_database(
    kit: DeskKit,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settle_interrupted, "SETTLE_AGAIN_S", 0.0)
    history = kit.records.history
    no_database = RecordsError("no database", advice="")
    found = chain([no_database, no_database], repeat(history.open_saves()))
    monkeypatch.setattr(history, "open_saves", Mock(side_effect=found))
    interrupted_saves = interrupted_saves_of(kit, tmp_path)
    interrupted_saves.start()
    wait_until(lambda: settled(history, "first"))
    interrupted_saves.stop()
    assert caplog.text.count("Interrupted saves could not be settled yet") == 2
