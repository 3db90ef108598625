"""The recipients of each of many items, and since when they are known."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, func, select

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.columns import AnyRow, item_digest, read_item_key
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_item
from item_visibility.storage.history.tables import recipient_list, seen_list
from item_visibility.storage.scans.scan_tables import failed_read
from item_visibility.storage.scans.stored_scans import is_known_item

_AT_ONCE = 500
"""The limit of lists fetched at once: of 100,000 items they may hold millions of ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenItem:
    """A known item, with the list that a read or a save showed last.

    `recipients` and `seen_at` are None when it was never read: that is not an empty list. Recipients in
    `unsure` are those whose last change has an unknown outcome. `failure` says why a read failed since then.
    """

    item: ItemKey
    name: str
    market: str
    recipients: frozenset[str] | None
    seen_at: datetime | None
    unsure: frozenset[str] = frozenset()
    failure: str = ""


class SeenItems:
    """The known items of one service, each with what was seen of it. `supplier` is None for all."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def all(
        self, supplier: str | None = None, *, among: frozenset[str] | None = None
    ) -> tuple[SeenItem, ...]:
        """Return the known items, by id; `among` limits the lists to these recipients.

        Each distinct list is read once, however many items have it.
        """
        columns = ("supplier", "supplier_item_id", "name", "market")
        query: Select[tuple[object, ...]] = (
            select(
                *(known_item.c[name] for name in columns),
                *(seen_list.c.list_digest, seen_list.c.seen_at, seen_list.c.unsure),
                *(failed_read.c.reason, failed_read.c.failed_at),
            )
            .join(seen_list, _is_same_item(seen_list), isouter=True)
            .join(failed_read, _is_same_item(failed_read), isouter=True)
            .where(is_known_item(self._service, supplier))
            .order_by(known_item.c.supplier, known_item.c.supplier_item_id)
        )
        with self._database.read() as connection:
            lists = self._lists(connection, supplier, among=among)
            return tuple(_seen_item(row, lists) for row in connection.execute(query))

    def count(self, supplier: str | None = None) -> Counter[str]:
        """Return on how many of the known items each recipient was seen last."""
        query = (
            select(recipient_list.c.recipients, func.count().label("items"))
            .join(seen_list, seen_list.c.list_digest == recipient_list.c.digest)
            .join(known_item, _is_same_item(seen_list))
            .where(is_known_item(self._service, supplier))
            .group_by(recipient_list.c.digest)
        )
        counts = Counter[str]()
        with self._database.read() as connection:
            for row in connection.execute(query.execution_options(yield_per=_AT_ONCE)):
                for recipient_id in row.recipients:
                    counts[recipient_id] += row.items
        return counts

    def sizes(self, items: Collection[ItemKey]) -> dict[ItemKey, int]:
        """Return how many recipients each of a few items had when it was read last."""
        digests = [item_digest(item) for item in items]
        columns = (seen_list.c.supplier, seen_list.c.supplier_item_id, recipient_list.c.recipients)
        query: Select[tuple[object, ...]] = (
            select(*columns)
            .join(recipient_list, seen_list.c.list_digest == recipient_list.c.digest)
            .where(seen_list.c.service == self._service, seen_list.c.item_digest.in_(digests))
        )
        with self._database.read() as connection:
            return {read_item_key(row): len(row.recipients) for row in connection.execute(query)}

    def _lists(
        self, connection: Connection, supplier: str | None, *, among: frozenset[str] | None
    ) -> Mapping[str, frozenset[str]]:
        """Return the lists of the items by digest; equal lists are the same object."""
        digests = (
            select(seen_list.c.list_digest)
            .join(known_item, _is_same_item(seen_list))
            .where(is_known_item(self._service, supplier))
        )
        query = select(recipient_list.c.digest, recipient_list.c.recipients)
        lists: dict[str, frozenset[str]] = {}
        equal: dict[frozenset[str], frozenset[str]] = {}
        wanted = query.where(recipient_list.c.digest.in_(digests))
        for row in connection.execute(wanted.execution_options(yield_per=_AT_ONCE)):
            recipients = row.recipients if among is None else row.recipients & among
            lists[row.digest] = equal.setdefault(recipients, recipients)
        return lists


def _is_same_item(table: Table) -> ColumnElement[bool]:
    return and_(table.c.service == known_item.c.service, table.c.item_digest == known_item.c.digest)


def _seen_item(row: AnyRow, lists: Mapping[str, frozenset[str]]) -> SeenItem:
    has_failed = row.failed_at is not None and (row.seen_at is None or row.failed_at > row.seen_at)
    return SeenItem(
        item=read_item_key(row),
        name=row.name,
        market=row.market,
        recipients=None if row.list_digest is None else lists[row.list_digest],
        seen_at=row.seen_at,
        unsure=row.unsure or frozenset(),
        failure=row.reason if has_failed else "",
    )
