"""The status of a recorded save, and who could see an item on a day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.outcome import HistoryEntry, SaveResult, Verdict
from item_visibility.saving.save import INTERRUPTED, LOOK_AGAIN
from item_visibility.saving.save_worker import SaveStatus
from item_visibility.storage.history import History, HistoryFilter

Span = tuple[datetime | None, datetime | None]


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

    spans: Mapping[str, Span]
    read_at: datetime


def day_of_item(
    history: History, item: ItemKey, *, start: datetime, end: datetime
) -> PastDay | None:
    """Return who could see the item between `start` and `end`.

    Returns None if it was not read before `end`.
    """
    readings = _readings(history, item, start=start, end=end)
    if not readings:
        return None

    # Follow the lists from the oldest to the newest.
    spans: dict[str, Span] = {}
    visible_since: dict[str, datetime | None] = dict.fromkeys(readings[-1][1])
    for read_at, recipients in reversed(readings):
        for recipient in visible_since.keys() - recipients:
            spans[recipient] = (visible_since.pop(recipient), read_at)
        for recipient in recipients - visible_since.keys():
            visible_since[recipient] = read_at
    for recipient, since in visible_since.items():
        spans[recipient] = (since, None)

    on_day = {
        recipient: (since, until)
        for recipient, (since, until) in spans.items()
        if until is None or until > start
    }
    return PastDay(on_day, readings[0][0])


def _readings(
    history: History, item: ItemKey, *, start: datetime, end: datetime
) -> list[tuple[datetime, frozenset[str]]]:
    """Return the lists read before `end`, newest first.

    The last one shows who could see the item at `start`, if there is such a list.
    """
    readings: list[tuple[datetime, frozenset[str]]] = []
    for entry in history.all(HistoryFilter(item=item, until=end)):
        lists = [(entry.started_at, entry.request.base)]
        if entry.result:
            lists.insert(0, (entry.result.ended_at, entry.result.after))
        readings += [
            (read_at, recipients)
            for read_at, recipients in lists
            if recipients is not None and read_at < end
        ]

        if readings and readings[-1][0] <= start:
            break
    return readings
