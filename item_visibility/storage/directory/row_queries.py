"""The queries for known rows that every page asks, built once: to build one takes longer than to run it."""

from collections.abc import Iterable

from sqlalchemy import Column, ColumnElement, Integer, Select, Table, bindparam, literal, select

from item_visibility.storage.database.types import ExactText

Query = Select[tuple[object, ...]]


class RowQueries:
    """The table of one kind, the columns of its ids and of their starts, and the queries for its rows.

    Queries with values in them name what they are executed with: `service`, `supplier`, `supplier_start`, the
    `wanted` values of a column, and how many rows at `most`.

    Attributes:
        rows: all rows of every service, with their ids, name and market.
        in_order: the same, by id.
        first: the first of a service.
        first_of_supplier: the first items of one supplier.
        with_digest: the rows with these digests.
        names_with_digest: their own ids and names alone.
        digests: those of the digests that exist.
        called: the rows with these folded names, by id.
    """

    def __init__(self, table: Table, *, ids: Iterable[str], starts: Iterable[str]) -> None:
        self.table = table
        self.ids = own_ids = [table.c[name] for name in ids]
        self.starts = own_starts = [table.c[name] for name in starts]
        market = table.c.market if "market" in table.c else literal("", ExactText)
        self.rows = _select(*own_ids, table.c.name, market.label("market"))
        self.in_order = self.rows.order_by(*own_starts, *own_ids)
        first = self.rows.order_by(own_starts[-1], own_ids[-1]).limit(bindparam("most", type_=Integer))
        self.first = first.where(_are_given(table.c.service))
        self.first_of_supplier = self.first.where(_are_given(own_starts[0]), _are_given(own_ids[0]))
        self.with_digest = _wanted(self.rows, table.c.digest)
        names = _select(own_ids[-1].label("own_id"), table.c.name)
        self.names_with_digest = _wanted(names, table.c.digest)
        self.digests = _wanted(_select(table.c.digest), table.c.digest)
        self.called = _wanted(self.in_order, table.c.folded_name)


def _select(*columns: ColumnElement[str]) -> Query:
    return select().add_columns(*columns)


def _are_given(column: Column[str]) -> ColumnElement[bool]:
    return column == bindparam(column.name)


def _wanted(query: Query, column: Column[str]) -> Query:
    """Return the query for those of a service that have one of the wanted values in the column."""
    service = column.table.c.service
    return query.where(_are_given(service), column.in_(bindparam("wanted", expanding=True)))
