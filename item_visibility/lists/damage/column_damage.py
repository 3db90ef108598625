"""Finds the damage of the ids of one column, from their texts, their neighbours and the known ids."""

import re
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import NamedTuple

from item_visibility.lists.damage.finding import Damage, DamageKind, IdRole
from item_visibility.lists.damage.known_index import KnownIndex
from item_visibility.lists.damage.lost_zeros_and_digits import Neighbours
from item_visibility.lists.damage.majority import MARKET_DIGITS, Majority, take_apart
from item_visibility.lists.damage.text_rules import find_in_text
from item_visibility.lists.damage.written_numbers import is_cut, is_long, read_number
from item_visibility.lists.numbers.market_names import market_code, market_name
from item_visibility.lists.numbers.number_forms import form_of, has_digit
from item_visibility.lists.numbers.trade_numbers import GLN_DIGITS, GTIN_DIGITS, is_number

_HEAD_AND_MARKET = re.compile(r"(.+):([0-9]{1,3})")
_SHAPE = str.maketrans("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "9" * 10 + "A" * 52)
_LATIN = re.compile(r"[A-Za-z]")
_NEVER_USUAL = frozenset(
    {
        DamageKind.ERROR_VALUE,
        DamageKind.MISREAD,
        DamageKind.FORMULA,
        DamageKind.LINE_BREAK,
        DamageKind.OUTER_SPACES,
        DamageKind.INVISIBLE,
        DamageKind.ODD_SPACES,
        DamageKind.OTHER_DIGITS,
        DamageKind.DASHES,
    }
)
"""Kinds that are always damage. Others are dismissed if undamaged ids of the column have the same shape."""

_SPREADSHEET_VALUES = frozenset({DamageKind.ERROR_VALUE, DamageKind.TRUTH, DamageKind.DATE_OR_TIME})


class Id(NamedTuple):
    """The text of an id, and a flag for whether the file holds it as text."""

    text: str
    is_text: bool = True


class Column:
    """All ids of one role. Each one helps to judge the others."""

    def __init__(self, ids: Collection[Id], *, role: IdRole, known: KnownIndex) -> None:
        self._role = role
        self._known = known
        damages = {one: damage for one in ids if (damage := self._damage(one))}
        self._damages = _without_usual(damages, ids)
        self._clean = clean = [one.text for one in ids if one not in self._damages]
        numbers = {text: parts for text in clean if (parts := take_apart(text, role))}
        damaged = (take_apart(_exact(damage.rest or ""), role) for damage in self._damages.values())
        self._majority = Majority(role, texts=numbers.values(), damaged=filter(None, damaged))
        self._neighbours = Neighbours(clean, numbers, role=role, known=known, majority=self._majority)

    def judge(self, one: Id) -> Damage | None:
        """Return the damage of this id of the column, or None. Its `rest` is the probable original id."""
        damage = self._damages.get(one)
        if damage is None:
            return self._judge_text(one.text)
        damage = damage._replace(rest=self._suggestion(damage))
        return damage if one.is_text else self._judge_number(one.text, damage)

    def _damage(self, one: Id) -> Damage | None:
        damage = find_in_text(one.text)
        if not one.is_text:
            return _damage_of_number(one.text, damage)
        if damage is None or not self._known.knows(one.text):
            return damage
        return damage if damage.rest != one.text and self._known.knows(damage.rest or "") else None

    def _suggestion(self, damage: Damage) -> str | None:
        if damage.rest is None:
            return None
        if damage.is_loss:
            return self._proven(damage.rest, damage.kind)
        further = self._judge_text(damage.rest)
        return further.rest if further else damage.rest

    def _judge_text(self, text: str) -> Damage | None:
        if self._known.knows(text):
            return None
        return _judge_market(text) if self._role is IdRole.MARKET else self._neighbours.judge(text)

    def _judge_number(self, text: str, damage: Damage) -> Damage:
        """Return the damage of a number cell, `is_whole` if it has all its digits.

        That takes fewer digits than spreadsheets cut, a valid check digit, and the form of the text ids of
        the column. Without text ids, it takes the longest form of such a number.
        """
        rest = damage.rest
        if rest is None or self._role is IdRole.MARKET:
            return damage._replace(is_whole=rest == text)
        forms = self._text_forms
        if forms and form_of(rest) not in forms and not self._known.knows(rest):
            return damage._replace(rest=None)
        longest = max(GTIN_DIGITS) if self._role is IdRole.ITEM else GLN_DIGITS
        parts = None if is_long(text) else take_apart(text, self._role)
        has_form = {form_of(text)} == (forms or {f"{longest} digits"})
        return damage._replace(is_whole=rest == text and has_form and parts is not None and parts.is_valid)

    @cached_property
    def _text_forms(self) -> set[str]:
        """The forms of the undamaged text ids of the column."""
        return {form_of(text) for text in self._clean if has_digit(text)}

    def _proven(self, text: str, kind: DamageKind) -> str | None:
        """Return the original id of a text with a loss: a known one, or one whose check digit fits.

        The original of a cut number can only be a known one.
        """
        if self._role is IdRole.MARKET:
            return _market(text)
        if kind is not DamageKind.DIGITS_CUT and not is_cut(text):
            text = _exact(text)
            if (known := self._known.like(text)) is not None:
                return known
            if parts := take_apart(text, self._role):
                return self._majority.written_alike(parts)
        seen = read_number(text)
        return self._known.within(seen) if seen else None


def _without_usual(damages: dict[Id, Damage], ids: Iterable[Id]) -> dict[Id, Damage]:
    """Return the damages, except those of ids with the same form as undamaged ones of the column."""
    doubtful = {
        one: one.text.translate(_SHAPE)
        for one, damage in damages.items()
        if one.is_text and damage.kind not in _NEVER_USUAL
    }
    if not doubtful:
        return damages
    clean = [one.text for one in ids if one not in damages]
    usual = {text.translate(_SHAPE) for text in clean}
    is_ascii = all(map(str.isascii, clean))
    return {
        one: damage
        for one, damage in damages.items()
        if doubtful.get(one) not in usual and (is_ascii or not _is_of_one_alphabet(one, damage))
    }


def _is_of_one_alphabet(one: Id, damage: Damage) -> bool:
    """Return True when letters look like Latin ones and no letter is Latin."""
    return damage.kind is DamageKind.LOOK_ALIKE_LETTERS and _LATIN.search(one.text) is None


def _exact(text: str) -> str:
    """Return the text with the exponent of its number resolved and its market padded, as far as possible."""
    match = _HEAD_AND_MARKET.fullmatch(text)
    head, market = (match[1], f":{match[2].zfill(MARKET_DIGITS)}") if match else (text, "")
    seen = None if is_number(head) else read_number(head)
    return f"{seen.digits if seen and seen.digits else head}{market}"


def _market(text: str) -> str | None:
    """Return the code of a market, with leading zeros if it is a number. Return None if it does not exist."""
    full = text.zfill(MARKET_DIGITS) if is_number(text) else text
    return full if market_name(full) else None


def _judge_market(text: str) -> Damage | None:
    """Return the damage of an item's market that has its own column."""
    if not is_number(text):
        message = "Ids of items usually hold the market as a number of three digits."
        return Damage(DamageKind.MARKET_IN_WORDS, message, market_code(text) or None)
    full = _market(text)
    if full in (None, text):
        return None
    return Damage(DamageKind.ZEROS_LOST, "The number of a market has three digits.", full)


def _damage_of_number(text: str, damage: Damage | None) -> Damage:
    """Return the damage of a cell that is not text."""
    if damage and damage.kind in _SPREADSHEET_VALUES:
        return damage
    seen = read_number(text)
    if seen and seen.digits is None:
        message = "The spreadsheet keeps this as a number: digits after the fifteenth are lost."
        return Damage(DamageKind.DIGITS_CUT, message, text, is_loss=True)
    message = "The spreadsheet keeps this as a number, not as a text: leading zeros may be lost."
    return Damage(DamageKind.NUMBER_CELL, message, seen.digits if seen else None, is_loss=True)
