"""End dates: set by a person, and applied by a person or `apply --due` once their last day is over."""

from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.end_date import EndDate, utc_day
from item_visibility.changes.request import SaveRequest
from item_visibility.desk.bulk.jobs import BulkDesk
from item_visibility.errors import EndDateError
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.people.person import Role
from item_visibility.records.fallback import or_else
from item_visibility.records.service_records import ServiceRecords
from item_visibility.settings.values import Environment

__all__ = ["EndDate", "EndDateDesk"]

_REASON = "The end date has come."
_NOTHING = "No end date has come."


class EndDateDesk:
    """The end dates of one environment. They are ours, and the service knows nothing of them.

    Methods that set them raise EndDateError, ReadOnlyError, RecordsError, SignInError and RoleError.
    """

    def __init__(
        self,
        environment: Environment,
        records: ServiceRecords,
        *,
        bulk: BulkDesk,
        doorkeeper: Doorkeeper,
        clock: Callable[[], datetime],
    ) -> None:
        self._environment = environment
        self._dates = records.end_dates
        self._bulk = bulk
        self._doorkeeper = doorkeeper
        self._clock = clock

    @property
    def today(self) -> date:
        """The day that it is now, in UTC: the earliest end date that can be set."""
        return utc_day(self._clock())

    def set(self, item: ItemKey, recipients: Collection[str], last_day: date) -> None:
        """Set the last day of these recipients, who can see the item. Nothing is sent."""
        self._environment.refuse_when_read_only()
        person = self._doorkeeper.admit(Role.EDITOR)
        self._refuse_past(last_day)
        now = self._clock()
        self._dates.put(
            (
                EndDate(item=item, recipient_id=one, last_day=last_day, set_by=person.name, set_at=now)
                for one in recipients
            ),
            set_by_key=person.key,
        )

    def remove(self, item: ItemKey, recipients: Collection[str]) -> int:
        """Remove the end dates of these recipients, and return how many there were. Nothing is sent."""
        self._environment.refuse_when_read_only()
        self._doorkeeper.admit(Role.EDITOR)
        return self._dates.remove(item, recipients)

    def plan(self, request: SaveRequest) -> None:
        """Keep the last day of those that this save is to add. If this raises, do not begin it.

        It counts for those that the save adds, from then on.
        """
        if request.last_day is not None:
            self._refuse_past(request.last_day)
        self._dates.plan(
            (
                EndDate(
                    item=request.item,
                    recipient_id=one,
                    last_day=request.last_day,
                    set_by=request.person,
                    set_at=self._clock(),
                )
                for one in sorted(request.add)
                if request.last_day is not None
            ),
            set_by_key=request.person_key,
            save_key=request.key,
        )

    def of_item(self, item: ItemKey) -> tuple[EndDate, ...]:
        """Return the item's end dates, the first day first. Raises RecordsError."""
        return self._dates.of_item(item)

    def count_due(self) -> int:
        """Return how many end dates have come; 0 when our own database cannot be used."""
        return or_else(0, lambda: self._dates.count_before(self.today))

    def due(self, *, limit: int | None = None) -> tuple[EndDate, ...]:
        """Return the end dates that have come, the first day first. Raises RecordsError."""
        return self._dates.before(self.today, limit=limit)

    def preview_due(self) -> str:
        """Start a job that reads all items whose end dates have come, and return its key.

        Nothing is sent before it is applied. Raises BulkError when no end date has come.
        """
        self._doorkeeper.admit(Role.EDITOR)
        return self._bulk.start_preview(
            removals(self.due()),
            title=f"End dates before {self.today.isoformat()}",
            reason=_REASON,
            is_of_end_dates=True,
            nothing=_NOTHING,
        )

    def _refuse_past(self, last_day: date) -> None:
        if last_day < self.today:
            raise EndDateError(
                f"The end date {last_day.isoformat()} is over already, in UTC.",
                advice="Nothing was changed. Choose today or a later day, or remove the recipient now.",
            )


def removals(due: Sequence[EndDate]) -> tuple[BulkItem, ...]:
    """Return what a job takes away: item by item, exactly the recipients whose end dates these are."""
    by_item: dict[ItemKey, set[str]] = {}
    for one in due:
        by_item.setdefault(one.item, set()).add(one.recipient_id)
    return tuple(BulkItem(item=item, remove=frozenset(ids)) for item, ids in by_item.items())
