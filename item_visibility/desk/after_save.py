"""Updates drafts and parked items after a save, in whatever process it ends."""

from collections.abc import Callable, Iterable

from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.outcome import SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.save import Saver, ignore

Follower = Callable[[SaveRequest, SaveResult], None]
"""Told of every save that ended, in the thread that made it; it raises nothing."""


class FollowedSaver:
    """A Saver that passes its results to followers before it returns them."""

    def __init__(self, saver: Saver, *followers: Follower) -> None:
        self._saver = saver
        self._followers = followers

    def save(self, request: SaveRequest, *, on_progress: Callable[[int, int], None] = ignore) -> SaveResult:
        """Make the staged changes and return the outcome, as the Saver does."""
        result = self._saver.save(request, on_progress=on_progress)
        self._follow(request, result)
        return result

    def settle_open(self, entries: Iterable[HistoryEntry]) -> tuple[SaveResult, ...]:
        """Settle saves that were begun and never settled. Only reads, as the Saver does."""
        entries = tuple(entries)
        results = self._saver.settle_open(entries)
        for entry, result in zip(entries, results, strict=True):
            self._follow(entry.request, result)
        return results

    def _follow(self, request: SaveRequest, result: SaveResult) -> None:
        for follower in self._followers:
            follower(request, result)
