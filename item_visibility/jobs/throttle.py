"""How many items are worked on at once: fewer when the service is busy, one while it is down."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from item_visibility.client.answers import meaning_of
from item_visibility.client.call_records import CallRecord
from item_visibility.timeouts import (
    FAILURES_IN_A_ROW,
    PROBE_DELAYS_S,
    SCAN_GIVES_WAY_S,
    SUCCESSES_UNTIL_ONE_MORE,
)


class Throttle:
    """Slots for workers: at most `capacity`, fewer when the service asks for less. Thread-safe.

    While the service is down, the one worker that probes it is the only one with a slot.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._changed = threading.Condition()
        self._limit = capacity
        self._working = 0
        self._successes_in_a_row = 0
        self._failures_in_a_row = 0
        self._prober: int | None = None
        self._probes = 0

    def observe(self, call: CallRecord) -> None:
        """Halve the limit when a call shows that the service asks for a pause."""
        if call.status is not None and meaning_of(call.status).is_busy:
            with self._changed:
                if self._successes_in_a_row or self._limit == self.capacity:
                    self._limit = max(1, self._limit // 2)
                self._successes_in_a_row = 0

    def acquire(self, is_stopped: Callable[[], bool]) -> bool:
        """Wait for a slot and take it; False when work is to stop. Call `wake` after a stop."""
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: is_stopped() or self._is_slot_for(me))
            if is_stopped():
                return False
            self._working += 1
            return True

    def release(self) -> None:
        """Give the slot back."""
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def succeed(self) -> None:
        """Count an item that ended: the service is up."""
        with self._changed:
            self._failures_in_a_row = 0
            self._successes_in_a_row += 1
            if (
                self._successes_in_a_row >= self._limit * SUCCESSES_UNTIL_ONE_MORE
                and self._limit < self.capacity
            ):
                self._limit += 1
                self._successes_in_a_row = 1
            self._prober = None
            self._changed.notify_all()

    def fail(self) -> float | None:
        """Count an item that did not end; return the seconds that the caller must wait before it probes.

        Return None when the service does not count as down, or when another worker probes it.
        """
        me = threading.get_ident()
        with self._changed:
            self._failures_in_a_row += 1
            if self._prober is None and self._failures_in_a_row < FAILURES_IN_A_ROW:
                return None
            if self._prober not in (None, me):
                return None
            self._probes = 0 if self._prober is None else self._probes + 1
            self._prober = me
            return PROBE_DELAYS_S[min(self._probes, len(PROBE_DELAYS_S) - 1)]

    def retire(self) -> bool:
        """Take this worker out of service. If it was the prober, return True: another one takes over."""
        with self._changed:
            was_prober = self._prober == threading.get_ident()
            if was_prober:
                self._prober = None
            self._changed.notify_all()
            return was_prober

    def wake(self) -> None:
        """Let the workers that wait for a slot see that they are to stop."""
        with self._changed:
            self._changed.notify_all()

    def _is_slot_for(self, worker: int) -> bool:
        if self._prober is not None:
            return self._prober == worker
        return self._working < self._limit


class PeopleFirst:
    """Knows how many people wait for a read now, so that scans give way to them. Thread-safe."""

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
        """Wait until nobody waits, but only for a moment: a scan continues however busy people are."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, SCAN_GIVES_WAY_S)
