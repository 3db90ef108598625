"""The history over time: who could see an item when, and how much was changed each week."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import HistoryFilter, HistorySearch, Mark

_ENTRIES = 500


@dataclass(frozen=True, slots=True)
class Span:
    """A period in which a recipient could see an item, as far as is on record.

    `since` is None if it began before the first entry. `until` is None if it still holds after the last.
    """

    recipient_id: str
    since: datetime | None
    until: datetime | None


@dataclass(frozen=True, slots=True)
class WeekCount:
    """The number of changes of one kind by one person in the week that begins on that Monday."""

    week: date
    kind: ChangeKind
    person: str
    changes: int


def entries_of(search: HistorySearch, item: ItemKey) -> tuple[HistoryEntry, ...]:
    """Return the last entries of one item, oldest first. Raises RecordsError."""
    wanted = HistoryFilter(supplier=item.supplier, supplier_item_id=item.supplier_item_id)
    return tuple(islice(search.all(wanted), _ENTRIES))[::-1]


def spans_of(entries: Iterable[HistoryEntry]) -> tuple[Span, ...]:
    """Return who could see the item when, from its entries, oldest first. Order: recipient, then time."""
    spans: list[Span] = []
    seen: dict[str, datetime | None] | None = None
    for entry in entries:
        reads = [(entry.request.base, entry.started_at)]
        reads += [(entry.result.after, entry.result.ended_at)] if entry.result else []
        for recipients, at in reads:
            if recipients is None:
                continue
            if seen is None:
                seen = dict.fromkeys(recipients)
            spans += [Span(gone, seen.pop(gone), at) for gone in seen.keys() - recipients]
            seen |= dict.fromkeys(recipients - seen.keys(), at)
    spans += [Span(recipient_id, since, None) for recipient_id, since in (seen or {}).items()]
    earliest = datetime.min.replace(tzinfo=UTC)
    return tuple(sorted(spans, key=lambda span: (span.recipient_id, span.since or earliest)))


def count_weeks(marks: Iterable[Mark], *, zone: tzinfo) -> tuple[WeekCount, ...]:
    """Count the changes of each calendar week in that time zone, oldest week first."""
    counts = Counter((_monday(mark.at, zone), mark.kind, mark.person) for mark in marks)
    return tuple(WeekCount(*which, changes) for which, changes in sorted(counts.items()))


def _monday(at: datetime, zone: tzinfo) -> date:
    day = at.astimezone(zone).date()
    return day - timedelta(days=day.weekday())
