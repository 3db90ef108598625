"""The items that each person used last."""

from datetime import datetime

import sqlalchemy as sa

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database import Database
from item_visibility.storage.rows import item_values, read_item_key
from item_visibility.storage.schema import recent_item


class RecentItems:
    """The items that each person used at one service."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def remember_use(self, *, person: str, item: ItemKey, used_at: datetime) -> None:
        """Record that the person used this item at this time."""
        row = item_values(self._service, item) | {"person": person, "used_at": used_at}
        self._database.put(recent_item, row)

    def latest(self, person: str | None, *, limit: int) -> tuple[ItemKey, ...]:
        """Return the items that this person or, for None, everybody used last.

        The newest comes first.
        """
        query = sa.select(recent_item).where(recent_item.c.service == self._service)
        if person is not None:
            query = query.where(recent_item.c.person == person)
        query = query.order_by(recent_item.c.used_at.desc(), recent_item.c.item_digest)
        rows = self._database.rows(query.limit(limit))
        return tuple(read_item_key(row) for row in rows)
