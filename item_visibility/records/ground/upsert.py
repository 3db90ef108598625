"""Inserting what may be there already, in the words of either database."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, Insert, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql, sqlite

CHUNK = 5_000
"""How many values one statement names at most: SQLite takes 32,766, PostgreSQL 65,535."""

T = TypeVar("T")


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in pieces that one statement can name."""
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))


def pieces(values: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """The values in pieces of this size; they are taken one piece after the other."""
    iterator = iter(values)
    while some := tuple(islice(iterator, size)):
        yield some


def insert_new(connection: Connection, table: Table) -> Insert:
    """Insert what is new; leave as it is what is there already."""
    return _insert(connection, table).on_conflict_do_nothing()


def insert_or_update(connection: Connection, table: Table) -> Insert:
    """Insert what is new; give the other rows the new values of all columns that are no key."""
    statement = _insert(connection, table)
    keys = _keys(table)
    values = {
        column.name: statement.excluded[column.name]
        for column in table.c
        if not column.primary_key and column.name not in keys
    }
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


def _keys(table: Table) -> list[str]:
    """What tells the rows apart: in a table that numbers them, what else is unique."""
    unique = [found for found in table.constraints if isinstance(found, UniqueConstraint)]
    return [column.name for column in (unique[0].columns if unique else table.primary_key)]


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    is_postgresql = connection.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgresql else sqlite.insert(table)
