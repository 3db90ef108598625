"""Settles the saves that a process left open when it ended: an earlier one, or one on the same records."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from item_visibility.client.identifiers import ItemKey
from item_visibility.client.transport import ClosedError
from item_visibility.errors import RecordsError
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import Follower
from item_visibility.saving.writing import IsHeld
from item_visibility.storage.saves import History
from item_visibility.storage.shared_locks import SharedLocks
from item_visibility.timeouts import SETTLE_AGAIN_S, SETTLE_AT_CLOSE_S

logger = logging.getLogger(__name__)


class Settling:
    """Settles saves that were begun and never settled. Only reads.

    A save that is being made holds its item, here or in another process: so an open one whose item is free
    has no process any more. A thread looks for such saves at the start and from time to time. A new save that
    holds an item settles them first, so that no change is claimed by two saves. Once it is stopped,
    open saves stay open for another process or the next run.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        saver: Saver,
        history: History,
        *,
        locks: SharedLocks,
        service: str,
        sleep: Callable[[float], None],
        followers: Iterable[Follower] = (),
    ) -> None:
        self._saver = saver
        self._history = history
        self._locks = locks
        self._service = service
        self._sleep = sleep
        self._followers = tuple(followers)
        self._turn = threading.Lock()
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._settle_again_and_again, name="settle", daemon=True)

    @contextmanager
    def holding(self, item: ItemKey) -> Iterator[IsHeld]:
        """Wait until nobody holds the item, settle what is open of it, and hold it.

        Raises RecordsError when our own database cannot be used.
        """
        with self._locks.holding(*self._name(item), sleep=self._sleep) as is_held:
            self._settle(item)
            yield is_held

    def settle(self, item: ItemKey) -> bool:
        """Settle what is open of this item now; return True when somebody holds it, so a save is under way.

        Raises RecordsError.
        """
        with self._turn:
            if not self._history.unsettled_keys(item):
                return False
            with self._locks.holding_if_free(*self._name(item)) as is_held:
                if is_held:
                    self._settle(item)
                return not is_held

    def start(self) -> None:
        """Start, and return at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop settling. Returns when the last read has ended, or after a few seconds."""
        self._is_stopped.set()
        if self._thread.is_alive():
            self._thread.join(SETTLE_AT_CLOSE_S)

    def _settle_again_and_again(self) -> None:
        """Settle what is open, until it is stopped. The log names an absent database only once."""
        has_failed = False
        with suppress(ClosedError):  # the program ends in the middle of a read
            while True:
                try:
                    self._settle_all()
                    has_failed = False
                except RecordsError as error:
                    if not has_failed:
                        logger.warning("Open saves could not be settled yet: %s", error.message)
                    has_failed = True
                if self._is_stopped.wait(SETTLE_AGAIN_S):
                    return

    def _settle_all(self) -> None:
        for item in dict.fromkeys(entry.request.item for entry in self._history.unsettled()):
            if self._is_stopped.is_set():
                return
            with self._turn, self._locks.holding_if_free(*self._name(item)) as is_held:
                if is_held:
                    self._settle(item)

    def _settle(self, item: ItemKey) -> None:
        """Settle the open saves of an item that is held."""
        for entry in filter(None, map(self._history.entry, self._history.unsettled_keys(item))):
            result = self._saver.settle_open(entry)
            for follower in self._followers:
                follower(entry.request, result)

    def _name(self, item: ItemKey) -> tuple[str, str, str]:
        return self._service, item.supplier, item.supplier_item_id
