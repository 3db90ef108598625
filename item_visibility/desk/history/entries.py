"""The history: what was changed, when and by whom. Also undoes a save."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.origin import Origin
from item_visibility.changes.outcome import SaveResult, StepOutcome, Verdict
from item_visibility.changes.request import ChangeKind
from item_visibility.changes.saving.save_worker import SaveState, SaveStatus
from item_visibility.changes.undo import undo_changes
from item_visibility.desk.fallback import or_else
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.search import (
    HistoryFilter,
    HistoryLine,
    HistoryPage,
    HistorySearch,
    Mark,
)
from item_visibility.records.history.sightings import Sighting

__all__ = [
    "HistoryDesk",
    "HistoryEntry",
    "HistoryFilter",
    "HistoryLine",
    "HistoryPage",
    "StagedUndo",
    "status_of",
]

_ENTRIES_OF_A_PICTURE = 500
_MARKS_OF_A_PICTURE = 50_000
_LOST_END = "The end of this save is not on record: what of it was saved is not known."
_LOST_END_ADVICE = "Read the list again to see how it stands; then save what is still missing."


@dataclass(frozen=True, slots=True)
class StagedUndo:
    """A draft that undoes a save, and the recipients that it leaves alone.

    Those were changed again after the save, so undoing them would undo somebody else's work.
    """

    draft: Draft
    left_alone: tuple[str, ...]


class HistoryDesk:
    """The history of one environment."""

    def __init__(self, history: History, search: HistorySearch) -> None:
        self._history = history
        self._search = search

    def newest(self, wanted: HistoryFilter, *, limit: int) -> HistoryPage:
        """Return the newest of the wanted entries. Raises RecordsError, as the methods below do."""
        return self._search.newest(wanted, limit=limit)

    def older(self, wanted: HistoryFilter, *, than: str, limit: int) -> HistoryPage:
        """Return the wanted entries before the one with this key."""
        return self._search.older(wanted, than=than, limit=limit)

    def newer(self, wanted: HistoryFilter, *, than: str, limit: int) -> HistoryPage:
        """Return the wanted entries after the one with this key."""
        return self._search.newer(wanted, than=than, limit=limit)

    def all(self, wanted: HistoryFilter) -> Iterator[HistoryEntry]:
        """Yield every wanted entry, newest first."""
        return self._search.all(wanted)

    def entry(self, key: str) -> HistoryEntry | None:
        """Return the entry with this key, or None if there is none."""
        return self._history.entry(key)

    def of_item(self, item: ItemKey) -> tuple[HistoryEntry, ...]:
        """Return the last entries of one item, oldest first."""
        wanted = HistoryFilter(supplier=item.supplier, supplier_item_id=item.supplier_item_id)
        return tuple(islice(self._search.all(wanted), _ENTRIES_OF_A_PICTURE))[::-1]

    def marks(self, supplier: str, *, since: datetime) -> tuple[Mark, ...]:
        """Return when, how and by whom items of the supplier were changed since then."""
        return self._search.marks(HistoryFilter(supplier=supplier, since=since), limit=_MARKS_OF_A_PICTURE)

    def save_status(self, key: str) -> SaveStatus | None:
        """Return the save with this key; None also when our own database cannot be used."""
        entry = or_else(None, lambda: self._history.entry(key))
        return None if entry is None else status_of(entry)

    def latest_save(self, item: ItemKey) -> SaveStatus | None:
        """Return the newest save of the item; None also when our own database cannot be used."""
        entry = or_else(None, lambda: self._history.latest(item))
        return None if entry is None else status_of(entry)

    def note_read(self, sighting: Sighting) -> None:
        """Record what a read showed. If our own database cannot be used, the read goes on without it."""
        or_else(None, lambda: self._history.note_read(sighting))

    def undo_of(self, draft: Draft, status: SaveStatus) -> StagedUndo:
        """Return the draft with the opposite of an ended save on top of what is staged. Sends nothing.

        Recipients changed after the save are left alone, even if they are again as the save left them. The
        history tells which ones. RecordsError if it cannot be read, rather than undo the work of others.
        """
        key = status.request.key
        changed = self._search.changed_since(key)
        steps = status.result.steps if status.result else ()
        undo = undo_changes(
            (result for result in steps if result.step.recipient_id not in changed), current=draft.recipients
        )
        done = {result.step.recipient_id for result in steps if result.outcome is StepOutcome.DONE}
        wanted = dict.fromkeys(undo.add, True) | dict.fromkeys(undo.remove, False)
        origin = Origin(kind=ChangeKind.UNDO, undo_of=key)
        return StagedUndo(
            draft.with_staged(wanted, origin=origin), tuple(sorted((done & changed).union(undo.left_alone)))
        )


def is_newest(ended: SaveResult, recorded: SaveStatus) -> bool:
    """True when no recorded save began after this one. This one may be unrecorded if it sent nothing."""
    return recorded.result is None or ended.started_at >= recorded.result.started_at


def status_of(entry: HistoryEntry) -> SaveStatus:
    """Return the ended save of the entry. It is not confirmed if its end is not on record."""
    result = entry.result or SaveResult(
        item=entry.item,
        verdict=Verdict.NOT_CONFIRMED,
        steps=entry.steps,
        others=entry.others,
        before=entry.before,
        after=None,
        started_at=entry.started_at,
        ended_at=entry.started_at,
        message=_LOST_END,
        advice=_LOST_END_ADVICE,
    )
    total = len(result.steps)
    return SaveStatus(entry.request, SaveState.ENDED, total, total, result)
