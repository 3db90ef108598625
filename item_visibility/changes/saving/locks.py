"""Locks: one worker at a time handles an item, for a person's save or for a job."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock

from item_visibility.api.identifiers import ItemKey


class ItemLocks:
    """One lock an item, held in the order in which it was asked for. Thread-safe."""

    def __init__(self) -> None:
        self._waiting: dict[ItemKey, deque[object]] = {}
        self._freed = Condition()

    def join(self, item: ItemKey) -> object:
        """Join the queue for the item without waiting. Return a ticket to hold the item with."""
        ticket = object()
        with self._freed:
            self._waiting.setdefault(item, deque()).append(ticket)
        return ticket

    @contextmanager
    def holding(self, item: ItemKey, ticket: object | None = None) -> Iterator[None]:
        """Wait until everybody ahead has freed the item, and hold it while the block runs."""
        turn = self.join(item) if ticket is None else ticket
        try:
            with self._freed:
                self._freed.wait_for(lambda: self._waiting[item][0] is turn)
            yield
        finally:
            with self._freed:
                self._waiting[item].remove(turn)
                if not self._waiting[item]:
                    del self._waiting[item]
                self._freed.notify_all()


def locks_of(service: str) -> ItemLocks:
    """Return this process's item locks for one service, shared by environments that name the same one."""
    with _LOCK:
        return _LOCKS.setdefault(service, ItemLocks())


_LOCK = Lock()
_LOCKS: dict[str, ItemLocks] = {}
