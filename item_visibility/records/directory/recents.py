"""The items that a person used last."""

from datetime import datetime

from sqlalchemy import select

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.tables import recent_item
from item_visibility.records.ground.types import digest
from item_visibility.records.ground.upsert import insert_or_update


class RecentItems:
    """The items that each person used at one service, with times."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def remember_use(self, *, person: str, item: ItemKey, used_at: datetime) -> None:
        """Record that the person used this item at this time. One row for each item, however often."""
        row = {
            "service": self._service,
            "person": person,
            "item_digest": digest(item.supplier, item.supplier_item_id),
            "supplier": item.supplier,
            "supplier_item_id": item.supplier_item_id,
            "used_at": used_at,
        }
        with self._database.write() as connection:
            connection.execute(insert_or_update(connection, recent_item), row)

    def newest(self) -> ItemKey | None:
        """Return the item that anybody used last; None when nobody used one."""
        query = (
            select(recent_item.c.supplier, recent_item.c.supplier_item_id)
            .where(recent_item.c.service == self._service)
            .order_by(recent_item.c.used_at.desc(), recent_item.c.item_digest)
            .limit(1)
        )
        with self._database.read() as connection:
            row = connection.execute(query).first()
        return None if row is None else ItemKey(row.supplier, row.supplier_item_id)

    def latest(self, person: str, *, limit: int) -> tuple[ItemKey, ...]:
        """Return the items that the person used last, newest first."""
        query = (
            select(recent_item.c.supplier, recent_item.c.supplier_item_id)
            .where(recent_item.c.service == self._service, recent_item.c.person == person)
            .order_by(recent_item.c.used_at.desc(), recent_item.c.item_digest)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(ItemKey(row.supplier, row.supplier_item_id) for row in connection.execute(query))
