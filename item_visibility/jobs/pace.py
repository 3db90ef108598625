"""How many items of a job are worked on at once, and who tries while the service is down."""

import threading

from item_visibility.api.observing import CallRecord
from item_visibility.api.statuses import meaning_of

PROBE_DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""How long to wait before each try while the service is down; the last one again and again."""

TROUBLES_IN_A_ROW = 3
"""After so many items in trouble one after the other the service counts as down."""

_CLIMB_AFTER = 4


class Pace:
    """Places for workers: up to `most` at once, fewer when the service asks for less. Thread-safe.

    While the service is down nobody gets a place but the one worker that tries now and then.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._changed = threading.Condition()
        self._limit = most
        self._working = 0
        self._well_in_a_row = 0
        self._troubles_in_a_row = 0
        self._prober: int | None = None
        self._probes = 0
        self._is_closed = False

    @property
    def limit(self) -> int:
        """How many may work at once now."""
        with self._changed:
            return self._limit

    @property
    def is_waiting(self) -> bool:
        """True while the service is down."""
        with self._changed:
            return self._prober is not None

    def observe(self, call: CallRecord) -> None:
        """Take notice of one request: half the places when the service asks for a pause."""
        if call.status is not None and meaning_of(call.status).is_busy:
            with self._changed:
                if self._well_in_a_row or self._limit == self.most:
                    self._limit = max(1, self._limit // 2)
                self._well_in_a_row = 0

    def take_place(self) -> bool:
        """Wait for a place and take it; False when there is none any more, because work is to stop."""
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._is_place_for(me))
            self._working += not self._is_closed
            return not self._is_closed

    def give_back(self) -> None:
        """Leave the place."""
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def well(self) -> bool:
        """Take notice of an item that ended; True when the service was down until now."""
        with self._changed:
            self._troubles_in_a_row = 0
            self._well_in_a_row += 1
            if self._well_in_a_row >= self._limit * _CLIMB_AFTER and self._limit < self.most:
                self._limit += 1
                self._well_in_a_row = 1
            was_down = self._prober is not None
            self._prober = None
            self._changed.notify_all()
            return was_down

    def trouble(self, *, is_down: bool) -> float | None:
        """Take notice of an item that did not end; how long the caller has to wait before it tries again.

        None when the service does not count as down, or when another worker is the one that tries.
        """
        me = threading.get_ident()
        with self._changed:
            self._troubles_in_a_row += 1
            if not is_down and self._prober is None and self._troubles_in_a_row < TROUBLES_IN_A_ROW:
                return None
            if self._prober not in (None, me):
                return None
            is_first = self._prober is None
            self._probes = 0 if is_first else self._probes + 1
            self._prober = me
            return PROBE_DELAYS_S[min(self._probes, len(PROBE_DELAYS_S) - 1)]

    def leave(self) -> None:
        """Work no more: somebody else tries, if it was this worker's turn."""
        with self._changed:
            if self._prober == threading.get_ident():
                self._prober = None
            self._changed.notify_all()

    def close(self) -> None:
        """Give no more places."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _is_place_for(self, worker: int) -> bool:
        if self._prober is not None:
            return self._prober == worker
        return self._working < self._limit
