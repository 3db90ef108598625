"""Settles the saves that an earlier run of the program left open, when a desk is opened."""

import logging
import threading
from collections.abc import Iterable
from contextlib import suppress

from item_visibility.api.http.transport import ClosedError
from item_visibility.changes.saving.locks import ItemLocks
from item_visibility.changes.saving.save import Saver
from item_visibility.changes.saving.save_worker import Follower
from item_visibility.errors import RecordsError
from item_visibility.jobs.chunk import StoppedError
from item_visibility.records.history.recorded_saves import History
from item_visibility.timings_and_retries import SETTLE_AGAIN_S, SETTLE_AT_CLOSE_S

logger = logging.getLogger(__name__)


class Settling:
    """Settles, in a thread, the saves that were begun and never settled. Only reads.

    It tries again while our own database cannot be used. Once it is stopped, open saves stay open for the
    next run.
    """

    def __init__(
        self,
        saver: Saver,
        history: History,
        *,
        locks: ItemLocks,
        followers: Iterable[Follower] = (),
    ) -> None:
        self._saver = saver
        self._followers = tuple(followers)
        self._history = history
        self._locks = locks
        self._is_stopped = threading.Event()
        self._has_failed = False
        self._thread = threading.Thread(target=self._settle, name="settle", daemon=True)

    def start(self) -> None:
        """Start, and return at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop settling. Returns when the last read has ended, or after a few seconds."""
        self._is_stopped.set()
        if self._thread.is_alive():
            self._thread.join(SETTLE_AT_CLOSE_S)

    def _settle(self) -> None:
        while not self._has_settled() and not self._is_stopped.wait(SETTLE_AGAIN_S):
            pass

    def _has_settled(self) -> bool:
        """Settle what is open. False if our own database could not be used; the log says so once."""
        try:
            with suppress(ClosedError, StoppedError):  # the program ends in the middle of a read
                self._settle_each()
        except RecordsError as error:
            if not self._has_failed:
                logger.warning("Open saves could not be settled yet: %s", error.message)
            self._has_failed = True
            return False
        return True

    def _settle_each(self) -> None:
        for entry in self._history.unsettled():
            if self._is_stopped.is_set():
                return
            with self._locks.holding(entry.request.item):
                self._settle_one(entry.request.key)

    def _settle_one(self, key: str) -> None:
        """Settle the save, unless it has ended: another environment at the same service was making it."""
        entry = self._history.entry(key)
        if entry is not None and entry.result is None:
            result = self._saver.settle_open(entry)
            for follower in self._followers:
                follower(entry.request, result)
