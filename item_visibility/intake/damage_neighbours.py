"""Damage that no text gives away alone: it shows beside the other ids of the column and the known ones."""

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from item_visibility.intake.damage_finding import DamageKind, IdRole
from item_visibility.intake.damage_known import KnownIndex
from item_visibility.intake.damage_numbers import EXACT_DIGITS, bounds_of_cut, is_cut
from item_visibility.intake.damage_rule import Verdict
from item_visibility.intake.damage_written import (
    MOST,
    Parts,
    Written,
    is_trade_item,
    take_apart,
)
from item_visibility.intake.looks import look
from item_visibility.intake.trade_numbers import is_number

_LETTERS = str.maketrans("OolI|", "00111")
_WITH_LETTERS = re.compile(r"(?=.*[OolI|])[0-9OolI|]{8,}(?:[^0-9A-Za-z|][0-9OolI|]{3})?")
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
_MARKET_DIGITS = 3
_ENOUGH = 8
_Key = TypeVar("_Key", bound=Hashable)


class Neighbours:
    """The undamaged ids of one column, and their numbers, by what two of them can share."""

    def __init__(
        self,
        texts: Collection[str],
        numbers: Mapping[str, Parts],
        *,
        role: IdRole,
        known: KnownIndex,
        written: Written,
    ) -> None:
        self._role = role
        self._known = known
        self._written = written
        self._texts = texts
        self._numbers = numbers
        self._by_look = Groups((look(text), text) for text in texts if _has_letters(text))
        items = [(text, parts) for text, parts in numbers.items() if is_trade_item(parts)]
        self._by_number = Groups((_same_number(parts), text) for text, parts in items)
        self._with_market = {parts.number.lstrip("0") for _, parts in items if parts.separator is not None}
        self._all_may_be_cut, self._long_are_items = _look_for_cuts(texts)

    def judge(self, text: str) -> Verdict | None:
        """What seems to be wrong with a text that gives nothing away itself."""
        parts = self._numbers.get(text) or take_apart(text, self._role)
        return (
            self._beside_known(text)
            or (self._beside_numbers(text, parts) if parts else self._letters_for_digits(text))
            or (self._cut(text) if len(text) > EXACT_DIGITS else None)
            or self._beside_same_look(text)
        )

    def _beside_numbers(self, text: str, parts: Parts) -> Verdict | None:
        return (
            (self._cut(text) if len(text) > EXACT_DIGITS else None)
            or self._beside_same_number(text, parts)
            or self._without_zeros(text, parts)
            or self._without_market(parts)
        )

    def _beside_known(self, text: str) -> Verdict | None:
        known = self._known.like(text)
        if known is None:
            return None
        if look(known) != look(text):
            return Verdict(
                DamageKind.ZEROS_LOST, "It differs from a known id in nothing but zeros in front.", known
            )
        return Verdict(_alike(text, known), "It looks like a known id, but is not the same.", known)

    def _letters_for_digits(self, text: str) -> Verdict | None:
        if _WITH_LETTERS.fullmatch(text) is None or not self._are_mostly_digits:
            return None
        digits = text.translate(_LETTERS)
        parts = take_apart(digits, self._role)
        right = self._known.like(digits) or (self._right(parts) if parts else None)
        if right is None:
            return None
        return Verdict(
            DamageKind.LETTERS_FOR_DIGITS, "Letters that look like digits stand among the digits.", right
        )

    def _cut(self, text: str) -> Verdict | None:
        if not is_number(text) or not is_cut(text):
            return None
        known = self._known.within(bounds_of_cut(text))
        is_no_item = self._long_are_items and not _is_item_with_market(text)
        if known is None and not self._all_may_be_cut and not is_no_item:
            return None
        return Verdict(
            DamageKind.DIGITS_CUT,
            "There are only zeros after the fifteenth digit: a spreadsheet may have put them in place of the"
            " last digits, such as the market.",
            known,
        )

    def _beside_same_number(self, text: str, parts: Parts) -> Verdict | None:
        others = self._by_number.of(_same_number(parts))
        right = self._preferred({*others, text}) if any(other != text for other in others) else text
        if right == text:
            return None
        return Verdict(
            DamageKind.TWO_WRITINGS,
            "The same number is written in another way elsewhere in this list.",
            right,
        )

    def _preferred(self, writings: Collection[str]) -> str:
        """The known one, or the longest."""
        return max(writings, key=lambda text: (self._known.knows(text), len(text), text))

    def _without_zeros(self, text: str, parts: Parts) -> Verdict | None:
        right = None if self._written.is_as_others(parts) else self._right(parts)
        if right is None or right == text:
            return None
        return Verdict(
            DamageKind.ZEROS_LOST, "Zeros in front seem to be lost: with them it is like others.", right
        )

    def _right(self, parts: Parts) -> str | None:
        """The number as most others are written, where check digits speak for it; else None."""
        if parts.separator and len(parts.market) < _MARKET_DIGITS and is_number(parts.market):
            parts = Parts(parts.number, parts.separator, parts.market.zfill(_MARKET_DIGITS))
        right = self._written.right(parts)
        return str(right) if right else None

    def _without_market(self, parts: Parts) -> Verdict | None:
        if parts.separator is not None or parts.number.lstrip("0") not in self._with_market:
            return None
        return Verdict(
            DamageKind.MARKET_MISSING,
            "Elsewhere in this list the same number has a market, and here it has none.",
            self._known.of_number(parts.number),
        )

    def _beside_same_look(self, text: str) -> Verdict | None:
        others = [other for other in self._by_look.of(look(text)) if other != text]
        if not others:
            return None
        return Verdict(
            _alike(text, others[0]), "It looks like another id of this list, but is not the same.", None
        )

    @cached_property
    def _are_mostly_digits(self) -> bool:
        """True when most ids of the column are made of digits, for the most part."""
        mostly = sum(len(text.translate(_WITHOUT_DIGITS)) <= len(text) * (1 - MOST) for text in self._texts)
        return mostly >= MOST * len(self._texts)


