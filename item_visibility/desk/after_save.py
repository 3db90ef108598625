"""Updates what we have recorded after a save or the reads of a preview, in whatever process they end."""

from collections.abc import Callable, Iterable, Sequence

from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.outcome import SaveResult
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.save import Saver, ignore
from item_visibility.desk.fallback import or_else
from item_visibility.jobs.preview import ReadItem
from item_visibility.records.directory.known import Directory
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.sightings import Sighting

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


class FollowedReads:
    """Keeps what previews read: items and recipients become known, outside changes are noticed.

    If our own database cannot be used, the previews go on without it.
    """

    def __init__(self, history: History, directory: Directory) -> None:
        self._history = history
        self._directory = directory

    def keep(self, reads: Sequence[ReadItem]) -> None:
        """Keep what these reads showed."""
        sightings = [
            Sighting(
                item=one.item,
                recipients=one.recipients or frozenset(),
                asked_at=one.asked_at,
                seen_at=one.read_at,
            )
            for one in reads
        ]
        seen = [one for one in reads if one.recipients]
        recipients = {recipient_id for one in seen for recipient_id in one.recipients or ()}
        or_else(None, lambda: self._history.note_reads(sightings))
        or_else(None, lambda: self._directory.remember_all([one.item for one in seen], recipients))
