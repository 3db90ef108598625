"""Columns of several names and one kind, so that a table reads as a list of names."""

from enum import StrEnum
from typing import TypeVar

from sqlalchemy import BigInteger, Column, Enum, Integer, String
from sqlalchemy.types import TypeEngine

ROW_ID = BigInteger().with_variant(Integer, "sqlite")
DIGEST = String(40)
ITEM = ("supplier", "supplier_item_id")

T = TypeVar("T")
Kind = type[TypeEngine[T]] | TypeEngine[T]


def one_of(words: type[StrEnum]) -> Enum:
    """Return a column type for one of these words; kept as text, so that a new word needs no migration."""
    return Enum(words, native_enum=False, length=40, values_callable=lambda them: [one.value for one in them])


def filled(kind: "Kind[T]", *names: str, default: object = None) -> list[Column[T]]:
    """Return columns that every row fills, with the default when it says nothing."""
    return [Column(name, kind, nullable=False, default=default) for name in names]


def optional(kind: "Kind[T]", *names: str) -> list[Column[T]]:
    """Return columns that a row may leave empty."""
    return [Column(name, kind) for name in names]


def keys(kind: "Kind[T]", *names: str) -> list[Column[T]]:
    """Return the columns of the primary key."""
    return [Column(name, kind, primary_key=True) for name in names]
