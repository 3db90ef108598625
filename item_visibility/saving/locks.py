"""Locks: one worker at a time handles an item, for a person's save or for a job."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Condition

from item_visibility.client.identifiers import ItemKey

IsHeld = Callable[[], bool]
"""Returns True while an item is still held against all other processes: the lock can be lost."""

HoldForAll = Callable[[ItemKey], AbstractContextManager[IsHeld]]
"""Holds an item against all other processes; entering waits for it, and may raise."""


def always_held() -> bool:
    """Return True: there is no other process."""
    return True


class ItemLocks:
    """One lock per item, given in the order of requests. Thread-safe.

    The holder in this process then locks out all other processes with `hold_for_all`; by default there are
    none.
    """

    def __init__(self, hold_for_all: HoldForAll = lambda _item: nullcontext(always_held)) -> None:
        self._hold_for_all = hold_for_all
        self._waiting: dict[ItemKey, deque[object]] = {}
        self._freed = Condition()

    def join(self, item: ItemKey) -> object:
        """Join the queue for the item without waiting. Return a ticket to hold the item with."""
        ticket = object()
        with self._freed:
            self._waiting.setdefault(item, deque()).append(ticket)
        return ticket

    @contextmanager
    def holding(self, item: ItemKey, ticket: object | None = None) -> Iterator[IsHeld]:
        """Wait until everybody ahead has freed the item, and hold it while the block runs.

        Entering raises RecordsError when the item cannot be held against other processes.
        """
        turn = self.join(item) if ticket is None else ticket
        try:
            with self._freed:
                self._freed.wait_for(lambda: self._waiting[item][0] is turn)
            with self._hold_for_all(item) as is_held:
                yield is_held
        finally:
            with self._freed:
                self._waiting[item].remove(turn)
                if not self._waiting[item]:
                    del self._waiting[item]
                self._freed.notify_all()
