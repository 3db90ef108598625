"""Reads a day as lists and spreadsheets write it: only where one day alone can be meant."""

import re
from datetime import date, timedelta

from item_visibility.files.table import CountedFrom1904, NotText

DAY_WORDS = "2026-11-30 or 30.11.2026"
"""The ways to write a day, for a message."""

_FORMS = (
    re.compile(
        "(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})(?:[T ]00:00(?::00(?:[.]0+)?)?)?"
    ),
    re.compile("(?P<day>[0-9]{1,2})[.](?P<month>[0-9]{1,2})[.](?P<year>[0-9]{4})"),
)
_DAYS_OF_A_WORKBOOK = re.compile("[0-9]{5}(?:[.]0+)?")
_BEFORE_DAY_1 = date(1899, 12, 30)


def read_day(cell: str) -> date | None:
    """Return the day; None when the cell is no day, or could be two: 11/12/2026.

    A workbook holds a day as a number, counted from the end of 1899. In one that counts from 1904 the number
    is another: it is not read.
    """
    text = cell.strip()
    is_counted = isinstance(cell, NotText) and not isinstance(cell, CountedFrom1904)
    if is_counted and _DAYS_OF_A_WORKBOOK.fullmatch(text):
        return _BEFORE_DAY_1 + timedelta(days=int(text[:5]))
    for form in _FORMS:
        if (found := form.fullmatch(text)) is not None:
            year, month, day = (int(found[part]) for part in ("year", "month", "day"))
            return _day(year, month, day)
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
