"""The form of a number: what it looks like, whatever its digits and letters are."""

import re

from item_visibility.intake.trade_numbers import is_number

_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]")


def form_of(number: str) -> str:
    """Return the form of a number: digits alone by their count, else where digits and letters stand."""
    if is_number(number):
        return f"{len(number)} digits"
    return _LETTERS.sub("A", _DIGITS.sub("9", number))
