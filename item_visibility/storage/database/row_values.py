"""Rows from values and back: a field and a column of the same name hold the same."""

from dataclasses import fields
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Row, Table

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database.types import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
Values = dict[str, object]
AnyRow = Row[tuple[object, ...]]


def values_of(value: "DataclassInstance", table: Table) -> Values:
    """Return the columns of the table that are fields of the value."""
    return {name: getattr(value, name) for name in _shared(type(value), table)}


def read_value(kind: type[T], table: Table, row: AnyRow, **others: object) -> T:
    """Return a value from the columns of the table that are its fields, and the other fields."""
    make: Callable[..., T] = kind
    columns = row._mapping  # noqa: SLF001  (SQLAlchemy's public name for it)
    return make(**{name: columns[name] for name in _shared(kind, table) if name not in others}, **others)


def item_values(item: ItemKey) -> Values:
    """Return the columns that name an item."""
    return {"supplier": item.supplier, "supplier_item_id": item.supplier_item_id}


def read_item_key(row: AnyRow) -> ItemKey:
    """Return the item that a row names."""
    return ItemKey(row.supplier, row.supplier_item_id)


@lru_cache(maxsize=2_048)
def item_digest(item: ItemKey) -> str:
    """Return the short key of an item."""
    return digest(item.supplier, item.supplier_item_id)


@cache
def _shared(kind: type["DataclassInstance"], table: Table) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name in table.c)
