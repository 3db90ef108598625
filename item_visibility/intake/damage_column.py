"""The damage of the ids of one column, as their texts, their neighbours and the known ids tell it."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from item_visibility.intake.damage_cell import find_in_text
from item_visibility.intake.damage_finding import DamageKind, IdRole
from item_visibility.intake.damage_known import KnownIndex
from item_visibility.intake.damage_neighbours import Neighbours
from item_visibility.intake.damage_numbers import read_number
from item_visibility.intake.damage_rule import Damage, Verdict
from item_visibility.intake.damage_written import Written, take_apart
from item_visibility.intake.trade_numbers import is_number, market_name, market_number

_MARKET_DIGITS = 3
_HEAD_AND_MARKET = re.compile(r"(.+):([0-9]{1,3})")
_SHAPE = str.maketrans("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "9" * 10 + "A" * 52)
_LATIN = re.compile(r"[A-Za-z]")
_SHAPES_TELL = frozenset(
    {
        DamageKind.DATE_OR_TIME,
        DamageKind.TRUTH,
        DamageKind.MISSING,
        DamageKind.SIGN,
        DamageKind.THOUSANDS,
        DamageKind.DECIMALS,
        DamageKind.PERCENT_OR_CURRENCY,
        DamageKind.SCIENTIFIC,
        DamageKind.ESCAPED,
        DamageKind.QUOTES,
        DamageKind.APOSTROPHE,
        DamageKind.LOOK_ALIKE_LETTERS,
    }
)
"""An undamaged id of the same shape in the column says that ids look like that here."""

_SPREADSHEET_VALUES = frozenset({DamageKind.ERROR_VALUE, DamageKind.TRUTH, DamageKind.DATE_OR_TIME})


class Id(NamedTuple):
    """A text that stands for an id, and whether the file holds it as something else than a text."""

    text: str
    is_text: bool = True


class Column:
    """All ids of one role, of which each helps to judge the others."""

    def __init__(self, ids: Collection[Id], *, role: IdRole, known: KnownIndex) -> None:
        self._role = role
        self._known = known
        damages = {one: damage for one in ids if (damage := self._damage(one))}
        self._damages = _without_usual(damages, ids)
        clean = [one.text for one in ids if one not in self._damages]
        numbers = {text: parts for text in clean if (parts := take_apart(text, role))}
        damaged = (take_apart(_exact(damage.rest or ""), role) for damage in self._damages.values())
        self._written = Written(role, texts=numbers.values(), damaged=filter(None, damaged))
        self._neighbours = Neighbours(clean, numbers, role=role, known=known, written=self._written)

    def judge(self, one: Id) -> Verdict | None:
        """What happened to this id of the column; None when nothing seems to be wrong."""
        damage = self._damages.get(one)
        if damage is None:
            return self._judge_text(one.text)
        return Verdict(damage.kind, damage.message, self._suggestion(damage))

    def _damage(self, one: Id) -> Damage | None:
        damage = find_in_text(one.text)
        if not one.is_text:
            return _damage_of_number(one.text, damage)
        is_known = damage is not None and self._known.knows(one.text)
        has_sound_one = (
            damage is not None and damage.rest != one.text and self._known.knows(damage.rest or "")
        )
        return damage if has_sound_one or not is_known else None

    def _suggestion(self, damage: Damage) -> str | None:
        if damage.rest is None:
            return None
        if damage.is_loss:
            return self._proven(damage.rest)
        verdict = self._judge_text(damage.rest)
        return verdict.suggestion if verdict else damage.rest

    def _judge_text(self, text: str) -> Verdict | None:
        if self._known.knows(text):
            return None
        if self._role is IdRole.MARKET:
            return _judge_market(text)
        return self._neighbours.judge(text)

    def _proven(self, text: str) -> str | None:
        """The id that a text which lost something was: a known one, or one whose check digit fits."""
        if self._role is IdRole.MARKET:
            verdict = _judge_market(text)
            return verdict.suggestion if verdict else _market(text)
        text = _exact(text)
        if (known := self._known.like(text)) is not None:
            return known
        parts = take_apart(text, self._role)
        if parts is not None:
            right = self._written.right(parts)
            return str(right) if right else None
        seen = read_number(text)
        return self._known.within(seen) if seen else None


def _without_usual(damages: dict[Id, Damage], ids: Iterable[Id]) -> dict[Id, Damage]:
    """The damages without those of ids that are written like undamaged ones of the column."""
    doubtful = {
        one: one.text.translate(_SHAPE)
        for one, damage in damages.items()
        if one.is_text and damage.kind in _SHAPES_TELL
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
    """True when all letters that look like Latin ones stand among none."""
    return damage.kind is DamageKind.LOOK_ALIKE_LETTERS and _LATIN.search(one.text) is None


def _exact(text: str) -> str:
    """The number without exponent and the market with all its digits, as far as they are there."""
    match = _HEAD_AND_MARKET.fullmatch(text)
    head, market = (match[1], f":{match[2].zfill(_MARKET_DIGITS)}") if match else (text, "")
    seen = None if is_number(head) else read_number(head)
    return f"{seen.digits if seen and seen.digits else head}{market}"


def _market(text: str) -> str | None:
    return text if market_name(text) else None


def _judge_market(text: str) -> Verdict | None:
    if not is_number(text):
        return Verdict(
            DamageKind.MARKET_IN_WORDS,
            "Ids of items usually hold the market as a number of three digits.",
            market_number(text),
        )
    full = text.zfill(_MARKET_DIGITS)
    if full == text or not market_name(full):
        return None
    return Verdict(DamageKind.ZEROS_LOST, "The number of a market has three digits.", full)


def _damage_of_number(text: str, damage: Damage | None) -> Damage:
    """The damage of a cell that holds no text."""
    if damage and damage.kind in _SPREADSHEET_VALUES:
        return damage
    seen = read_number(text)
    if seen and seen.digits is None:
        return Damage(
            DamageKind.DIGITS_CUT,
            "The spreadsheet keeps this as a number: digits after the fifteenth are lost.",
            text,
            is_loss=True,
        )
    return Damage(
        DamageKind.NUMBER_CELL,
        "The spreadsheet keeps this as a number, not as a text: zeros in front may be lost.",
        seen.digits if seen else None,
        is_loss=True,
    )
