"""Column types that give back exactly what was put in, on SQLite and on PostgreSQL alike."""

import hashlib
import json
import re
from datetime import UTC, datetime
from functools import lru_cache

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

_ESCAPE = "\x1b"
_TO_ESCAPE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")
_ESCAPE_IN_JSON = "\\u001b"
_ESCAPED_IN_JSON = re.compile(r"\\u(?:001b|d[89a-f])")
_KEPT_SETS = 32
"""Large sets that are stored again and again are converted once."""


def storable(text: str) -> str:
    """Return the text in a form that a database can hold, one to one.

    Identifiers are opaque, and answers of the service can hold any of them: PostgreSQL refuses NUL,
    and no UTF-8 text can hold a lone surrogate. These, and the escape character itself, become an
    escape character and four digits. All other text stays as it is, so order, prefixes and parts are
    the same. Note N1.
    """
    if text.isprintable():
        return text
    return _TO_ESCAPE.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text)


def as_given(stored: str) -> str:
    """Return the original text, undoing `storable`."""
    if stored.isprintable():
        return stored
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), stored)


def digest(*parts: str) -> str:
    """Return a short key for texts of any length: an index of PostgreSQL holds at most 2,704 bytes."""
    joined = "".join(f"{storable(part)}\x00" for part in parts)
    return hashlib.blake2b(joined.encode(), digest_size=20).hexdigest()


class StoredText(TypeDecorator[str]):
    """Text that is in its stored form already, compared and ordered by code point."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[str]:
        """Order by code point on PostgreSQL too: its own collations ignore some characters."""
        is_postgresql = dialect.name == "postgresql"
        return dialect.type_descriptor(Text(collation="C") if is_postgresql else Text())


class ExactText(StoredText):
    """Any string at all, compared and ordered by code point."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  (SQLAlchemy's)
        """Return the stored form."""
        return None if value is None else storable(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  (SQLAlchemy's)
        """Return the original value."""
        return None if value is None else as_given(value)


class RecipientSet(TypeDecorator[frozenset[str]]):
    """A set of recipients as a sorted JSON array."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: frozenset[str] | None, dialect: Dialect) -> str | None:  # noqa: ARG002  (SQLAlchemy's)
        """Return the stored form."""
        return None if value is None else _as_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> frozenset[str] | None:  # noqa: ARG002  (SQLAlchemy's)
        """Return the original value."""
        return None if value is None else _as_set(value)


@lru_cache(maxsize=_KEPT_SETS)
def list_digest(recipients: frozenset[str]) -> str:
    """Return a short key for a set."""
    return digest(_as_json(recipients))


@lru_cache(maxsize=_KEPT_SETS)
def _as_json(recipients: frozenset[str]) -> str:
    stored = json.dumps(sorted(recipients))
    if _ESCAPED_IN_JSON.search(
        stored
    ):  # rare: else `storable` for each of 50,000 would cost more than the rest
        stored = json.dumps(sorted(map(storable, recipients)))
    return stored


@lru_cache(maxsize=_KEPT_SETS)
def _as_set(stored: str) -> frozenset[str]:
    recipients = json.loads(stored)
    return frozenset(map(as_given, recipients) if _ESCAPE_IN_JSON in stored else recipients)


class UtcTime(TypeDecorator[datetime]):
    """An aware time; SQLite, which knows no zones, holds it as UTC."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[datetime]:
        """Return a time with its zone if the database supports zones."""
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  (SQLAlchemy's)
        """Return the stored form."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  (SQLAlchemy's)
        """Return an aware time in UTC."""
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
