"""One item is handled by one worker at a time, whoever works: a person's save or a job."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.outcome import SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.save_worker import Saves


class ItemLocks:
    """Locks by item, made as they are needed and kept no longer. Thread-safe."""

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
    """The locks of this process for the items of one service, which two environments may name."""
    with _LOCK:
        return _LOCKS.setdefault(service, ItemLocks())


_LOCK = threading.Lock()
_LOCKS: dict[str, ItemLocks] = {}


class LockedSaver:
    """Saves as another saver does, while it holds the item."""

    def __init__(self, saver: Saves, locks: ItemLocks) -> None:
        self._saver = saver
        self._locks = locks

    def save(self, request: SaveRequest, *, on_progress: Callable[[int, int], None]) -> SaveResult:
        """Make the staged changes, and tell what is true afterwards."""
        with self._locks.holding(request.item):
            return self._saver.save(request, on_progress=on_progress)
