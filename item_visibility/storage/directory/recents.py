"""The items that a person used last."""

from datetime import datetime

from sqlalchemy import Select, select

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.row_values import item_digest, item_values, read_item_key
from item_visibility.storage.database.tables import recent_item


class RecentItems:
    """The items that each person used at one service, with times."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def remember_use(self, *, person: str, item: ItemKey, used_at: datetime) -> None:
        """Record that the person used this item at this time. One row for each item, however often."""
        row = item_values(item) | {"item_digest": item_digest(item), "person": person, "used_at": used_at}
        self._database.put(recent_item, row | {"service": self._service})

    def newest(self) -> ItemKey | None:
        """Return the item that anybody used last; None when nobody used one."""
        row = self._database.row(self._newest_first())
        return None if row is None else read_item_key(row)

    def latest(self, person: str, *, limit: int) -> tuple[ItemKey, ...]:
        """Return the items that the person used last, newest first."""
        query = self._newest_first().where(recent_item.c.person == person).limit(limit)
        return tuple(map(read_item_key, self._database.rows(query)))

    def _newest_first(self) -> Select[tuple[object, ...]]:
        return (
            select(recent_item)
            .where(recent_item.c.service == self._service)
            .order_by(recent_item.c.used_at.desc(), recent_item.c.item_digest)
        )
