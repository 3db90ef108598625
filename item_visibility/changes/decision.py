"""The decisions of a review: who keeps an item and who does not, and when the item is looked at again."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from item_visibility.api.identifiers import ItemKey


class KeepOrRemove(StrEnum):
    """The decision of a person about one recipient of one item."""

    KEEP = "keep"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision, with who made it and when. Nothing is removed by it."""

    item: ItemKey
    recipient_id: str
    choice: KeepOrRemove
    reason: str
    decided_by: str
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NextReview:
    """The day, in UTC, from which an item is to be looked at again, and who set it."""

    item: ItemKey
    review_on: date
    set_by: str
    set_at: datetime
