"""Tells whether somebody still works on a job, by its beats alone."""

from collections.abc import Callable, Mapping

DEAD_AFTER_S = 10.0
"""A beat that has not moved for so long is that of a dead process; a living one beats every two seconds."""


class Liveness:
    """Beats as this process has seen them, by its own clock: the clocks of machines need not agree.

    Host names and process ids say nothing: containers share both.
    """

    def __init__(self, *, clock: Callable[[], float], dead_after_s: float) -> None:
        self._clock = clock
        self._dead_after_s = dead_after_s
        self._seen: dict[str, tuple[int, float]] = {}

    def dead(self, beats: Mapping[str, int]) -> frozenset[str]:
        """Return those whose beat stands still; forget those that are not among them any more."""
        now_s = self._clock()
        first_seen = {name: (beat, now_s) for name, beat in beats.items()}
        known = {name: seen for name, seen in self._seen.items() if beats.get(name) == seen[0]}
        self._seen = first_seen | known
        return frozenset(
            name for name, (_, since_s) in self._seen.items() if now_s - since_s >= self._dead_after_s
        )
