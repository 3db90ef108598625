"""Detection of dead workers from the heartbeats of their jobs alone."""

from collections.abc import Callable, Mapping


class Liveness:
    """The heartbeats that this process has seen, timed by its own clock, as machines' clocks may differ.

    Host names and process ids do not help: containers share both.
    """

    def __init__(self, *, clock: Callable[[], float], dead_after_s: float) -> None:
        self._clock = clock
        self._dead_after_s = dead_after_s
        self._seen: dict[str, tuple[int, float]] = {}

    def dead(self, beats: Mapping[str, int]) -> frozenset[str]:
        """Return the jobs whose heartbeat has stopped; forget jobs that are no longer in `beats`."""
        now_s = self._clock()
        first_seen = {name: (beat, now_s) for name, beat in beats.items()}
        known = {name: seen for name, seen in self._seen.items() if beats.get(name) == seen[0]}
        self._seen = first_seen | known
        return frozenset(
            name for name, (_, since_s) in self._seen.items() if now_s - since_s >= self._dead_after_s
        )
