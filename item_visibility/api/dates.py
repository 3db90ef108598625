"""Dates in HTTP's format. RFC 9110, section 5.6.7."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache


@lru_cache(maxsize=16)
def read_date(value: str) -> datetime | None:
    """Return the time of an HTTP date, or None when it is none. Cached: answers of one second share it."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
