"""An index of the known ids. It finds the original of a damaged id."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

from item_visibility.lists.damage.written_numbers import LONGEST, NumberSeen
from item_visibility.lists.numbers.lookalikes import look_without_zeros
from item_visibility.lists.numbers.trade_numbers import is_number, split_item_id


class KnownIndex:
    """Known ids, indexed without case, width, alphabet and leading zeros."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = frozenset(ids)
        self._by_look = _only_ones((look_without_zeros(known), known) for known in self._ids)
        self._numbers = sorted(
            (int(known), known) for known in self._ids if len(known) <= LONGEST and is_number(known)
        )

    @property
    def all(self) -> frozenset[str]:
        """Every known id."""
        return self._ids

    def knows(self, identifier: str) -> bool:
        """Return True when this very id is known."""
        return identifier in self._ids

    def like(self, identifier: str) -> str | None:
        """Return this very id, or the only one that looks like it. Return None for no match or several."""
        if identifier in self._ids:
            return identifier
        return self._by_look.get(look_without_zeros(identifier)) if self._ids else None

    def within(self, seen: NumberSeen) -> str | None:
        """Return the only known number within the bounds. Return None for no match or several."""
        first = bisect_left(self._numbers, (seen.low, ""))
        last = bisect_right(self._numbers, (seen.high + 1, ""))
        return self._numbers[first][1] if last - first == 1 else None

    def of_number(self, number: str) -> str | None:
        """Return the only known item of this number, in any market. Return None for no match or several."""
        return self._by_number.get(number.lstrip("0"))

    @cached_property
    def _by_number(self) -> dict[str, str | None]:
        items = ((split_item_id(known), known) for known in self._ids)
        return _only_ones((parts.number.lstrip("0"), known) for parts, known in items if parts)


def _only_ones(pairs: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Return the text of each key, or None for a key with more than one."""
    found: dict[str, str | None] = {}
    for key, text in pairs:
        found[key] = None if key in found else text
    return found
