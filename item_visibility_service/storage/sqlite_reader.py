"""The reader of an SQLite file. It asks the driver: through SQLAlchemy a read takes six times as long."""

import threading

from sqlalchemy import Engine

from item_visibility_service.http.accepted_ids import Item

_READ = """
    SELECT recipient_id FROM visibility WHERE supplier = ? AND supplier_item_id = ? ORDER BY recipient_id
"""


class SqliteReader:
    """One connection of the engine that only reads. Safe from any thread; raises sqlite3.OperationalError."""

    def __init__(self, engine: Engine) -> None:
        self._lock = threading.Lock()
        self._pooled = engine.raw_connection()  # held, so that the pool lends it to nobody else
        self._read = self._pooled.cursor().execute

    def recipients(self, item: Item) -> tuple[str, ...]:
        """Return all recipients that can see the item, sorted. Note N10."""
        with self._lock:
            rows = self._read(_READ, (item.supplier, item.supplier_item_id)).fetchall()
        return tuple([recipient_id for (recipient_id,) in rows])

    def close(self) -> None:
        """Give the connection back to its pool."""
        self._pooled.close()
