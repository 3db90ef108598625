"""GS1 numbers: check digits, and trade item numbers with a target market. Note N2.

They help to see what an id may be, or was before a spreadsheet changed it. They never block one.
"""

import re
from typing import NamedTuple

from biip.checksums import gs1_standard_check_digit

GLN_DIGITS = 13
GTIN_DIGITS = (8, 12, 13, 14)
_ZERO = ord("0")
_GTIN_AND_MARKET = re.compile(
    r"(?P<number>[0-9]{8}|[0-9]{12,14})"
    r"(?:[^0-9A-Za-z]?(?P<digits>[0-9]{3})|[^0-9A-Za-z]?(?P<letters>[A-Za-z]{2,3}))"
)


class NumberAndMarket(NamedTuple):
    """An apparent trade item number and the target market after it. Note N2."""

    number: str
    market: str


def split_item_id(supplier_item_id: str) -> NumberAndMarket | None:
    """Split an id that looks like number and market: `04012345678901:276`, `4012345678901DE`. Note N2."""
    match = _GTIN_AND_MARKET.fullmatch(supplier_item_id)
    if match is None:
        return None
    return NumberAndMarket(number=match["number"], market=match["digits"] or match["letters"])


def is_number(text: str) -> bool:
    """True when the text consists only of the digits 0 to 9."""
    return text.isascii() and text.isdigit()


def is_trade_number(text: str) -> bool:
    """True when the text has the digits and length of a trade item number without a market."""
    return is_number(text) and len(text) in GTIN_DIGITS


def with_fitting_check_digit(number: str) -> str:
    """Return the number with its last digit replaced by the check digit that fits."""
    return f"{number[:-1]}{gs1_standard_check_digit(number[:-1])}"


def fits_check_digit(number: str) -> bool:
    """True when the last digit is GS1's check digit for the others. Leading zeros make no difference.

    This works on bytes for speed: a long list calls it for every number.
    """
    digits = number.encode()[::-1]
    odd, even = digits[::2], digits[1::2]
    return (sum(odd) + 3 * sum(even) - _ZERO * (len(odd) + 3 * len(even))) % 10 == 0
