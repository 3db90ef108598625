"""Finds out how interrupted saves ended: reads their items and records the outcomes."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from item_visibility.client.http_calls import ClosedError
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import Follower
from item_visibility.saving.send_and_verify import IsHeld
from item_visibility.storage.history import History
from item_visibility.storage.shared_locks import SharedLocks
from item_visibility.timeouts import SETTLE_AT_CLOSE_S

SETTLE_AGAIN_S = 20.0
"""The pause between two searches for interrupted saves."""

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class InterruptedSaves:
    """Settles interrupted saves. It sends no change to the service.

    A running save holds the lock of its item. If a save has no result and the lock is
    free, the save was interrupted. A thread looks for such saves at the start and every
    20 seconds. A new save of an item first settles the item's interrupted saves, so
    that two saves never report the same change.
    """

    saver: Saver
    history: History
    locks: SharedLocks
    service: str
    sleep: Callable[[float], None]
    followers: Iterable[Follower] = ()

    def __post_init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._settle_regularly, name="settle", daemon=True
        )

    @contextmanager
    def holding(self, item: ItemKey) -> Iterator[IsHeld]:
        """Wait for the item's lock, settle its saves, and hold it in the block."""
        with self.locks.holding(*self._name(item), sleep=self.sleep) as is_held:
            self._settle(item)
            yield is_held

    def settle(self, item: ItemKey) -> bool:
        """Settle the item's interrupted saves. Return True if a save is running.

        Raises RecordsError.
        """
        with self._one_at_a_time:
            if not self.history.open_saves(item):
                return False
            with self.locks.holding_if_free(*self._name(item)) as is_held:
                if is_held:
                    self._settle(item)
                return not is_held

    def start(self) -> None:
        """Start the thread, and return at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and wait a few seconds at most for its current read."""
        self._is_stopped.set()
        if self._thread.is_alive():
            self._thread.join(SETTLE_AT_CLOSE_S)

    def _settle_regularly(self) -> None:
        # The program can end in the middle of a read.
        with suppress(ClosedError):
            self._settle_all()
            while not self._is_stopped.wait(SETTLE_AGAIN_S):
                self._settle_all()

    def _settle_all(self) -> None:
        try:
            items = [entry.request.item for entry in self.history.open_saves()]
            for item in dict.fromkeys(items):
                if self._is_stopped.is_set():
                    return
                self.settle(item)
        except RecordsError as error:
            logger.warning(
                "Interrupted saves could not be settled yet: %s", error.message
            )

    def _settle(self, item: ItemKey) -> None:
        for entry in self.history.open_saves(item):
            result = self.saver.settle(entry)
            for follower in self.followers:
                follower(entry.request, result)

    def _name(self, item: ItemKey) -> tuple[str, str, str]:
        return self.service, item.supplier, item.supplier_item_id
