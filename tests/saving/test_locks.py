"""One item is handled by one worker at a time."""

import threading

import pytest

from item_visibility.saving.locks import ItemLocks
from tests.saving.saving import ITEM, OTHER_ITEM


def hold(locks: ItemLocks, is_held: threading.Event) -> threading.Thread:
    def want() -> None:
        with locks.holding(ITEM):
            is_held.set()

    thread = threading.Thread(target=want, daemon=True)
    thread.start()
    return thread


def test_the_second_worker_waits_for_the_first() -> None:
    locks, is_held = ItemLocks(), threading.Event()
    with locks.holding(ITEM):
        thread = hold(locks, is_held)
        assert not is_held.wait(0.05)
    thread.join(60)
    assert is_held.is_set()


def test_another_item_is_free() -> None:
    locks, is_held = ItemLocks(), threading.Event()
    with locks.holding(OTHER_ITEM):
        hold(locks, is_held).join(60)
    assert is_held.is_set()


def test_an_item_is_free_again_after_an_error() -> None:
    locks, is_held = ItemLocks(), threading.Event()
    with pytest.raises(ValueError, match="broken"), locks.holding(ITEM):
        raise ValueError("broken")
    hold(locks, is_held).join(60)
    assert is_held.is_set()


def test_who_asked_first_holds_first() -> None:
    locks, is_held = ItemLocks(), threading.Event()
    ticket = locks.join(ITEM)
    thread = hold(locks, is_held)
    with locks.holding(ITEM, ticket):
        assert not is_held.is_set()
    thread.join(60)
    assert is_held.is_set()
