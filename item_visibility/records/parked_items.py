"""The recipients of parked items, as they were just before, so that they can be restored."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, select, update

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.row_values import (
    item_digest,
    item_values,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.records.database.tables import parked_item
from item_visibility.records.database.upsert import insert_new


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedItem:
    """The recipients that one save took away, and the person who parked the item.

    `key` is the key of that save. While `settled_at` is None the save has not ended, and
    `recipients` are those that it was to take away. `restored_at` is the time when they, or some of
    them, were restored.
    """

    key: str
    item: ItemKey
    recipients: frozenset[str]
    parked_at: datetime
    parked_by: str
    note: str = ""
    settled_at: datetime | None = None
    restored_at: datetime | None = None


class Parks:
    """The parked items of one service."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def put(self, parked: ParkedItem) -> None:
        """Save the snapshot; an existing one with this key stays as it is."""
        item = {**item_values(parked.item), "item_digest": item_digest(parked.item)}
        row = {"service": self._service, **item, **values_of(parked, parked_item)}
        with self._database.write() as connection:
            connection.execute(insert_new(connection, parked_item).values(row))

    def settle(self, key: str, taken_away: frozenset[str], *, settled_at: datetime) -> None:
        """Record the recipients that the save took away; if there are none, nothing was parked."""
        is_open = and_(self._is(key), parked_item.c.settled_at.is_(None))
        settled = update(parked_item).values(recipients=taken_away, settled_at=settled_at)
        self._database.change((settled if taken_away else delete(parked_item)).where(is_open))

    def mark_restored(self, key: str, *, restored_at: datetime) -> None:
        """Record that recipients of this snapshot were restored."""
        self._database.change(update(parked_item).where(self._is(key)).values(restored_at=restored_at))

    def parked(self, key: str) -> ParkedItem | None:
        """Return the snapshot of the save with this key; None when there is none."""
        found = self._find(self._is(key), limit=1)
        return found[0] if found else None

    def latest_of(self, item: ItemKey) -> ParkedItem | None:
        """Return the item's newest snapshot that was not restored yet; None when there is none."""
        is_item = parked_item.c.item_digest == item_digest(item)
        is_parked = and_(parked_item.c.restored_at.is_(None), parked_item.c.settled_at.is_not(None))
        found = self._find(and_(is_item, is_parked), limit=1)
        return found[0] if found else None

    def latest(self, *, limit: int) -> tuple[ParkedItem, ...]:
        """Return the snapshots of saves that ended: those not restored first, then the newest."""
        return self._find(parked_item.c.settled_at.is_not(None), limit=limit)

    def unsettled(self, *, limit: int) -> tuple[ParkedItem, ...]:
        """Return the snapshots of saves that have not ended, or whose end was not recorded."""
        return self._find(parked_item.c.settled_at.is_(None), limit=limit)

    def _find(self, is_wanted: ColumnElement[bool], *, limit: int) -> tuple[ParkedItem, ...]:
        order = (parked_item.c.restored_at.is_not(None), parked_item.c.parked_at.desc(), parked_item.c.key)
        are_here = parked_item.c.service == self._service
        query = select(parked_item).where(are_here, is_wanted).order_by(*order).limit(limit)
        rows = self._database.rows(query)
        return tuple(read_value(ParkedItem, parked_item, row, item=read_item_key(row)) for row in rows)

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(parked_item.c.service == self._service, parked_item.c.key == key)
