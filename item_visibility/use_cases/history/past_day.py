"""Who could see an item on a day, as far as the history knows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.storage.history.search import HistoryFilter, HistorySearch


@dataclass(frozen=True, slots=True)
class Span:
    """A period in which a recipient could see an item, as far as is on record.

    `since` is None if it began before the first reading, `until` if it had not ended at the last one.
    """

    recipient_id: str
    since: datetime | None
    until: datetime | None


@dataclass(frozen=True, slots=True)
class PastDay:
    """The spans of a day, and the time of the last reading before its end."""

    spans: tuple[Span, ...]
    read_at: datetime


def day_of_item(search: HistorySearch, item: ItemKey, *, start: datetime, end: datetime) -> PastDay | None:
    """Return who could see the item between the two times; None if nothing was read before `end`.

    Raises RecordsError.
    """
    wanted = HistoryFilter(supplier=item.supplier, supplier_item_id=item.supplier_item_id, until=end)
    readings: list[tuple[datetime, frozenset[str]]] = []
    for entry in search.all(wanted):
        readings += reversed([one for one in _readings(entry) if one[0] < end])
        if readings and readings[-1][0] <= start:
            break  # what was true at the start is known
    if not readings:
        return None
    spans = [one for one in spans_of(reversed(readings)) if one.until is None or one.until > start]
    return PastDay(tuple(spans), readings[0][0])


def spans_of(readings: Iterable[tuple[datetime, frozenset[str]]]) -> tuple[Span, ...]:
    """Return who could see the item when, from lists with the times they were read, oldest first."""
    spans: list[Span] = []
    seen: dict[str, datetime | None] | None = None
    for at, recipients in readings:
        if seen is None:
            seen = dict.fromkeys(recipients)
        spans += [Span(gone, seen.pop(gone), at) for gone in sorted(seen.keys() - recipients)]
        seen |= dict.fromkeys(recipients - seen.keys(), at)
    return (*spans, *(Span(one, since, None) for one, since in sorted((seen or {}).items())))


def _readings(entry: HistoryEntry) -> list[tuple[datetime, frozenset[str]]]:
    """Return the lists of an entry with the times they were read, oldest first."""
    after, ended_at = (entry.result.after, entry.result.ended_at) if entry.result else (None, None)
    lists = ((entry.started_at, entry.request.base), (ended_at, after))
    return [(at, recipients) for at, recipients in lists if at is not None and recipients is not None]
