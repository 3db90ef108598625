"""The recipients of parked items, as they were just before, so that they can be restored."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, and_, delete, select, update

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.tables import parked_item
from item_visibility.records.ground.types import digest
from item_visibility.records.ground.upsert import insert_new


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
        row = {
            "service": self._service,
            "key": parked.key,
            "supplier": parked.item.supplier,
            "supplier_item_id": parked.item.supplier_item_id,
            "item_digest": digest(parked.item.supplier, parked.item.supplier_item_id),
            "recipients": parked.recipients,
            "parked_at": parked.parked_at,
            "parked_by": parked.parked_by,
            "settled_at": parked.settled_at,
            "restored_at": parked.restored_at,
            "note": parked.note,
        }
        with self._database.write() as connection:
            connection.execute(insert_new(connection, parked_item).values(row))

    def settle(self, key: str, taken_away: frozenset[str], *, settled_at: datetime) -> None:
        """Record the recipients that the save took away; if there are none, nothing was parked."""
        is_open = and_(self._is(key), parked_item.c.settled_at.is_(None))
        with self._database.write() as connection:
            if taken_away:
                values = {"recipients": taken_away, "settled_at": settled_at}
                connection.execute(update(parked_item).where(is_open).values(values))
            else:
                connection.execute(delete(parked_item).where(is_open))

    def mark_restored(self, key: str, *, restored_at: datetime) -> None:
        """Record that recipients of this snapshot were restored."""
        with self._database.write() as connection:
            connection.execute(update(parked_item).where(self._is(key)).values(restored_at=restored_at))

    def parked(self, key: str) -> ParkedItem | None:
        """Return the snapshot of the save with this key; None when there is none."""
        found = self._find(self._is(key), limit=1)
        return found[0] if found else None

    def latest_of(self, item: ItemKey) -> ParkedItem | None:
        """Return the item's newest snapshot that was not restored yet; None when there is none."""
        is_item = parked_item.c.item_digest == digest(item.supplier, item.supplier_item_id)
        is_open = parked_item.c.restored_at.is_(None)
        found = self._find(and_(is_item, is_open, parked_item.c.settled_at.is_not(None)), limit=1)
        return found[0] if found else None

    def latest(self, *, limit: int) -> tuple[ParkedItem, ...]:
        """Return the snapshots of saves that ended: those not restored first, then the newest."""
        return self._find(parked_item.c.settled_at.is_not(None), limit=limit)

    def unsettled(self, *, limit: int) -> tuple[ParkedItem, ...]:
        """Return the snapshots of saves that have not ended, or whose end was not recorded."""
        return self._find(parked_item.c.settled_at.is_(None), limit=limit)

    def _find(self, is_wanted: ColumnElement[bool], *, limit: int) -> tuple[ParkedItem, ...]:
        query = (
            select(parked_item)
            .where(parked_item.c.service == self._service, is_wanted)
            .order_by(
                parked_item.c.restored_at.is_not(None), parked_item.c.parked_at.desc(), parked_item.c.key
            )
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(_read(row) for row in connection.execute(query))

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(parked_item.c.service == self._service, parked_item.c.key == key)


def _read(row: Row[tuple[object, ...]]) -> ParkedItem:
    return ParkedItem(
        key=row.key,
        item=ItemKey(row.supplier, row.supplier_item_id),
        recipients=row.recipients,
        parked_at=row.parked_at,
        parked_by=row.parked_by,
        note=row.note,
        settled_at=row.settled_at,
        restored_at=row.restored_at,
    )
