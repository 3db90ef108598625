"""Inserts of rows that may already exist, for either database."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, Insert, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql, sqlite

CHUNK = 5_000
"""The limit of values in one statement: SQLite takes 32,766, PostgreSQL 65,535."""

T = TypeVar("T")


def pieces(values: Iterable[T], size: int = CHUNK) -> Iterator[tuple[T, ...]]:
    """Yield the values in pieces of this size, read one piece at a time. By default each fits a statement."""
    iterator = iter(values)
    while some := tuple(islice(iterator, size)):
        yield some


def insert_into(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return the database's own INSERT, which can say what to do about rows that exist."""
    is_postgresql = connection.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgresql else sqlite.insert(table)


def insert_new(connection: Connection, table: Table) -> Insert:
    """Insert new rows; leave existing rows as they are."""
    return insert_into(connection, table).on_conflict_do_nothing()


def insert_or_update(connection: Connection, table: Table) -> Insert:
    """Insert new rows; update existing rows in all columns but the key."""
    statement = insert_into(connection, table)
    keys = _keys(table)
    values = {
        column.name: statement.excluded[column.name]
        for column in table.c
        if not column.primary_key and column.name not in keys
    }
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


def _keys(table: Table) -> list[str]:
    """Return the key columns: the unique constraint if there is one, else the primary key."""
    unique = [found for found in table.constraints if isinstance(found, UniqueConstraint)]
    return [column.name for column in (unique[0].columns if unique else table.primary_key)]
