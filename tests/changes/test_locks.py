"""One item is handled by one worker at a time."""

import threading
from collections.abc import Callable

import pytest

from item_visibility.changes.outcome import SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.locks import ItemLocks, LockedSaver
from item_visibility.changes.saving.save import ignore
from tests.changes.saving import ITEM, OTHER_ITEM, ask, bench


def hold(locks: ItemLocks, is_held: threading.Event) -> threading.Thread:
    """Another worker that wants the item."""

    def want() -> None:
        with locks.holding(ITEM):
            is_held.set()

    thread = threading.Thread(target=want, daemon=True)
    thread.start()
    return thread


def test_the_second_worker_waits_for_the_first() -> None:
    """And gets the item when it is free."""
    locks, is_held = ItemLocks(), threading.Event()
    with locks.holding(ITEM):
        thread = hold(locks, is_held)
        assert not is_held.wait(0.05)
    thread.join(60)
    assert is_held.is_set()


def test_another_item_is_free() -> None:
    """Nobody waits for what is not shared."""
    locks, is_held = ItemLocks(), threading.Event()
    with locks.holding(OTHER_ITEM):
        hold(locks, is_held).join(60)
    assert is_held.is_set()


def test_an_item_is_free_again_after_an_error() -> None:
    """Whatever happened to who held it."""
    locks, is_held = ItemLocks(), threading.Event()
    with pytest.raises(ValueError, match="broken"), locks.holding(ITEM):
        raise ValueError("broken")
    hold(locks, is_held).join(60)
    assert is_held.is_set()


def test_a_save_holds_its_item() -> None:
    """While it runs, nobody else has it."""
    locks, is_held = ItemLocks(), threading.Event()
    made = bench("a")

    class Saves:
        def save(self, request: SaveRequest, *, on_progress: Callable[[int, int], None]) -> SaveResult:
            hold(locks, is_held)
            assert not is_held.wait(0.05)
            return made.saver.save(request, on_progress=on_progress)

    result = LockedSaver(Saves(), locks).save(ask(base={"a"}, add={"b"}), on_progress=ignore)
    assert result.is_saved
    assert is_held.wait(60)
