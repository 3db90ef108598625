"""People first: while somebody waits for a read, scans begin none."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from item_visibility.timeouts import SCAN_GIVES_WAY_S


class PeopleFirst:
    """Knows how many people wait for a read now. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting = 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let scans give way while the block runs."""
        with self._changed:
            self._waiting += 1
        try:
            yield
        finally:
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def give_way(self) -> None:
        """Wait until nobody waits, but only for a moment: a scan goes on however busy people are."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, SCAN_GIVES_WAY_S)
