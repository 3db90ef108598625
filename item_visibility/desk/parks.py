"""Parking an item: an ordinary save removes every recipient, and they can be restored later.

A snapshot is written before the save, and corrected when the save has ended. It then holds exactly the
recipients that the save removed, or may have removed. A save that removed nobody parked nothing.
"""

from collections.abc import Callable
from datetime import datetime

from item_visibility.changes.draft import Draft
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.outcome import SaveResult, StepOutcome
from item_visibility.changes.plan import Goal, recipients_of
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin, SaveRequest
from item_visibility.records.fallback import or_else
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.parked_items import ParkedItem, Parks

__all__ = ["ParkDesk", "ParkedItem", "with_everybody_parked", "with_restored"]

_GONE_PERHAPS = frozenset({StepOutcome.DONE, StepOutcome.UNKNOWN})
_LOOKED_AFTER = 100


class ParkDesk:
    """The parked items of one environment."""

    def __init__(self, parks: Parks, history: History, *, clock: Callable[[], datetime]) -> None:
        self._parks = parks
        self._history = history
        self._clock = clock

    def snapshot(self, request: SaveRequest) -> None:
        """Record the recipients that a save is to remove, before it begins. If this raises, do not begin it.

        Raises RecordsError.
        """
        self._parks.put(
            ParkedItem(
                key=request.key,
                item=request.item,
                recipients=request.remove,
                parked_at=self._clock(),
                parked_by=request.person,
                note=request.reason,
            )
        )

    def settle(self, request: SaveRequest, result: SaveResult) -> None:
        """Update a snapshot with a save's outcome: parked, restored, or neither."""
        if request.origin.kind is ChangeKind.PARK:
            gone = _gone_perhaps(result)
            or_else(None, lambda: self._parks.settle(request.key, gone, settled_at=result.ended_at))
        key = request.origin.restored_from
        if key is not None and result.added:
            or_else(None, lambda: self._parks.mark_restored(key, restored_at=result.ended_at))

    def latest(self, *, limit: int = 20) -> tuple[ParkedItem, ...]:
        """Return the parked items: those not restored first, then the newest. Raises RecordsError."""
        self._settle_ended()
        return self._parks.latest(limit=limit)

    def _settle_ended(self) -> None:
        """Correct the snapshots of saves whose end is only in the history, because of a crash in between."""
        for parked in or_else((), lambda: self._parks.unsettled(limit=_LOOKED_AFTER)):
            entry = self._entry(parked.key)
            if entry is not None and entry.result is not None:
                self.settle(entry.request, entry.result)

    def _entry(self, key: str) -> HistoryEntry | None:
        return or_else(None, lambda: self._history.entry(key))


def with_everybody_parked(draft: Draft) -> Draft:
    """Return the draft with all recipients on the list staged for removal. Nothing is sent."""
    everybody = dict.fromkeys(draft.recipients, False)
    return draft.discarded().with_staged(everybody, origin=Origin(kind=ChangeKind.PARK))


def with_restored(draft: Draft, parked: ParkedItem) -> Draft:
    """Return the draft, of any item, with the parked recipients staged to be added. Nothing is sent."""
    origin = Origin(kind=ChangeKind.RESTORE, restored_from=parked.key)
    is_a_restore = draft.is_empty or draft.origin == origin
    everybody = dict.fromkeys(parked.recipients, True)
    return draft.with_staged(everybody, origin=origin if is_a_restore else BY_HAND)


def _gone_perhaps(result: SaveResult) -> frozenset[str]:
    changed = (one.step for one in result.steps if one.outcome in _GONE_PERHAPS)
    return recipients_of(changed, Goal.NOT_VISIBLE)
