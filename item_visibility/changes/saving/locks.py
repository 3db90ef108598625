"""Locks: one worker at a time handles an item, for a person's save or for a job."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.outcome import SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.save_worker import Saves


class ItemLocks:
    """Locks by item, created when needed and dropped after use. Thread-safe."""

    def __init__(self) -> None:
        self._held: set[ItemKey] = set()
        self._freed = threading.Condition()

    @contextmanager
    def holding(self, item: ItemKey) -> Iterator[None]:
        """Wait until nobody else holds the item, and hold it while the block runs."""
        with self._freed:
            self._freed.wait_for(lambda: item not in self._held)
            self._held.add(item)
        try:
            yield
        finally:
            with self._freed:
                self._held.remove(item)
                self._freed.notify_all()


def locks_of(service: str) -> ItemLocks:
    """Return this process's item locks for one service, shared by environments that name the same one."""
    with _LOCK:
        return _LOCKS.setdefault(service, ItemLocks())


_LOCK = threading.Lock()
_LOCKS: dict[str, ItemLocks] = {}


class LockedSaver:
    """Saves through another saver while it holds the item's lock."""

    def __init__(self, saver: Saves, locks: ItemLocks) -> None:
        self._saver = saver
        self._locks = locks

    def save(self, request: SaveRequest, *, on_progress: Callable[[int, int], None]) -> SaveResult:
        """Make the staged changes, and return what is true afterwards."""
        with self._locks.holding(request.item):
            return self._saver.save(request, on_progress=on_progress)