def _look_for_cuts(texts: Iterable[str]) -> tuple[bool, bool]:
    """Whether all long numbers may be cut, and whether most that are not are items with their market.

    A spreadsheet cuts every long number of a column: one that is whole speaks for the others.
    """
    long = [text for text in texts if len(text) > EXACT_DIGITS and is_number(text)]
    whole = [text for text in long if not is_cut(text)]
    items = sum(map(_is_item_with_market, whole))
    may_all_be = all(text[0] == "0" for text in whole)
    return may_all_be, bool(whole) and items >= MOST * len(whole)


def _alike(one: str, other: str) -> DamageKind:
    is_case = one.casefold() == other.casefold()
    return DamageKind.LOOK_ALIKE if is_case else DamageKind.LOOK_ALIKE_LETTERS


def _is_item_with_market(text: str) -> bool:
    parts = take_apart(text, IdRole.ITEM)
    return parts is not None and parts.separator == "" and is_trade_item(parts)


def _same_number(parts: Parts) -> tuple[str, str]:
    return parts.number.lstrip("0"), parts.market


def _has_letters(text: str) -> bool:
    """False for numbers: no other undamaged text looks like them."""
    return text.lower() != text.upper()


class Groups(Generic[_Key]):
    """Texts by what they share; of many that share it, the first ones are enough."""

    def __init__(self, pairs: Iterable[tuple[_Key, str]]) -> None:
        self._first: dict[_Key, str] = {}
        self._more: dict[_Key, list[str]] = {}
        for key, text in pairs:
            if self._first.setdefault(key, text) is not text:
                more = self._more.setdefault(key, [])
                if len(more) < _ENOUGH:
                    more.append(text)

    def of(self, key: _Key) -> Sequence[str]:
        """The texts that share this."""
        first = self._first.get(key)
        return () if first is None else (first, *self._more.get(key, ()))
