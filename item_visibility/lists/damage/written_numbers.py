"""Reads numbers as spreadsheets write them, and returns the original exactly or within bounds."""

import re
from dataclasses import dataclass

from item_visibility.lists.numbers.trade_numbers import is_number

_EXACT_DIGITS = 15
"""Spreadsheets keep this many digits of a number, and replace the rest by zeros."""

LONGEST = 40
"""The limit of digits that an id can have as a number."""
_NUMBER = re.compile(
    r"(?P<whole>[0-9]{1,40})(?:[.,](?P<part>[0-9]{0,40}))?(?:[eE](?P<sign>\+?)(?P<exponent>[0-9]{1,3}))?"
)
_SHORTENED = re.compile(r"[0-9](?:[.,][0-9]+[eE]\+?|[eE]\+)[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class NumberSeen:
    """A number with known digits, or with known bounds only."""

    digits: str | None
    low: int
    high: int


def is_shortened(text: str) -> bool:
    """Return True for a number that a spreadsheet has shortened: `4.00638E+15`."""
    return _SHORTENED.fullmatch(text) is not None


def read_number(text: str) -> NumberSeen | None:
    """Return the whole number in the text, in any notation. Return None when it is not one."""
    match = _NUMBER.fullmatch(text)
    if match is None or int(match["exponent"] or 0) > LONGEST:
        return None
    part = match["part"] or ""
    missing = int(match["exponent"] or 0) - len(part)
    written = match["whole"] + part
    if missing <= 0:
        return _whole(written, missing)
    low, high = (int(written) * 10 - 5) * 10 ** (missing - 1), (int(written) * 10 + 5) * 10 ** (missing - 1)
    return NumberSeen(None, max(low, 0), high)


def is_long(text: str) -> bool:
    """Return True for a number with more digits than spreadsheets keep."""
    return len(text) > _EXACT_DIGITS and is_number(text)


def is_cut(text: str) -> bool:
    """Return True for a long number with nothing but zeros after the digits that spreadsheets keep."""
    return (
        len(text) > _EXACT_DIGITS
        and is_number(text)
        and text[0] != "0"
        and not text[_EXACT_DIGITS:].strip("0")
    )


def bounds_of_cut(digits: str) -> NumberSeen:
    """Return the bounds of the original number, of which a spreadsheet kept fifteen digits."""
    unit = 10 ** max(len(digits) - _EXACT_DIGITS, 0)
    return NumberSeen(None, int(digits) - unit, int(digits) + unit)


def _whole(written: str, missing: int) -> NumberSeen | None:
    """Return a number whose digits are all known, unless there are more than spreadsheets keep."""
    whole = written[:missing] if missing else written
    behind = written[len(whole) :]
    digits = whole.lstrip("0") or "0"
    if len(digits) > _EXACT_DIGITS:
        return bounds_of_cut(digits)
    return None if behind.strip("0") else NumberSeen(digits, int(digits), int(digits))
