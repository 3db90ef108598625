"""Column types and helpers that all our tables use, on SQLite and PostgreSQL."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import TypeDecorator, TypeEngine

from item_visibility.client.identifiers import ItemKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import DataclassInstance

CHUNK = 5_000
"""The most values in one statement. SQLite allows 32,766, PostgreSQL 65,535."""
_ESCAPE = "\x1b"
_TO_ESCAPE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")
_REMEMBERED_SETS = 32
"""This many converted sets are cached, because large sets are often stored again."""

Values = dict[str, object]
AnyRow = sa.Row[tuple[object, ...]]
T = TypeVar("T")
V = TypeVar("V", bound="DataclassInstance")


def storable(text: str) -> str:
    """Return the text in a form that every database can store. `as_given` reverses it.

    PostgreSQL cannot store NUL, and UTF-8 cannot encode lone surrogates. Each of these
    and the escape character itself is replaced by the escape character and four digits.
    All other characters are kept, so sorting and searching work as before. Note N1.
    """
    if text.isprintable():
        return text
    return _TO_ESCAPE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text)


def as_given(stored: str) -> str:
    """Return the original text, undoing `storable`."""
    if stored.isprintable():
        return stored
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), stored)


@lru_cache(maxsize=_REMEMBERED_SETS)
def _as_json(recipients: frozenset[str]) -> str:
    return storable(json.dumps(sorted(recipients), ensure_ascii=False))


@lru_cache(maxsize=_REMEMBERED_SETS)
def _as_set(stored: str) -> frozenset[str]:
    return frozenset(json.loads(as_given(stored)))


class _Converted(TypeDecorator[T]):
    """A column type that converts each value with two functions. NULL is None."""

    to_stored: "Callable[[T], object]"
    to_value: "Callable[[Any], T]"

    def process_bind_param(self, value: T | None, dialect: sa.Dialect) -> object:  # noqa: ARG002  (SQLAlchemy passes it)
        """Return the stored form."""
        return None if value is None else self.to_stored(value)

    def process_result_value(self, value: object, dialect: sa.Dialect) -> T | None:  # noqa: ARG002  (SQLAlchemy passes it)
        """Return the original value."""
        return None if value is None else self.to_value(value)


class ExactText(_Converted[str]):
    """Any string, compared and ordered by code point, also on PostgreSQL."""

    impl = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    cache_ok = True
    to_stored = staticmethod(storable)
    to_value = staticmethod(as_given)


class RecipientSet(_Converted[frozenset[str]]):
    """A set of recipients as a sorted JSON array."""

    impl = sa.Text
    cache_ok = True
    to_stored = staticmethod(_as_json)
    to_value = staticmethod(_as_set)


class UtcTime(_Converted[datetime]):
    """An aware time. SQLite has no time zones, so the time is stored in UTC."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True
    to_stored = staticmethod(lambda at: at.astimezone(UTC))
    to_value = staticmethod(
        lambda at: at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    )


ROW_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
DIGEST = sa.String(40)
ITEM = ("supplier", "supplier_item_id")
ColumnType = type[TypeEngine[T]] | TypeEngine[T]


def one_of(members: type[StrEnum]) -> sa.Enum:
    """Return a column type for an enum.

    It is stored as text, so that a new member needs no migration.
    """
    return sa.Enum(
        members,
        native_enum=False,
        length=40,
        values_callable=lambda members: [member.value for member in members],
    )


def filled(
    kind: "ColumnType[T]", *names: str, default: object = None
) -> list[sa.Column[T]]:
    """Return columns that cannot be NULL. A row without a value gets `default`."""
    return [sa.Column(name, kind, nullable=False, default=default) for name in names]


def optional(kind: "ColumnType[T]", *names: str) -> list[sa.Column[T]]:
    """Return columns that can be NULL."""
    return [sa.Column(name, kind) for name in names]


def keys(kind: "ColumnType[T]", *names: str) -> list[sa.Column[T]]:
    """Return the columns of the primary key."""
    return [sa.Column(name, kind, primary_key=True) for name in names]


def digest(*parts: str) -> str:
    """Return a short key for texts of any length.

    PostgreSQL cannot index texts above 2,704 bytes.
    """
    joined = "".join(f"{storable(part)}\x00" for part in parts)
    return hashlib.blake2b(joined.encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=_REMEMBERED_SETS)
def list_digest(recipients: frozenset[str]) -> str:
    """Return the digest of a list of recipients."""
    return digest(_as_json(recipients))


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
