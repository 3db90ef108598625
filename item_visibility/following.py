"""What follows a save: drafts and parked lists are put right, whichever window or start the save ends in."""

from collections.abc import Callable, Iterable

from item_visibility.changes.journal import HistoryEntry
from item_visibility.changes.outcome import SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.save import Saver, ignore

Follower = Callable[[SaveRequest, SaveResult], None]
"""Told of every save that ended, in the thread that made it; it raises nothing."""


class FollowedSaver:
    """A Saver whose results are told to followers before anybody else learns of them."""

    def __init__(self, saver: Saver, *followers: Follower) -> None:
        self._saver = saver
        self._followers = followers

    def save(self, request: SaveRequest, *, on_progress: Callable[[int, int], None] = ignore) -> SaveResult:
        """Make the staged changes, and tell what is true afterwards, as the Saver does."""
        result = self._saver.save(request, on_progress=on_progress)
        self._follow(request, result)
        return result

    def settle_open(self, entries: Iterable[HistoryEntry]) -> tuple[SaveResult, ...]:
        """Settle saves that were begun and never settled, by reading only, as the Saver does."""
        entries = tuple(entries)
        results = self._saver.settle_open(entries)
        for entry, result in zip(entries, results, strict=True):
            self._follow(entry.request, result)
        return results

    def _follow(self, request: SaveRequest, result: SaveResult) -> None:
        for follower in self._followers:
            follower(request, result)
