"""An end date of ours: the last day on which a recipient is to see an item. The service knows none."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from item_visibility.api.identifiers import ItemKey


@dataclass(frozen=True, slots=True, kw_only=True)
class EndDate:
    """The last day of one visibility, with the person who set it.

    It belongs to one addition: once a recorded change takes the recipient away or adds it again, it is over.
    A day ends at midnight UTC. Nothing is removed by it: a person or `apply --due` does that.
    """

    item: ItemKey
    recipient_id: str
    last_day: date
    set_by: str
    set_at: datetime


def utc_day(at: datetime) -> date:
    """Return the day of a moment, in UTC."""
    return at.astimezone(UTC).date()
