"""Dates as HTTP writes them. RFC 9110, section 5.6.7."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache


@lru_cache(maxsize=16)
def read_date(value: str) -> datetime | None:
    """The moment that an HTTP date names; None when it is none. The answers of one second say the same."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
