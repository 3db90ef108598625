"""Ids that a person may have meant: the same number in another writing, or with one slip of a hand."""

import string
from collections.abc import Collection
from itertools import pairwise

from item_visibility.lists.numbers import GTIN_DIGITS, without_separators, writing
from item_visibility.use_cases.check.question import trade_number

_SHORTEST, _LONGEST = 6, 60
"""In shorter ids every slip is another id; longer ones are no numbers."""
_FEW = 3
"""More ids with one slip are a series of numbers: none of them is near."""


def near_among(identifier: str, others: Collection[str]) -> tuple[str, ...]:
    """Return the ids of a list that are this number in another writing; else the few with one slip."""
    plain, wanted = without_separators(identifier), writing(identifier)
    odd = (one for one in others if not one.isdigit() or one[0] == "0" or one == plain)
    written = sorted(one for one in odd if one != identifier and writing(one) == wanted)
    near = [one for one in near_texts(identifier) if one in others]
    return tuple(written or (near if len(near) <= _FEW else ()))


def near_texts(identifier: str) -> tuple[str, ...]:
    """Return the texts to look up for an id: its other writings, then all with one slip in the number."""
    plain = without_separators(identifier)
    number = trade_number(plain)
    if not _SHORTEST <= len(number) <= _LONGEST:
        return ()
    places = [at for at, char in enumerate(number) if char.isdigit()]
    texts = [
        *(number.lstrip("0").zfill(digits) for digits in GTIN_DIGITS if number.isdigit()),
        *(number[:at] + b + a + number[at + 2 :] for at, (a, b) in enumerate(pairwise(number))),
        *(number[:at] + digit + number[at + 1 :] for at in places for digit in string.digits),
        *(number[:at] + number[at + 1 :] for at in places),
        *(number[:at] + digit + number[at:] for at in range(len(number) + 1) for digit in string.digits),
    ]
    found = dict.fromkeys(f"{one}{plain[len(number) :]}" for one in (number, *texts))
    return tuple(one for one in found if one != identifier)
