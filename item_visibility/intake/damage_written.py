"""How the numbers of one column are written: what one of them was is told by the others."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from item_visibility.intake.damage_finding import IdRole
from item_visibility.intake.trade_numbers import (
    GLN_DIGITS,
    GTIN_DIGITS,
    fits_check_digit,
    is_number,
    market_name,
)

MOST = 0.6
"""From this share on, what the numbers of a column have in common is no coincidence."""

_LONGEST, _SHORTEST = 14, 8
_ALL_LENGTHS = range(_SHORTEST, _LONGEST + 1)
_MARKET_DIGITS = 3
_MOST_ZEROS = 3
_NUMBER_AND_MARKET = re.compile(
    r"(?P<number>[0-9]{8,14})(?P<separator>[^0-9A-Za-z])(?P<market>[0-9]{1,3}|[A-Za-z]{2,3})"
)


class Parts(NamedTuple):
    """A number, and what stands behind it: a separator, which may be empty, and a market; None for none."""

    number: str
    separator: str | None = None
    market: str = ""

    def __str__(self) -> str:
        return f"{self.number}{self.separator or ''}{self.market}"


def take_apart(text: str, role: IdRole) -> Parts | None:
    """The number in an id, and its market where it names an item; None when there is no such number."""
    if is_number(text):
        if _SHORTEST <= len(text) <= _LONGEST:
            return Parts(text)
        is_run = role is IdRole.ITEM and _LONGEST < len(text) <= _LONGEST + _MARKET_DIGITS
        return Parts(text[:-_MARKET_DIGITS], "", text[-_MARKET_DIGITS:]) if is_run else None
    match = _NUMBER_AND_MARKET.fullmatch(text) if role is IdRole.ITEM else None
    return Parts(match["number"], match["separator"], match["market"]) if match else None


def is_trade_item(parts: Parts) -> bool:
    """True when the number is as long as one of a trade item, its check digit fits, and the market is one."""
    return len(parts.number) in GTIN_DIGITS and _fits(parts)


def _fits(parts: Parts) -> bool:
    is_market = parts.separator is None or market_name(parts.market.zfill(_MARKET_DIGITS)) != ""
    return is_market and fits_check_digit(parts.number)


@dataclass(slots=True)
class _Lengths:
    """How many numbers there are of each length, and of how many check digit and market fit."""

    all: Counter[int] = field(default_factory=Counter)
    fitting: Counter[int] = field(default_factory=Counter)
    with_zero: int = 0
    """Of those with fourteen digits."""
    _trusted: dict[range, bool] = field(default_factory=dict)

    def count(self, parts: Parts) -> None:
        number = parts.number
        self.all[len(number)] += 1
        if _fits(parts):
            self.fitting[len(number)] += 1
            self.with_zero += len(number) == _LONGEST and number[0] == "0"

    def are_trusted(self, lengths: range) -> bool:
        """True when most numbers of these lengths fit. Asked when all are counted."""
        if lengths not in self._trusted:
            counted = sum(self.all[length] for length in lengths)
            self._trusted[lengths] = sum(self.fitting[length] for length in lengths) >= MOST * counted
        return self._trusted[lengths]


class Written:
    """The numbers of one column: those that stand as text, and those that are known from damaged cells."""

    def __init__(self, role: IdRole, *, texts: Iterable[Parts], damaged: Iterable[Parts]) -> None:
        self._role = role
        self._by_separator: dict[str | None, _Lengths] = {}
        self._expected: dict[str | None, int] = {}
        self._count(texts)
        self._count(damaged)

    def is_as_others(self, parts: Parts) -> bool:
        """True when the number has as many digits as most, and a market of digits has all of them."""
        has_length = len(parts.number) == self._expected.get(parts.separator)
        return has_length and (not parts.separator or len(parts.market) >= _MARKET_DIGITS)

    def right(self, parts: Parts) -> Parts | None:
        """The number as most others are written, where check digits speak for it; else None."""
        lengths = self._by_separator.get(parts.separator)
        if lengths is None:
            return parts if len(parts.number) in self._usual() and is_trade_item(parts) else None
        if not _fits(parts):
            return None
        if not lengths.are_trusted(_ALL_LENGTHS):
            return None
        return self._of_length(parts, lengths, self._expected.get(parts.separator, 0))

    def _of_length(self, parts: Parts, lengths: _Lengths, expected: int) -> Parts | None:
        missing = expected - len(parts.number)
        is_longest = expected == _LONGEST and lengths.with_zero < MOST * lengths.fitting[_LONGEST]
        if 0 < missing <= _MOST_ZEROS and not is_longest:
            is_one_of_many = lengths.are_trusted(range(expected - _MOST_ZEROS, expected))
            padded = Parts(parts.number.zfill(expected), parts.separator, parts.market)
            return padded if is_one_of_many else None
        is_usual = len(parts.number) in self._usual()
        return parts if is_usual else None

    def _usual(self) -> tuple[int, ...]:
        return GTIN_DIGITS if self._role is IdRole.ITEM else (GLN_DIGITS,)

    def _count(self, some: Iterable[Parts]) -> None:
        for parts in some:
            self._by_separator.setdefault(parts.separator, _Lengths()).count(parts)
        for separator, lengths in self._by_separator.items():
            usual = [(lengths.fitting[length], length) for length in self._usual() if lengths.fitting[length]]
            if self._role is not IdRole.ITEM:
                self._expected[separator] = GLN_DIGITS
            elif usual:
                self._expected.setdefault(separator, max(usual)[1])
