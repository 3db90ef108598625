"""The types of our columns on SQLite and PostgreSQL, and short ways to declare them."""

import json
import re
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator, TypeEngine

if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPE = "\x1b"
_TO_ESCAPE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")
REMEMBERED_SETS = 32
"""This many converted sets are cached, because large sets are often stored again."""

T = TypeVar("T")


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


@lru_cache(maxsize=REMEMBERED_SETS)
def recipients_as_json(recipients: frozenset[str]) -> str:
    """Return the stored form of a list of recipients."""
    return storable(json.dumps(sorted(recipients), ensure_ascii=False))


@lru_cache(maxsize=REMEMBERED_SETS)
def _recipients_in(stored: str) -> frozenset[str]:
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
    to_stored = staticmethod(recipients_as_json)
    to_value = staticmethod(_recipients_in)


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
