"""The usual form of the numbers in a column. It tells what the damaged ones were."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from item_visibility.lists.damage.finding import IdRole
from item_visibility.lists.numbers.market_names import market_name
from item_visibility.lists.numbers.trade_numbers import GLN_DIGITS, GTIN_DIGITS, fits_check_digit, is_number

MAJORITY = 0.6
"""From this share on, a common form of the numbers in a column is no coincidence."""

MARKET_DIGITS = 3
_LONGEST, _SHORTEST = 14, 8
_ALL_LENGTHS = range(_SHORTEST, _LONGEST + 1)
_MOST_ZEROS = 3
_NUMBER_AND_MARKET = re.compile(
    r"(?P<number>[0-9]{8,14})(?P<separator>[^0-9A-Za-z])(?P<market>[0-9]{1,3}|[A-Za-z]{2,3})"
)


class Parts(NamedTuple):
    """A number, a separator and a market. The separator is None without a market, and may be empty."""

    number: str
    separator: str | None = None
    market: str = ""

    def __str__(self) -> str:
        return f"{self.number}{self.separator or ''}{self.market}"

    @property
    def is_valid(self) -> bool:
        """True when the check digit of the number fits and its market, if any, exists."""
        is_market = self.separator is None or market_name(self.market.zfill(MARKET_DIGITS)) != ""
        return is_market and fits_check_digit(self.number)

    @property
    def is_trade_item(self) -> bool:
        """True when the number is a valid trade item number."""
        return len(self.number) in GTIN_DIGITS and self.is_valid


def take_apart(text: str, role: IdRole) -> Parts | None:
    """Return the number in an id, or None. An item's number comes with its market, if it has one."""
    if is_number(text):
        if _SHORTEST <= len(text) <= _LONGEST:
            return Parts(text)
        is_run = role is IdRole.ITEM and _LONGEST < len(text) <= _LONGEST + MARKET_DIGITS
        return Parts(text[:-MARKET_DIGITS], "", text[-MARKET_DIGITS:]) if is_run else None
    match = _NUMBER_AND_MARKET.fullmatch(text) if role is IdRole.ITEM else None
    return Parts(*match.groups()) if match else None


@dataclass(slots=True)
class _Lengths:
    """Counts of all numbers and of the valid ones, by length."""

    all: Counter[int] = field(default_factory=Counter)
    valid: Counter[int] = field(default_factory=Counter)
    with_zero: int = 0
    """The count of valid numbers of fourteen digits that begin with a zero."""
    _trusted: dict[range, bool] = field(default_factory=dict)

    def count(self, parts: Parts) -> None:
        number = parts.number
        self.all[len(number)] += 1
        if parts.is_valid:
            self.valid[len(number)] += 1
            self.with_zero += len(number) == _LONGEST and number[0] == "0"

    def are_trusted(self, lengths: range) -> bool:
        """Return True when most numbers of these lengths are valid. Call it after all are counted."""
        if lengths not in self._trusted:
            counted = sum(self.all[length] for length in lengths)
            self._trusted[lengths] = sum(self.valid[length] for length in lengths) >= MAJORITY * counted
        return self._trusted[lengths]


class Majority:
    """The numbers of one column. Those of text cells are counted before those of damaged cells."""

    def __init__(self, role: IdRole, *, texts: Iterable[Parts], damaged: Iterable[Parts]) -> None:
        self._usual = GTIN_DIGITS if role is IdRole.ITEM else (GLN_DIGITS,)
        self._by_separator: dict[str | None, _Lengths] = {}
        self._expected: dict[str | None, int] = {}
        for some in (texts, damaged):
            for parts in some:
                self._by_separator.setdefault(parts.separator, _Lengths()).count(parts)
            for separator, lengths in self._by_separator.items():
                self._expect(separator, lengths)

    def includes(self, parts: Parts) -> bool:
        """Return True when the number has the usual length and its market, if any, has all its digits."""
        has_length = len(parts.number) == self._expected.get(parts.separator)
        return has_length and (not parts.separator or len(parts.market) >= MARKET_DIGITS)

    def written_alike(self, parts: Parts) -> str | None:
        """Return the number in the form of most others if check digits support it, else None."""
        if parts.separator and is_number(parts.market):
            parts = parts._replace(market=parts.market.zfill(MARKET_DIGITS))
        lengths = self._by_separator.get(parts.separator)
        is_usual = len(parts.number) in self._usual
        if lengths is None:
            return str(parts) if is_usual and parts.is_trade_item else None
        if not parts.is_valid or not lengths.are_trusted(_ALL_LENGTHS):
            return None
        expected = self._expected.get(parts.separator, 0)
        is_longest = expected == _LONGEST and lengths.with_zero < MAJORITY * lengths.valid[_LONGEST]
        if 0 < expected - len(parts.number) <= _MOST_ZEROS and not is_longest:
            is_one_of_many = lengths.are_trusted(range(expected - _MOST_ZEROS, expected))
            return str(parts._replace(number=parts.number.zfill(expected))) if is_one_of_many else None
        return str(parts) if is_usual else None

    def _expect(self, separator: str | None, lengths: _Lengths) -> None:
        """Store the expected length of the numbers with this separator, once it is known."""
        usual = [(lengths.valid[length], length) for length in self._usual if lengths.valid[length]]
        if self._usual == (GLN_DIGITS,):
            self._expected[separator] = GLN_DIGITS
        elif usual:
            self._expected.setdefault(separator, max(usual)[1])
