"""The directory as tables: search, page, change and remove the rows of one kind."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, and_, delete, func, literal, or_, select

from item_visibility.records.directory.find import among, holds, note_grams, perhaps, start_of, typed_name
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.folding import folded
from item_visibility.records.ground.tables import known_item, known_recipient, known_supplier
from item_visibility.records.ground.types import ExactText, digest
from item_visibility.records.ground.upsert import chunks, insert_or_update


class Kind(StrEnum):
    """The kinds of id that the directory has names for."""

    SUPPLIER = "supplier"
    ITEM = "item"
    RECIPIENT = "recipient"


Ids = tuple[str, ...]
"""The key of one row: the supplier, the recipient, or for an item its supplier and its own id."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """One row of the directory. Unknown fields are empty; only items have a market."""

    ids: Ids
    name: str = ""
    market: str = ""


_TABLES = {Kind.SUPPLIER: known_supplier, Kind.ITEM: known_item, Kind.RECIPIENT: known_recipient}
_ID_COLUMNS = {
    Kind.SUPPLIER: ("supplier",),
    Kind.ITEM: ("supplier", "supplier_item_id"),
    Kind.RECIPIENT: ("recipient_id",),
}
_START_COLUMNS = {
    Kind.SUPPLIER: ("supplier_start",),
    Kind.ITEM: ("supplier_start", "item_start"),
    Kind.RECIPIENT: ("recipient_start",),
}


class DirectoryRows:
    """All rows of one service and one kind, ordered by id."""

    def __init__(self, database: Database, *, service: str, kind: Kind) -> None:
        self._database = database
        self._service = service
        self._kind = kind
        self._table: Table = _TABLES[kind]
        self._ids = [self._table.c[name] for name in _ID_COLUMNS[kind]]
        self._order = [*(self._table.c[name] for name in _START_COLUMNS[kind]), *self._ids]

    def count(self, text: str, *, limit: int) -> int:
        """Count the rows that match the text, up to a limit: ids as typed, or names as people type them."""
        with self._database.read() as connection:
            fits = select(self._table.c.number).where(self._fits(connection, text)).limit(limit)
            return connection.scalar(select(func.count()).select_from(fits.subquery())) or 0

    def page(self, text: str, *, limit: int, offset: int) -> tuple[NamedRow, ...]:
        """Return one page of the rows that match the text, by id."""
        with self._database.read() as connection:
            query = self._query().where(self._fits(connection, text))
            rows = connection.execute(query.order_by(*self._order).limit(limit).offset(offset))
            return tuple(map(_row, rows))

    def all(self) -> Iterator[NamedRow]:
        """Yield every row, by id, as the database delivers them."""
        with self._database.read() as connection:
            query = self._query().where(self._is_here()).order_by(*self._order)
            for row in connection.execution_options(yield_per=1_000).execute(query):
                yield _row(row)

    def known(self, wanted: Iterable[Ids]) -> dict[Ids, NamedRow]:
        """Return those of the wanted rows that exist."""
        digests = [digest(*ids) for ids in wanted]
        found: dict[Ids, NamedRow] = {}
        with self._database.read() as connection:
            for some in chunks(digests):
                rows = connection.execute(
                    self._query().where(self._is_here(), self._table.c.digest.in_(some))
                )
                found.update((row.ids, row) for row in map(_row, rows))
        return found

    def put(self, rows: Sequence[NamedRow]) -> None:
        """Save all of these rows, replacing earlier values. If that fails, none is saved."""
        if rows:
            with self._database.write() as connection:
                values = [self._values(row) for row in rows]
                note_grams(connection, self._table, values)
                connection.execute(insert_or_update(connection, self._table), values)

    def forget(self, wanted: Iterable[Ids]) -> None:
        """Remove these rows. An id that is used again comes back without a name."""
        digests = [digest(*ids) for ids in wanted]
        with self._database.write() as connection:
            for some in chunks(digests):
                connection.execute(delete(self._table).where(self._is_here(), self._table.c.digest.in_(some)))

    def _query(self) -> Select[tuple[object, ...]]:
        market = self._table.c.market if self._kind is Kind.ITEM else literal("", ExactText)
        return select(*self._ids, self._table.c.name, market.label("market"))

    def _fits(self, connection: Connection, text: str) -> ColumnElement[bool]:
        if not text:
            return self._is_here()
        wanted = [(column, text) for column in self._ids]
        wanted.append((self._table.c.folded_name, typed_name(text)))
        fits = or_(*(holds(column, connection, part) for column, part in wanted))
        few = perhaps(connection, self._table, wanted)
        return and_(among(few, {self._table.c.service: self._service}), fits)

    def _is_here(self) -> ColumnElement[bool]:
        return self._table.c.service == self._service

    def _values(self, row: NamedRow) -> dict[str, str]:
        values = dict(zip(_ID_COLUMNS[self._kind], row.ids, strict=True))
        starts = map(start_of, row.ids)
        values |= dict(zip(_START_COLUMNS[self._kind], starts, strict=True))
        values |= {"service": self._service, "digest": digest(*row.ids)}
        values |= {"name": row.name, "folded_name": folded(row.name)}
        if self._kind is Kind.ITEM:
            values |= {"market": row.market}
        return values


def _row(row: Row[tuple[object, ...]]) -> NamedRow:
    return NamedRow(tuple(row[:-2]), row.name, row.market)
