"""The suppliers, items and recipients that were used or imported, with names if known. Note N15."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, Row, Table, and_, not_, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.directory.find import (
    among,
    begins,
    holds,
    note_grams,
    perhaps,
    start_of,
    typed_name,
)
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.folding import folded
from item_visibility.records.ground.tables import known_item, known_recipient, known_supplier
from item_visibility.records.ground.types import digest
from item_visibility.records.ground.upsert import chunks, insert_new, insert_or_update


@dataclass(frozen=True, slots=True)
class KnownSupplier:
    """A supplier; the name is empty if it is not known."""

    supplier: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item; market and name are empty if they are not known."""

    item: ItemKey
    market: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class KnownRecipient:
    """A recipient; the name is empty if it is not known."""

    recipient_id: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """The table and columns of one kind of id, and their order."""

    table: Table
    ids: Column[str]
    starts: Column[str]


_SUPPLIERS = _Found(known_supplier, known_supplier.c.supplier, known_supplier.c.supplier_start)
_ITEMS = _Found(known_item, known_item.c.supplier_item_id, known_item.c.item_start)
_RECIPIENTS = _Found(known_recipient, known_recipient.c.recipient_id, known_recipient.c.recipient_start)


class Directory:
    """The known ids and names of one service. It helps to find ids; an unknown id is never called wrong.

    A search finds ids exactly as typed, those that begin with the text first. It finds names without
    regard to case and diacritics. An empty text finds the first ones.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def remember(self, item: ItemKey, recipients: Iterable[str] = ()) -> None:
        """Remember an item, its supplier and these recipients; names stay as they are."""
        self.remember_all([item], recipients)

    def remember_all(self, items: Collection[ItemKey], recipients: Iterable[str] = ()) -> None:
        """Remember all of these and the items' suppliers; names stay as they are."""
        suppliers = dict.fromkeys(item.supplier for item in items)
        self._add_new(known_supplier, [self._supplier_row(KnownSupplier(one)) for one in suppliers])
        self._add_new(known_item, [self._item_row(KnownItem(one)) for one in items])
        self._add_new(known_recipient, [self._recipient_row(KnownRecipient(one)) for one in recipients])

    def put_names(
        self,
        *,
        suppliers: Iterable[KnownSupplier] = (),
        items: Iterable[KnownItem] = (),
        recipients: Iterable[KnownRecipient] = (),
    ) -> None:
        """Save all of these with their names, replacing earlier values."""
        rows = {
            known_supplier: [self._supplier_row(known) for known in suppliers],
            known_item: [self._item_row(known) for known in items],
            known_recipient: [self._recipient_row(known) for known in recipients],
        }
        with self._database.write() as connection:
            for table, new in rows.items():
                if new:
                    note_grams(connection, table, new)
                    connection.execute(insert_or_update(connection, table), new)

    def find_suppliers(self, text: str, *, limit: int) -> tuple[KnownSupplier, ...]:
        """Return the known suppliers that match the text."""
        rows = self._find(_SUPPLIERS, text, limit=limit, keys={})
        return tuple(KnownSupplier(row.supplier, row.name) for row in rows)

    def find_items(self, supplier: str, text: str, *, limit: int) -> tuple[KnownItem, ...]:
        """Return the known items of one supplier that match the text."""
        keys = {known_item.c.supplier_start: start_of(supplier), known_item.c.supplier: supplier}
        rows = self._find(_ITEMS, text, limit=limit, keys=keys)
        return tuple(_item(row) for row in rows)

    def find_recipients(self, text: str, *, limit: int) -> tuple[KnownRecipient, ...]:
        """Return the known recipients that match the text."""
        rows = self._find(_RECIPIENTS, text, limit=limit, keys={})
        return tuple(KnownRecipient(row.recipient_id, row.name) for row in rows)

    def supplier(self, supplier: str) -> KnownSupplier | None:
        """Return exactly this supplier; None when it is not known."""
        row = self._row(known_supplier, {"digest": digest(supplier)})
        return None if row is None else KnownSupplier(row.supplier, row.name)

    def item(self, item: ItemKey) -> KnownItem | None:
        """Return exactly this item; None when it is not known."""
        row = self._row(known_item, _item_keys(item))
        return None if row is None else _item(row)

    def recipient(self, recipient_id: str) -> KnownRecipient | None:
        """Return exactly this recipient; None when it is not known."""
        row = self._row(known_recipient, {"digest": digest(recipient_id)})
        return None if row is None else KnownRecipient(row.recipient_id, row.name)

    def known_recipients(self, recipient_ids: Collection[str]) -> frozenset[str]:
        """Return those of these recipients that are known."""
        digests = {digest(recipient_id): recipient_id for recipient_id in recipient_ids}
        is_here = known_recipient.c.service == self._service
        with self._database.read() as connection:
            found = [
                one
                for some in chunks(list(digests))
                for one in connection.scalars(
                    select(known_recipient.c.digest).where(is_here, known_recipient.c.digest.in_(some))
                )
            ]
        return frozenset(digests[one] for one in found)

    def recipients_called(self, names: Collection[str]) -> dict[str, tuple[KnownRecipient, ...]]:
        """Return the recipients with exactly these names, without regard to case and diacritics."""
        wanted: dict[str, list[str]] = {}
        for name in names:
            wanted.setdefault(folded(name), []).append(name)
        columns = select(
            known_recipient.c.recipient_id, known_recipient.c.name, known_recipient.c.folded_name
        ).where(known_recipient.c.service == self._service)
        found: dict[str, tuple[KnownRecipient, ...]] = {}
        with self._database.read() as connection:
            for some in chunks([one for one in wanted if one]):
                query = columns.where(known_recipient.c.folded_name.in_(some))
                for row in connection.execute(query.order_by(known_recipient.c.recipient_start)):
                    for name in wanted[row.folded_name]:
                        found[name] = (*found.get(name, ()), KnownRecipient(row.recipient_id, row.name))
        return found

    def recipient_names(self, recipient_ids: Iterable[str]) -> dict[str, str]:
        """Return the names of these recipients, as far as they are known."""
        digests = [digest(recipient_id) for recipient_id in recipient_ids]
        columns = select(known_recipient.c.recipient_id, known_recipient.c.name).where(
            known_recipient.c.service == self._service, known_recipient.c.name != ""
        )
        names: dict[str, str] = {}
        with self._database.read() as connection:
            for some in chunks(digests):
                rows = connection.execute(columns.where(known_recipient.c.digest.in_(some)))
                names.update((row.recipient_id, row.name) for row in rows)
        return names

    def _add_new(self, table: Table, rows: list[dict[str, str]]) -> None:
        """Insert the missing rows. Reads first, so that rows already in place need no wait for a writer."""
        known: set[str] = set()
        with self._database.read() as connection:
            for some in chunks(rows):
                is_one = table.c.digest.in_([row["digest"] for row in some])
                here = table.c.service == self._service
                known.update(connection.scalars(select(table.c.digest).where(here, is_one)))
        new = [row for row in rows if row["digest"] not in known]
        if new:
            with self._database.write() as connection:
                note_grams(connection, table, new)
                connection.execute(insert_new(connection, table), new)

    def _find(
        self, found: _Found, text: str, *, limit: int, keys: Mapping[Column[str], str]
    ) -> tuple[Row[tuple[object, ...]], ...]:
        """Find ids that begin with the text, then ids that contain it, then names."""
        table, ids, name = found.table, found.ids, found.table.c.folded_name
        typed = typed_name(text)
        keys = {table.c.service: self._service, **keys}
        with self._database.read() as connection:
            first = begins(ids, found.starts, connection, text)
            in_id, in_name = holds(ids, connection, text), holds(name, connection, typed)
            query = select(table).order_by(found.starts, ids)
            rows = connection.execute(query.where(among(None, keys), first).limit(limit)).all()
            for wanted, fits in (
                ((ids, text), and_(in_id, not_(first))),
                ((name, typed), and_(in_name, not_(in_id))),
            ):
                if len(rows) < limit:
                    few = perhaps(connection, table, [wanted])
                    more = query.where(among(few, keys), fits).limit(limit - len(rows))
                    rows = [*rows, *connection.execute(more)]
            return tuple(rows)

    def _row(self, table: Table, keys: Mapping[str, str]) -> Row[tuple[object, ...]] | None:
        with self._database.read() as connection:
            return connection.execute(select(table).where(self._has(table, keys))).first()

    def _has(self, table: Table, keys: Mapping[str, str]) -> ColumnElement[bool]:
        return and_(table.c.service == self._service, *(table.c[name] == key for name, key in keys.items()))

    def _supplier_row(self, known: KnownSupplier) -> dict[str, str]:
        keys = {"service": self._service, "digest": digest(known.supplier)}
        starts = {"supplier_start": start_of(known.supplier)}
        return keys | {"supplier": known.supplier} | starts | _name(known.name)

    def _item_row(self, known: KnownItem) -> dict[str, str]:
        keys = {"service": self._service} | _item_keys(known.item)
        ids = {"supplier": known.item.supplier, "supplier_item_id": known.item.supplier_item_id}
        starts = {
            "supplier_start": start_of(known.item.supplier),
            "item_start": start_of(known.item.supplier_item_id),
        }
        return keys | ids | starts | {"market": known.market} | _name(known.name)

    def _recipient_row(self, known: KnownRecipient) -> dict[str, str]:
        keys = {"service": self._service, "digest": digest(known.recipient_id)}
        starts = {"recipient_start": start_of(known.recipient_id)}
        return keys | {"recipient_id": known.recipient_id} | starts | _name(known.name)


def _name(name: str) -> dict[str, str]:
    return {"name": name, "folded_name": folded(name)}


def _item_keys(item: ItemKey) -> dict[str, str]:
    return {
        "digest": digest(item.supplier, item.supplier_item_id),
    }


def _item(row: Row[tuple[object, ...]]) -> KnownItem:
    return KnownItem(ItemKey(row.supplier, row.supplier_item_id), row.market, row.name)
