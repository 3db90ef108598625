"""The form of a number: what it looks like, whatever its digits and letters are."""

import re
from collections import Counter
from collections.abc import Iterable

from item_visibility.lists.numbers.trade_numbers import (
    GLN_DIGITS,
    fits_check_digit,
    is_number,
    is_trade_number,
    split_item_id,
)

_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]")
_ONE_IN = 20
"""A form that fewer have is an exception: half a number may look like it."""


def has_digit(text: str) -> bool:
    """True when the text holds a digit of any script, as nearly every id does."""
    return any(char.isdecimal() for char in text)


def form_of(number: str) -> str:
    """Return the form of a number: digits alone by their count, else where digits and letters stand."""
    if is_number(number):
        return f"{len(number)} digits"
    return _LETTERS.sub("A", _DIGITS.sub("9", number))


def forms_in_use(numbers: Iterable[str]) -> frozenset[str]:
    """Return the forms that at least one in twenty of the numbers has. A word without a digit has none."""
    forms = Counter(form_of(one) for one in numbers if has_digit(one))
    return frozenset(form for form, count in forms.items() if count * _ONE_IN >= forms.total())


def is_location_number(text: str) -> bool:
    """True when the text has the digits of a GLN."""
    return is_number(text) and len(text) == GLN_DIGITS


def is_item_number(text: str) -> bool:
    """True for a GTIN whose check digit fits, with or without its market.

    Digits alone are one number: others, and those whose check digit does not fit, may be half of one.
    """
    parts = None if is_number(text) else split_item_id(text)
    number = parts.number if parts else text
    return is_trade_number(number) and fits_check_digit(number)
