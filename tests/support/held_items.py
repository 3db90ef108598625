"""Holds items within this process, where no other process shares the records."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.writing import IsHeld


class HeldItems:
    """One lock per item."""

    def __init__(self) -> None:
        self._locks: defaultdict[ItemKey, threading.Lock] = defaultdict(threading.Lock)

    @contextmanager
    def hold(self, item: ItemKey) -> Iterator[IsHeld]:
        """Wait until nobody holds the item, and hold it while the block runs."""
        with self._locks[item]:
            yield lambda: True
