"""The throttle: limits the items worked on at once, and picks one worker to probe a service that is down."""

import threading

from item_visibility.client.answers import meaning_of
from item_visibility.client.call_records import CallRecord
from item_visibility.timeouts import FAILURES_IN_A_ROW, PROBE_DELAYS_S, SUCCESSES_UNTIL_ONE_MORE


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
        self._is_closed = False

    def observe(self, call: CallRecord) -> None:
        """Halve the limit when a call shows that the service asks for a pause."""
        if call.status is not None and meaning_of(call.status).is_busy:
            with self._changed:
                if self._successes_in_a_row or self._limit == self.capacity:
                    self._limit = max(1, self._limit // 2)
                self._successes_in_a_row = 0

    def acquire(self) -> bool:
        """Wait for a slot and take it; False when work is to stop."""
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._is_slot_for(me))
            self._working += not self._is_closed
            return not self._is_closed

    def release(self) -> None:
        """Give the slot back."""
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def succeed(self) -> bool:
        """Count an item that ended; return True when the service was down until now."""
        with self._changed:
            self._failures_in_a_row = 0
            self._successes_in_a_row += 1
            if (
                self._successes_in_a_row >= self._limit * SUCCESSES_UNTIL_ONE_MORE
                and self._limit < self.capacity
            ):
                self._limit += 1
                self._successes_in_a_row = 1
            was_down = self._prober is not None
            self._prober = None
            self._changed.notify_all()
            return was_down

    def fail(self, *, is_down: bool) -> float | None:
        """Count an item that did not end; return the seconds that the caller must wait before it probes.

        Return None when the service does not count as down, or when another worker probes it.
        """
        me = threading.get_ident()
        with self._changed:
            self._failures_in_a_row += 1
            if not is_down and self._prober is None and self._failures_in_a_row < FAILURES_IN_A_ROW:
                return None
            if self._prober not in (None, me):
                return None
            self._probes = 0 if self._prober is None else self._probes + 1
            self._prober = me
            return PROBE_DELAYS_S[min(self._probes, len(PROBE_DELAYS_S) - 1)]

    def retire(self) -> None:
        """Take this worker out of service; if it was the prober, another one takes over."""
        with self._changed:
            if self._prober == threading.get_ident():
                self._prober = None
            self._changed.notify_all()

    def close(self) -> None:
        """Give out no more slots."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _is_slot_for(self, worker: int) -> bool:
        if self._prober is not None:
            return self._prober == worker
        return self._working < self._limit
