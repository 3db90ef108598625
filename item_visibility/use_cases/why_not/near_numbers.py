"""The numbers that a person may have meant: other writings of one number, and the small slips of a hand.

Each is a text to look up in an index. So a list of any length is searched without comparing each of its ids.
"""

import re
import string
from collections.abc import Collection, Iterator
from enum import StrEnum
from itertools import pairwise

from item_visibility.lists.numbers import (
    GTIN_DIGITS,
    fits_check_digit,
    in_keyboard_characters,
    is_number,
    is_trade_number,
    split_item_id,
    with_fitting_check_digit,
    without_invisible,
    without_separators,
    writing,
)

SHORTEST = 6
"""In shorter ids every slip is another id."""
_LONGEST = 60
_PACKAGE_DIGITS = 14
_LABEL = re.compile(r"\([0-9]{2,4}\)")
"""The label of a number on a package, such as (01) and (414)."""

_NUMBER = re.compile(r"(?<![0-9])[0-9]{8,14}(?![0-9])(?::[0-9]{3}(?![0-9]))?")
_TWICE = re.compile(r"([0-9]{8,14}(?::[0-9]{3})?)\1")
_POWER = re.compile(r"([0-9])[.,]([0-9]+)[Ee]\+?([0-9]{1,2})")


class Slip(StrEnum):
    """The difference to another id, the most usual first."""

    WRITING = "it is the same number in another writing"
    CHECK_DIGIT = "the last digit differs, and the check digit then fits"
    EXCHANGED = "two neighbouring characters are exchanged"
    ONE_DIGIT = "one digit differs"
    MISSING = "a digit is missing"
    EXTRA = "a digit is too many"


IN_ORDER = tuple(Slip)


def written_like(identifier: str, others: Collection[str]) -> tuple[str, ...]:
    """Return the other ids that are this number in another writing.

    Plain numbers without leading zeros are not compared one by one: `near_ids` has those.
    """
    wanted = writing(identifier)
    odd = (one for one in others if not one.isdigit() or one[0] == "0")
    return tuple(sorted(one for one in odd if one != identifier and writing(one) == wanted))


def near_ids(identifier: str) -> dict[str, Slip]:
    """Return the texts that may have been meant, each with how it differs. The id itself is none of them.

    Of an item with its market, only the number is varied.
    """
    if len(identifier) > _LONGEST:
        return {}
    found: dict[str, Slip] = {}
    for text in _writings(identifier):
        found.setdefault(text, Slip.WRITING)
    plain = without_separators(identifier)
    parts = split_item_id(plain)
    number = parts.number if parts and not is_trade_number(plain) else plain
    rest = plain[len(number) :]
    for text, slip in _slips(number):
        for written in _widths(text) if is_trade_number(number) else (text,):
            found.setdefault(f"{written}{rest}", slip)
    found.pop(identifier, None)
    found.pop("", None)
    return found


def lone_number(text: str) -> str | None:
    """Return the one number that stands in a text with words or marks around it, or is pasted twice.

    Also that of `4.300000000014E+12`, which has all of its digits. None when there is none, or are several.
    """
    if power := _POWER.fullmatch(text):
        return power[1] + power[2] if len(power[2]) == int(power[3]) else None
    if twice := _TWICE.fullmatch(text):
        return twice[1]
    found = set(_NUMBER.findall(_LABEL.sub(" ", text)))
    return found.pop() if len(found) == 1 else None


def packages_of(supplier_item_id: str) -> tuple[str, ...]:
    """Return the GTINs of the same item in other packages: another first digit, and its check digit."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    if not is_trade_number(number) or not fits_check_digit(number):
        return ()
    rest, core = supplier_item_id[len(number) :], number.zfill(_PACKAGE_DIGITS)[1:-1]
    others = (with_fitting_check_digit(f"{first}{core}0") for first in string.digits)
    both = dict.fromkeys(text for other in others for text in (other, other.removeprefix("0")))
    own = number.zfill(_PACKAGE_DIGITS)
    return tuple(f"{text}{rest}" for text in both if text.zfill(_PACKAGE_DIGITS) != own)


def _writings(identifier: str) -> Iterator[str]:
    seen = in_keyboard_characters(without_invisible(identifier))
    for text in dict.fromkeys((seen.strip(), without_separators(identifier))):
        yield from (text, text.upper(), text.lower())
        parts = split_item_id(text)
        number = parts.number if parts else text
        if is_number(number):
            yield from (f"{width}{text[len(number) :]}" for width in _widths(number))


def _widths(number: str) -> Iterator[str]:
    """Yield the number without leading zeros, and filled up to each usual length."""
    bare = number.lstrip("0")
    yield from dict.fromkeys(bare.zfill(digits) for digits in (len(bare), *GTIN_DIGITS))


def _slips(number: str) -> Iterator[tuple[str, Slip]]:
    """Yield each text that differs by one slip of a hand."""
    if len(number) < SHORTEST:
        return
    if is_trade_number(number):
        yield with_fitting_check_digit(number), Slip.CHECK_DIGIT
    for at, (one, other) in enumerate(pairwise(number)):
        yield f"{number[:at]}{other}{one}{number[at + 2 :]}", Slip.EXCHANGED
    for at, char in enumerate(number):
        if char.isdecimal():
            yield from (
                (f"{number[:at]}{digit}{number[at + 1 :]}", Slip.ONE_DIGIT) for digit in string.digits
            )
            yield f"{number[:at]}{number[at + 1 :]}", Slip.EXTRA
    for at in range(len(number) + 1):
        yield from ((f"{number[:at]}{digit}{number[at:]}", Slip.MISSING) for digit in string.digits)
