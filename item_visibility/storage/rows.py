"""Rows of our tables: made from values, read back as values, and inserted in batches.

A row refers to texts, lists and items of any length by their digests.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.column_types import (
    REMEMBERED_SETS,
    recipients_as_json,
    storable,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import DataclassInstance

CHUNK = 5_000
"""The most values in one statement. SQLite allows 32,766, PostgreSQL 65,535."""

Values = dict[str, object]
AnyRow = sa.Row[tuple[object, ...]]
T = TypeVar("T")
V = TypeVar("V", bound="DataclassInstance")


def digest(*parts: str) -> str:
    """Return a short key for texts of any length.

    PostgreSQL cannot index texts above 2,704 bytes.
    """
    joined = "".join(f"{storable(part)}\x00" for part in parts)
    return hashlib.blake2b(joined.encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=REMEMBERED_SETS)
def list_digest(recipients: frozenset[str]) -> str:
    """Return the digest of a list of recipients."""
    return digest(recipients_as_json(recipients))


@lru_cache(maxsize=2_048)
def item_digest(item: ItemKey) -> str:
    """Return the digest of an item."""
    return digest(item.supplier, item.supplier_item_id)


def item_values(service: str, item: ItemKey) -> Values:
    """Return the values of the columns that identify an item of a service."""
    ids = {"supplier": item.supplier, "supplier_item_id": item.supplier_item_id}
    return {"service": service, "item_digest": item_digest(item), **ids}


def read_item_key(row: AnyRow) -> ItemKey:
    """Return the item key in a row."""
    return ItemKey(row.supplier, row.supplier_item_id)


def values_of(value: "DataclassInstance", table: sa.Table) -> Values:
    """Return the fields of the value that are also columns of the table."""
    return {name: getattr(value, name) for name in _shared(type(value), table)}


def read_value(kind: type[V], table: sa.Table, row: AnyRow, **others: object) -> V:
    """Return a value of this kind.

    Its fields come from the columns of the same names and from `others`.
    """
    make: Callable[..., V] = kind
    columns = row._mapping  # noqa: SLF001  (SQLAlchemy's public name for it)
    names = [name for name in _shared(kind, table) if name not in others]
    return make(**{name: columns[name] for name in names}, **others)


def batches(values: Iterable[T], size: int = CHUNK) -> Iterator[tuple[T, ...]]:
    """Yield the values in tuples of this size, which by default fits a statement."""
    iterator = iter(values)
    while batch := tuple(islice(iterator, size)):
        yield batch


def insert_all(
    connection: sa.Connection, table: sa.Table, rows: Iterable[Values]
) -> None:
    """Insert rows, a few thousand at a time."""
    for batch in batches(rows):
        connection.execute(sa.insert(table), batch)


def insert_into(
    connection: sa.Connection, table: sa.Table
) -> sqlite.Insert | postgresql.Insert:
    """Return the INSERT of this database, which supports ON CONFLICT."""
    is_postgresql = connection.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgresql else sqlite.insert(table)


def insert_new(connection: sa.Connection, table: sa.Table) -> sa.Insert:
    """Return the INSERT that leaves existing rows as they are."""
    return insert_into(connection, table).on_conflict_do_nothing()


def insert_or_update(
    connection: sa.Connection, table: sa.Table, *columns: str
) -> sa.Insert:
    """Return the INSERT that updates these columns of existing rows.

    By default, it updates all columns except the key. The key is the unique constraint
    if the table has one, otherwise the primary key.
    """
    unique = [
        constraint
        for constraint in table.constraints
        if isinstance(constraint, sa.UniqueConstraint)
    ]
    key_columns = unique[0].columns if unique else table.primary_key
    key = [column.name for column in key_columns]
    others = [
        column.name
        for column in table.c
        if not column.primary_key and column.name not in key
    ]

    statement = insert_into(connection, table)
    values = {name: statement.excluded[name] for name in columns or others}
    return statement.on_conflict_do_update(index_elements=key, set_=values)


@cache
def _shared(kind: type["DataclassInstance"], table: sa.Table) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name in table.c)
