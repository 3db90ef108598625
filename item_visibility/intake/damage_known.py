"""The known ids, so that a damaged one finds the one that it was."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

from item_visibility.intake.damage_numbers import LONGEST, NumberSeen
from item_visibility.intake.looks import look_without_zeros
from item_visibility.intake.trade_numbers import is_number, split_item_id


class KnownIndex:
    """Ids by what is left of them when case, width, alphabet and zeros at the front do not tell."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = frozenset(ids)
        self._by_look: dict[str, str | None] = {}
        for known in self._ids:
            seen = look_without_zeros(known)
            self._by_look[seen] = None if seen in self._by_look else known
        self._numbers = sorted(
            (int(known), known) for known in self._ids if len(known) <= LONGEST and is_number(known)
        )

    def knows(self, identifier: str) -> bool:
        """True when this very id is known."""
        return identifier in self._ids

    def like(self, identifier: str) -> str | None:
        """This very id, or the only one that looks like it; None when there is none, or more."""
        if identifier in self._ids or not self._ids:
            return identifier if self._ids else None
        return self._by_look.get(look_without_zeros(identifier))

    def within(self, seen: NumberSeen) -> str | None:
        """The only known number within the bounds; None when there is none, or more."""
        first = bisect_left(self._numbers, (seen.low, ""))
        last = bisect_right(self._numbers, (seen.high + 1, ""))
        return self._numbers[first][1] if last - first == 1 else None

    def of_number(self, number: str) -> str | None:
        """The only known item of this number, whatever its market; None when there is none, or more."""
        return self._by_number.get(number.lstrip("0"))

    @cached_property
    def _by_number(self) -> dict[str, str | None]:
        by_number: dict[str, str | None] = {}
        for known in self._ids:
            if parts := split_item_id(known):
                number = parts.number.lstrip("0")
                by_number[number] = None if number in by_number else known
        return by_number
