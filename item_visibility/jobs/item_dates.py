"""The end dates of the items of jobs: those that have come, and those that a list sets."""

from collections.abc import Callable, Collection
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.end_date import EndDate, utc_day
from item_visibility.changes.job import Job
from item_visibility.records.reviews.stored_end_dates import EndDates


class ItemDates:
    """The end dates of one service, as jobs need them. Methods raise RecordsError."""

    def __init__(self, dates: EndDates, *, clock: Callable[[], datetime]) -> None:
        self._dates = dates
        self._clock = clock

    def due_of(self, item: ItemKey) -> Collection[str]:
        """Return the recipients of the item whose end dates have come: a job of these removes no others."""
        return self._dates.due_of(item, utc_day(self._clock()))

    def to_set(self, intent: BulkItem) -> frozenset[str]:
        """Return the recipients whose end date is not yet as the list says."""
        known = {one.recipient_id: one.last_day for one in self._dates.of_item(intent.item)}
        return frozenset(one for one, day in intent.until.items() if known.get(one) != day)

    def over(self, intent: BulkItem) -> frozenset[str]:
        """Return the recipients whose end date in the list is over by now."""
        today = utc_day(self._clock())
        return frozenset(one for one, day in intent.until.items() if day < today)

    def keep(self, job: Job, intent: BulkItem, recipients: Collection[str]) -> None:
        """Set the end dates that the list names for these recipients, who can see the item, or may."""
        now = self._clock()
        wanted = self.to_set(intent).intersection(recipients)
        if wanted:
            self._dates.put(
                (
                    EndDate(
                        item=intent.item,
                        recipient_id=one,
                        last_day=intent.until[one],
                        set_by=job.person,
                        set_at=now,
                    )
                    for one in sorted(wanted)
                ),
                set_by_key=job.person_key,
            )
