"""The status of a recorded save, and who could see an item on a day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import HistoryEntry, SaveResult, Verdict
from item_visibility.saving.save import INTERRUPTED, LOOK_AGAIN
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.storage.history import History, HistoryFilter


def status_of(entry: HistoryEntry) -> SaveStatus:
    """Return the status of a recorded save."""
    result = entry.result or SaveResult(
        item=entry.request.item,
        verdict=Verdict.NOT_CONFIRMED,
        steps=entry.steps,
        before=entry.request.base,
        started_at=entry.started_at,
        ended_at=entry.started_at,
        message=INTERRUPTED,
        advice=LOOK_AGAIN,
    )
    return SaveStatus(entry.request, result)


@dataclass(frozen=True, slots=True)
class PastDay:
    """Who could see an item on a day.

    `spans` maps each recipient to the start and the end of the time in which it could
    see the item. A start or end that is not known is None. `read_at` is the time of the
    last read before the end of the day.
    """

    spans: Mapping[str, tuple[datetime | None, datetime | None]]
    read_at: datetime


def day_of_item(
    history: History, item: ItemKey, *, start: datetime, end: datetime
) -> PastDay | None:
    """Return who could see the item between `start` and `end`.

    Returns None if it was not read before `end`.
    """
    wanted = HistoryFilter(item=item, until=end)
    readings: list[tuple[datetime, frozenset[str]]] = []
    for entry in history.all(wanted):
        at_end = [(entry.result.ended_at, entry.result.after)] if entry.result else []
        lists = [*at_end, (entry.started_at, entry.request.base)]
        readings += [
            (at, listed) for at, listed in lists if listed is not None and at < end
        ]
        if readings and readings[-1][0] <= start:
            break  # this list shows who could see the item at the start
    if not readings:
        return None
    spans: dict[str, tuple[datetime | None, datetime | None]] = {}
    seen: dict[str, datetime | None] = dict.fromkeys(readings[-1][1])
    for at, recipients in reversed(readings):
        spans |= {gone: (seen.pop(gone), at) for gone in seen.keys() - recipients}
        seen |= dict.fromkeys(recipients - seen.keys(), at)
    spans |= {one: (since, None) for one, since in seen.items()}
    on_day = {
        one: (since, until)
        for one, (since, until) in spans.items()
        if until is None or until > start
    }
    return PastDay(on_day, readings[0][0])
