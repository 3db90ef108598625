"""All rows of a database, as they lie in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, MetaData, Table, select


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows of one table, in order."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


def rows_of(engine: Engine, columns_of: Mapping[str, Kept] | None = None) -> dict[str, Kept]:
    """The rows of every table; or of these tables, and of their columns that were there then."""
    tables = MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        wanted = {name: kept.columns for name, kept in columns_of.items()} if columns_of else {}
        return {
            name: _kept(connection, tables.tables[name], wanted.get(name))
            for name in columns_of or tables.tables
        }


def _kept(connection: Connection, table: Table, columns: tuple[str, ...] | None) -> Kept:
    names = columns or tuple(table.c.keys())
    found = connection.execute(select(*(table.c[name] for name in names)))
    return Kept(names, sorted((tuple(row) for row in found), key=repr))
