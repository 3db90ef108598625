"""Reads that lag behind changes, as in a service with replicas. Note N11."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.storage.visibility_store import Change, Store

_NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class _Recent:
    changed_at: float
    change: Change


class LaggingReads:
    """A wrapper of the store that answers reads with the state of `lag_s` seconds ago.

    Reads are monotone: none shows an older state than an earlier read, even when the lag grows.
    So a lag only delays changes made after it was set. Only changes made through this object
    count. Safe from any thread. Without a lag it costs nothing.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._lag_s = 0.0
        self._horizon = _NEVER
        self._recent: dict[Item, deque[_Recent]] = {}

    def set_lag(self, lag_s: float) -> None:
        """Make reads lag this many seconds from now on."""
        with self._lock:
            self._move_horizon()
            self._lag_s = lag_s
            if not lag_s:
                self._recent.clear()

    def change(self, item: Item, apply: Callable[[], Change]) -> Change:
        """Apply a change to the item and remember it."""
        if not self._lag_s:
            return apply()
        with self._lock:
            change = apply()
            self._recent.setdefault(item, deque()).append(_Recent(self._clock(), change))
            return change

    def recipients(self, item: Item) -> tuple[str, ...]:
        """Return the recipients of the item as they were, sorted. Note N10."""
        if not self._lag_s:
            return self._store.recipients(item)
        with self._lock:
            self._move_horizon()
            self._forget_seen(item)
            recipients = frozenset(self._store.recipients(item))
            for recent in reversed(self._recent.get(item, ())):
                recipients = (recipients - recent.change.added) | recent.change.removed
            return tuple(sorted(recipients))

    def _move_horizon(self) -> None:
        self._horizon = max(self._horizon, self._clock() - self._lag_s)

    def _forget_seen(self, item: Item) -> None:
        recent = self._recent.get(item)
        while recent and recent[0].changed_at <= self._horizon:
            recent.popleft()
        if not recent:
            self._recent.pop(item, None)
