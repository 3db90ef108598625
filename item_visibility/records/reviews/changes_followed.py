"""End dates follow the history: an addition begins a planned end date, a change ends it.

Each function is part of the transaction that records the change, so the two never disagree.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    or_,
    select,
    update,
)

from item_visibility.changes.outcome import StepOutcome
from item_visibility.changes.plan import Goal
from item_visibility.records.database.tables import history_step
from item_visibility.records.reviews.review_tables import end_date

_IS_HERE = end_date.c.service == bindparam("here")
_IS_STEP = history_step.c.history_id == bindparam("history_id")


def _is_changed() -> ColumnElement[bool]:
    """True for end dates whose recipient the entry took away or added again, after they were set."""
    since = end_date.c.set_at
    added_again = and_(
        history_step.c.goal == Goal.VISIBLE,
        history_step.c.outcome == StepOutcome.DONE,
        since < bindparam("started"),
    )
    gone = and_(
        history_step.c.goal == Goal.NOT_VISIBLE,
        history_step.c.outcome.in_((StepOutcome.DONE, StepOutcome.IN_PLACE)),
        since < bindparam("ended"),
    )
    is_one = history_step.c.recipient_digest == end_date.c.recipient_digest
    return and_(
        _IS_HERE,
        end_date.c.item_digest == bindparam("item"),
        exists().where(_IS_STEP, is_one, or_(added_again, gone)),
    )


_END = (
    update(end_date)
    .where(end_date.c.save_key == "", end_date.c.over_at.is_(None), _is_changed())
    .values(over_at=bindparam("ended"))
)

_CONCERNS = select(exists().where(_IS_HERE, end_date.c.item_digest == bindparam("item")))

_ADDED = select(history_step.c.recipient_digest).where(
    _IS_STEP,
    history_step.c.goal == Goal.VISIBLE,
    history_step.c.outcome.in_((StepOutcome.DONE, StepOutcome.UNKNOWN)),
)
_IS_PLANNED = and_(_IS_HERE, end_date.c.save_key == bindparam("key"))
_PLANNED = select(end_date.c.recipient_digest).where(_IS_PLANNED)
_DROP_EARLIER = delete(end_date).where(
    _IS_HERE,
    end_date.c.item_digest == bindparam("item"),
    end_date.c.save_key == "",
    end_date.c.recipient_digest.in_(_PLANNED),
    end_date.c.recipient_digest.in_(_ADDED),
)
_BEGIN = (
    update(end_date)
    .where(_IS_PLANNED, end_date.c.recipient_digest.in_(_ADDED))
    .values(save_key="", set_at=bindparam("ended"))
)
_DROP_REST = delete(end_date).where(_IS_PLANNED)


@dataclass(frozen=True, slots=True)
class EntryOfItem:
    """An entry of the history that was just recorded, by its row, with the item that it changed."""

    service: str
    item_digest: str
    history_id: int

    @property
    def columns(self) -> dict[str, object]:
        """The values by which the statements find it."""
        return {"here": self.service, "item": self.item_digest, "history_id": self.history_id}


def follow_change(
    connection: Connection, entry: EntryOfItem, *, started_at: datetime, ended_at: datetime, key: str = ""
) -> None:
    """End the end dates whose recipients this entry took away or added again.

    With the key of a save, let the end dates that were planned with it count for those that it added, or may
    have added. Most items have none, so that one look is enough.
    """
    if not connection.scalar(_CONCERNS, entry.columns):
        return
    changed = entry.columns | {"started": started_at, "ended": ended_at}
    connection.execute(_END, changed)
    planned = entry.columns | {"key": key}
    if key and connection.execute(_PLANNED, planned).first() is not None:
        connection.execute(_DROP_EARLIER, planned)
        connection.execute(_BEGIN, planned | {"ended": ended_at})
        connection.execute(_DROP_REST, planned)
