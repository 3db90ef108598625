"""The known ids of suppliers, items and recipients, with names if known. Note N15."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    and_,
    delete,
    func,
    not_,
    or_,
    select,
)

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.folding import folded
from item_visibility.storage.database.row_values import AnyRow
from item_visibility.storage.database.tables import known_item, known_recipient, known_supplier
from item_visibility.storage.database.types import digest
from item_visibility.storage.database.upsert import insert_new, insert_or_update, pieces
from item_visibility.storage.directory.find import (
    Word,
    among,
    begins,
    holds,
    holds_words,
    may_hold_words,
    note_grams,
    perhaps,
    start_of,
    typed_name,
)
from item_visibility.storage.directory.row_queries import Query, RowQueries


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

    @property
    def words(self) -> str:
        """The name and the market."""
        return " · ".join(filter(None, (self.name, self.market)))


_QUERIES = {
    Kind.SUPPLIER: RowQueries(known_supplier, ids=("supplier",), starts=("supplier_start",)),
    Kind.ITEM: RowQueries(
        known_item, ids=("supplier", "supplier_item_id"), starts=("supplier_start", "item_start")
    ),
    Kind.RECIPIENT: RowQueries(known_recipient, ids=("recipient_id",), starts=("recipient_start",)),
}


class DirectoryRows:
    """The known rows of one service and one kind, ordered by id. An unknown id is never called wrong.

    `changes` counts the changes of names that this process made: until it moves, names read before are good.
    """

    def __init__(self, database: Database, *, service: str, kind: Kind) -> None:
        self.changes = 0
        self._database = database
        self._service = service
        self._kind = kind
        self._queries = _QUERIES[kind]
        self._table, self._ids, self._starts = self._queries.table, self._queries.ids, self._queries.starts

    def find(self, text: str, *, limit: int, supplier: str | None = None) -> tuple[NamedRow, ...]:
        """Return ids that begin with the text, then ids that contain it, then names; all for an empty text.

        Ids are found as typed, names without regard to case and diacritics. Of an item the text is in its
        own id; with `supplier`, only this supplier's items are found.
        """
        if not text:
            return self._first(limit=limit, supplier=supplier)
        ids, starts, name = self._ids[-1], self._starts[-1], self._table.c.folded_name
        typed = typed_name(text)
        keys = self._keys(supplier)
        with self._database.read() as connection:
            first = begins(ids, starts, connection, text)
            in_id, in_name = holds(ids, connection, text), holds(name, connection, typed)
            query = self._queries.rows.order_by(starts, ids)
            rows = connection.execute(query.where(among(None, keys), first).limit(limit)).all()
            for wanted, fits in (
                ((ids, text), and_(in_id, not_(first))),
                ((name, typed), and_(in_name, not_(in_id))),
            ):
                if len(rows) < limit:
                    few = perhaps(connection, self._table, [wanted])
                    more = query.where(among(few, keys), fits).limit(limit - len(rows))
                    rows = [*rows, *connection.execute(more)]
            return tuple(map(_row, rows))

    def with_words(
        self, words: Sequence[Word], *, limit: int, supplier: str | None = None
    ) -> tuple[NamedRow, ...]:
        """Return rows that have all the words in their id, name or market, in any order."""
        with self._database.read() as connection:
            few, fits = holds_words(connection, self._table, self._ids[-1], words)
            query = self._queries.rows.where(among(few, self._keys(supplier)), fits)
            return tuple(map(_row, connection.execute(query.limit(limit))))

    def perhaps_with_words(
        self, words: Sequence[Word], *, limit: int, supplier: str | None = None
    ) -> tuple[NamedRow, ...]:
        """Return rows that may have all the words, with typing errors. The caller looks at each."""
        with self._database.read() as connection:
            few = may_hold_words(connection, self._table, self._ids[-1], words)
            query = self._queries.rows.where(among(few, self._keys(supplier)))
            return tuple(map(_row, connection.execute(query.limit(limit))))

    def count(self, text: str, *, limit: int) -> int:
        """Count the rows that match the text, up to a limit: ids as typed, or names as people type them."""
        with self._database.read() as connection:
            return self._count(connection, self._fits(connection, text), limit=limit)

    def counted_page(
        self, text: str, *, number: int, limit: int, most: int
    ) -> tuple[int, tuple[NamedRow, ...]]:
        """Count the rows that match the text, up to `most`; return the count and one page of them, by id.

        If `number` is too high, it is the last page.
        """
        with self._database.read() as connection:
            fits = self._fits(connection, text)
            counted = self._count(connection, fits, limit=most)
            offset = (min(number, pages(counted, limit)) - 1) * limit
            query = self._queries.in_order.where(fits).limit(limit).offset(offset)
            return counted, tuple(map(_row, connection.execute(query)))

    def all(self) -> Iterator[NamedRow]:
        """Yield every row, by id, as the database delivers them."""
        with self._database.read() as connection:
            query = self._queries.in_order.where(self._is_here())
            yield from map(_row, connection.execution_options(yield_per=1_000).execute(query))

    def known(self, wanted: Iterable[Ids]) -> dict[Ids, NamedRow]:
        """Return those of the wanted rows that exist."""
        digests = [digest(*ids) for ids in wanted]
        return {row.ids: row for row in map(_row, self._rows(self._queries.with_digest, digests))}

    def names(self, own_ids: Iterable[str]) -> dict[str, str]:
        """Return those of the recipients or suppliers that exist, each with its name, which may be empty."""
        rows = self._rows(self._queries.names_with_digest, map(digest, own_ids))
        return {row.own_id: row.name for row in rows}

    def called(self, names: Collection[str]) -> dict[str, tuple[NamedRow, ...]]:
        """Return the rows with exactly these names, without regard to case and diacritics."""
        forms = {name: folded(name) for name in names}
        found: dict[str, list[NamedRow]] = {form: [] for form in forms.values() if form}
        for row in map(_row, self._rows(self._queries.called, found)):
            found[folded(row.name)].append(row)
        return {name: tuple(found[form]) for name, form in forms.items() if found.get(form)}

    def put(self, rows: Sequence[NamedRow]) -> None:
        """Save all of these rows, replacing earlier values. If that fails, none is saved."""
        self.changes += 1
        if rows:
            with self._database.write() as connection:
                values = self._noted(connection, rows)
                connection.execute(insert_or_update(connection, self._table), values)

    def remember(self, wanted: Iterable[Ids]) -> None:
        """Add the ids that are missing. Reads first, so that known ids need no wait for a writer."""
        asked = {digest(*ids): ids for ids in wanted}
        known = {row.digest for row in self._rows(self._queries.digests, asked)}
        new = [NamedRow(ids) for key, ids in asked.items() if key not in known]
        if new:
            with self._database.write() as connection:
                connection.execute(insert_new(connection, self._table), self._noted(connection, new))

    def forget(self, wanted: Iterable[Ids]) -> None:
        """Remove these rows. An id that is used again comes back without a name."""
        self.changes += 1
        digests = [digest(*ids) for ids in wanted]
        with self._database.write() as connection:
            for some in pieces(digests):
                connection.execute(delete(self._table).where(self._is_here(), self._table.c.digest.in_(some)))

    def _noted(self, connection: Connection, rows: Sequence[NamedRow]) -> list[dict[str, str]]:
        """Save the trigrams of new rows, and return their values."""
        values = [self._values(row) for row in rows]
        searched = (*(column.name for column in self._ids), "folded_name")
        note_grams(connection, self._table, (row[name] for row in values for name in searched))
        return values

    def _first(self, *, limit: int, supplier: str | None) -> tuple[NamedRow, ...]:
        """Return the first rows by id."""
        query = self._queries.first if supplier is None else self._queries.first_of_supplier
        keys = {column.name: key for column, key in self._keys(supplier).items()}
        with self._database.read() as connection:
            return tuple(map(_row, connection.execute(query, keys | {"most": limit})))

    def _rows(self, query: Query, wanted: Iterable[str]) -> Iterator[AnyRow]:
        """Yield what a query finds for the wanted values, some of them at a time."""
        with self._database.read() as connection:
            for some in pieces(wanted):
                yield from connection.execute(query, {"service": self._service, "wanted": some})

    def _count(self, connection: Connection, fits: ColumnElement[bool], *, limit: int) -> int:
        found = select(self._table.c.number).where(fits).limit(limit)
        return connection.scalar(select(func.count()).select_from(found.subquery())) or 0

    def _fits(self, connection: Connection, text: str) -> ColumnElement[bool]:
        if not text:
            return self._is_here()
        wanted = [(column, text) for column in self._ids]
        wanted.append((self._table.c.folded_name, typed_name(text)))
        fits = or_(*(holds(column, connection, part) for column, part in wanted))
        few = perhaps(connection, self._table, wanted)
        return and_(among(few, {self._table.c.service: self._service}), fits)

    def _keys(self, supplier: str | None) -> dict[Column[str], str]:
        """Return the keys of all rows, or of one supplier's items."""
        keys: dict[Column[str], str] = {self._table.c.service: self._service}
        if supplier is not None:
            keys |= {self._starts[0]: start_of(supplier), self._ids[0]: supplier}
        return keys

    def _is_here(self) -> ColumnElement[bool]:
        return self._table.c.service == self._service

    def _values(self, row: NamedRow) -> dict[str, str]:
        values = {column.name: one for column, one in zip(self._ids, row.ids, strict=True)}
        values |= {column.name: start_of(one) for column, one in zip(self._starts, row.ids, strict=True)}
        values |= {"service": self._service, "digest": digest(*row.ids)}
        market = {"market": row.market} if self._kind is Kind.ITEM else {}
        return values | market | {"name": row.name, "folded_name": folded(row.name)}


class Directory(dict[Kind, DirectoryRows]):
    """The known rows of one service, by kind."""

    def __init__(self, database: Database, *, service: str) -> None:
        super().__init__((kind, DirectoryRows(database, service=service, kind=kind)) for kind in Kind)

    def remember(self, items: Collection[ItemKey], recipients: Iterable[str] = ()) -> None:
        """Remember all of these and the items' suppliers; names stay as they are."""
        self[Kind.SUPPLIER].remember((item.supplier,) for item in items)
        self[Kind.ITEM].remember((item.supplier, item.supplier_item_id) for item in items)
        self[Kind.RECIPIENT].remember((one,) for one in recipients)


def pages(rows: int, limit: int) -> int:
    """Return how many pages rows fill; none fill one that is empty."""
    return max(1, -(-rows // limit))


def _row(row: AnyRow) -> NamedRow:
    return NamedRow(tuple(row[:-2]), row.name, row.market)
