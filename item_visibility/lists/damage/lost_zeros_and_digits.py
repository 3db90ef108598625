"""Finds damage that shows only in comparison with other ids of the column or with known ids."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from item_visibility.lists.damage.finding import Damage, DamageKind, IdRole
from item_visibility.lists.damage.known_index import KnownIndex
from item_visibility.lists.damage.majority import MAJORITY, Majority, Parts, take_apart
from item_visibility.lists.damage.written_numbers import bounds_of_cut, is_cut, is_long
from item_visibility.lists.numbers.lookalikes import look, with_digits_for_letters

_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
_ENOUGH = 8
_Key = TypeVar("_Key", bound=Hashable)


class Neighbours:
    """The undamaged ids of one column, indexed by look and by number."""

    def __init__(
        self,
        texts: Collection[str],
        numbers: Mapping[str, Parts],
        *,
        role: IdRole,
        known: KnownIndex,
        majority: Majority,
    ) -> None:
        self._role = role
        self._known = known
        self._majority = majority
        self._texts = texts
        self._numbers = numbers
        self._by_look = _grouped((look(text), text) for text in texts if _has_letters(text))
        items = [(text, parts) for text, parts in numbers.items() if parts.is_trade_item]
        self._by_number = _grouped((_same_number(parts), text) for text, parts in items)
        self._with_market = {parts.number.lstrip("0") for _, parts in items if parts.separator is not None}
        self._all_may_be_cut, self._long_are_items = _look_for_cuts(texts)

    def judge(self, text: str) -> Damage | None:
        """Return the apparent damage of a text that shows none by itself, or None."""
        parts = self._numbers.get(text) or take_apart(text, self._role)
        return (
            self._beside_known(text)
            or (self._cut(text) if is_cut(text) else None)
            or (self._beside_numbers(text, parts) if parts else self._letters_for_digits(text))
            or self._beside_same_look(text)
        )

    def _beside_known(self, text: str) -> Damage | None:
        known = self._known.like(text)
        if known is None:
            return None
        if look(known) != look(text):
            return Damage(DamageKind.ZEROS_LOST, "It differs from a known id only in leading zeros.", known)
        return Damage(_alike(text, known), "It looks like a known id, but is not the same.", known)

    def _cut(self, text: str) -> Damage | None:
        known = self._known.within(bounds_of_cut(text))
        is_no_item = self._long_are_items and not _is_item_with_market(text)
        if known is None and not self._all_may_be_cut and not is_no_item:
            return None
        return Damage(
            DamageKind.DIGITS_CUT,
            "There are only zeros after the fifteenth digit: a spreadsheet may have put them in place of the"
            " last digits, such as the market.",
            known,
        )

    def _letters_for_digits(self, text: str) -> Damage | None:
        digits = with_digits_for_letters(text)
        if digits == text or not self._are_mostly_digits:
            return None
        parts = take_apart(digits, self._role)
        right = self._known.like(digits) or (self._majority.written_alike(parts) if parts else None)
        message = "Letters that look like digits stand among the digits."
        return Damage(DamageKind.LETTERS_FOR_DIGITS, message, right) if right else None

    def _beside_numbers(self, text: str, parts: Parts) -> Damage | None:
        others = self._by_number(_same_number(parts))
        if any(other != text for other in others) and (right := self._preferred({*others, text})) != text:
            message = "The same number is written in another way elsewhere in this list."
            return Damage(DamageKind.TWO_WRITINGS, message, right)
        right = text if self._majority.includes(parts) else self._majority.written_alike(parts) or text
        if right != text:
            message = "Leading zeros seem to be lost: with them it is like others."
            return Damage(DamageKind.ZEROS_LOST, message, right)
        if parts.separator is None and parts.number.lstrip("0") in self._with_market:
            message = "Elsewhere in this list the same number has a market, and here it has none."
            return Damage(DamageKind.MARKET_MISSING, message, self._known.of_number(parts.number))
        return None

    def _beside_same_look(self, text: str) -> Damage | None:
        others = [other for other in self._by_look(look(text)) if other != text]
        message = "It looks like another id of this list, but is not the same."
        return Damage(_alike(text, others[0]), message, None) if others else None

    def _preferred(self, writings: Collection[str]) -> str:
        """Return the known id, or else the longest one."""
        return max(writings, key=lambda text: (self._known.knows(text), len(text), text))

    @cached_property
    def _are_mostly_digits(self) -> bool:
        """True when most ids of the column consist mostly of digits."""
        mostly = sum(
            len(text.translate(_WITHOUT_DIGITS)) <= len(text) * (1 - MAJORITY) for text in self._texts
        )
        return mostly >= MAJORITY * len(self._texts)


def _look_for_cuts(texts: Iterable[str]) -> tuple[bool, bool]:
    """Return two flags: all long numbers may be cut; most uncut ones are items with their market.

    A spreadsheet cuts every long number of a column, so one uncut number is evidence for the others.
    """
    whole = [text for text in texts if is_long(text) and not is_cut(text)]
    items = sum(map(_is_item_with_market, whole))
    return all(text[0] == "0" for text in whole), bool(whole) and items >= MAJORITY * len(whole)


def _alike(one: str, other: str) -> DamageKind:
    is_case = one.casefold() == other.casefold()
    return DamageKind.LOOK_ALIKE if is_case else DamageKind.LOOK_ALIKE_LETTERS


def _is_item_with_market(text: str) -> bool:
    parts = take_apart(text, IdRole.ITEM)
    return parts is not None and parts.separator == "" and parts.is_trade_item


def _same_number(parts: Parts) -> tuple[str, str]:
    return parts.number.lstrip("0"), parts.market


def _has_letters(text: str) -> bool:
    """Return False for numbers, because no other undamaged text looks like them."""
    return text.lower() != text.upper()


def _grouped(pairs: Iterable[tuple[_Key, str]]) -> Callable[[_Key], Sequence[str]]:
    """Return a function that looks up the texts of a key. It returns only the first few of many."""
    first: dict[_Key, str] = {}
    more: dict[_Key, list[str]] = {}
    for key, text in pairs:
        if first.setdefault(key, text) is not text and len(others := more.setdefault(key, [])) < _ENOUGH:
            others.append(text)
    return lambda key: (first[key], *more.get(key, ())) if key in first else ()
