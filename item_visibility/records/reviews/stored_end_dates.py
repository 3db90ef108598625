"""End dates: set, looked up, and those that have come. The history ends them: see `changes_followed`."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime

from sqlalchemy import ColumnElement, and_, delete, func, select, update

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.end_date import EndDate, utc_day
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.row_values import (
    AnyRow,
    item_digest,
    item_values,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.records.database.types import digest
from item_visibility.records.database.upsert import insert_or_update, pieces
from item_visibility.records.history.sightings import Sighting
from item_visibility.records.reviews.review_tables import end_date
from item_visibility.timings_and_retries import LAGGING_REPLICA

_PIECE = 500


class EndDates:
    """The end dates of one service. One that is over stays on record, and counts no more."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def put(self, dates: Iterable[EndDate], *, set_by_key: str) -> None:
        """Save end dates that count from now on, replacing earlier ones of the same recipients."""
        rows = [self._row(one, set_by_key=set_by_key) for one in dates]
        with self._database.write() as connection:
            for some in pieces(rows, _PIECE):
                connection.execute(insert_or_update(connection, end_date), some)

    def plan(self, dates: Iterable[EndDate], *, set_by_key: str, save_key: str) -> None:
        """Save end dates that count once the save with this key has added their recipients.

        Replaces what was planned with that key before; without dates, nothing is planned with it any more.
        """
        rows = [self._row(one, set_by_key=set_by_key) | {"save_key": save_key} for one in dates]
        is_planned = and_(self._is_here(), end_date.c.save_key == save_key)
        if not rows and self._database.row(select(end_date.c.save_key).where(is_planned)) is None:
            return
        with self._database.write() as connection:
            connection.execute(delete(end_date).where(is_planned))
            for some in pieces(rows, _PIECE):
                connection.execute(insert_or_update(connection, end_date), some)

    def remove(self, item: ItemKey, recipients: Collection[str]) -> int:
        """Remove the end dates of these recipients; return how many there were."""
        digests = map(digest, recipients)
        return sum(
            self._database.change(
                delete(end_date).where(self._counts(), _is_of(item), end_date.c.recipient_digest.in_(some))
            )
            for some in pieces(digests, _PIECE)
        )

    def of_item(self, item: ItemKey) -> tuple[EndDate, ...]:
        """Return the item's end dates, the first day first."""
        return self._find(_is_of(item))

    def due_of(self, item: ItemKey, day: date) -> frozenset[str]:
        """Return the recipients of the item whose last day is before this day."""
        return frozenset(one.recipient_id for one in self._find(_is_of(item), _is_before(day)))

    def count_before(self, day: date) -> int:
        """Count the end dates whose last day is before this day."""
        with self._database.read() as connection:
            return connection.scalar(select(func.count()).where(self._counts(), _is_before(day))) or 0

    def before(self, day: date, *, limit: int | None = None) -> tuple[EndDate, ...]:
        """Return the end dates whose last day is before this day, the first day first."""
        return self._find(_is_before(day), limit=limit)

    def ended_since(self, at: datetime) -> bool:
        """True when an end date ended then or later: its recipient was taken away, or added anew."""
        query = select(end_date.c.over_at).where(self._is_here(), end_date.c.over_at >= at)
        return self._database.row(query.limit(1)) is not None

    def note_reads(self, sightings: Sequence[Sighting]) -> None:
        """End those that have come, if a read no longer shows their recipient: nothing is left to remove."""
        for some in pieces(sightings, _PIECE):
            seen = {item_digest(one.item): one for one in some}
            day = max(utc_day(one.seen_at) for one in some)
            is_due = and_(self._counts(), _is_before(day), end_date.c.item_digest.in_(seen))
            for row in self._database.rows(select(end_date).where(is_due)):
                if _is_gone(row, one := seen[row.item_digest]):
                    is_it = and_(
                        self._counts(),
                        _is_of(one.item),
                        end_date.c.recipient_digest == row.recipient_digest,
                        end_date.c.set_at == row.set_at,  # and not anew meanwhile
                    )
                    self._database.change(update(end_date).where(is_it).values(over_at=one.seen_at))

    def _find(self, *are_wanted: ColumnElement[bool], limit: int | None = None) -> tuple[EndDate, ...]:
        columns = ("last_day", "supplier", "supplier_item_id", "recipient_id")
        in_order = select(end_date).order_by(*(end_date.c[name] for name in columns))
        rows = self._database.rows(in_order.where(self._counts(), *are_wanted).limit(limit))
        return tuple(read_value(EndDate, end_date, row, item=read_item_key(row)) for row in rows)

    def _row(self, one: EndDate, *, set_by_key: str) -> dict[str, object]:
        return {
            **values_of(one, end_date),
            **item_values(one.item),
            "service": self._service,
            "item_digest": item_digest(one.item),
            "recipient_digest": digest(one.recipient_id),
            "set_by_key": set_by_key,
            "save_key": "",
            "over_at": None,
        }

    def _counts(self) -> ColumnElement[bool]:
        return and_(self._is_here(), end_date.c.save_key == "", end_date.c.over_at.is_(None))

    def _is_here(self) -> ColumnElement[bool]:
        return end_date.c.service == self._service


def _is_of(item: ItemKey) -> ColumnElement[bool]:
    return end_date.c.item_digest == item_digest(item)


def _is_before(day: date) -> ColumnElement[bool]:
    return end_date.c.last_day < day


def _is_gone(row: AnyRow, read: Sighting) -> bool:
    """True when the read no longer shows the recipient, and is so late that no replica lags behind."""
    is_late = read.asked_at >= row.set_at + LAGGING_REPLICA
    return bool(is_late and row.recipient_id not in read.recipients)
