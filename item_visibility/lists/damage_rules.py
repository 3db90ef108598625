"""The rules for damaged ids: what one text shows, and what its column and the known ids show.

Six rules find damage: number cells, exponents, cut digits, lost leading zeros, stray characters, and known
ids that nearly match. What is then neither known nor like an id is asked about, too.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from item_visibility.lists.markets import market_code, market_name
from item_visibility.lists.numbers import (
    GLN_DIGITS,
    GTIN_DIGITS,
    fits_check_digit,
    form_of,
    forms_in_use,
    has_digit,
    in_keyboard_characters,
    is_item_number,
    is_location_number,
    is_number,
    is_shortened,
    is_trade_number,
    looks_like_id,
    split_item_id,
    with_digits_for_letters,
    without_invisible,
    writing,
)
from item_visibility.lists.words import is_action_word

_EXACT_DIGITS = 15
"""Spreadsheets keep this many digits of a number, and replace the rest by zeros."""
_LONGEST_NUMBER = 40
_LONGEST_TEXT = 2_000
_MOST_ZEROS = 3
_MARKET_DIGITS = 3
_SEVERAL = 3
"""This many ids of one form, and half of all, make it the column's form, though none of it is known."""

_MARKS = "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a`\u00b4"
_FORMULA = re.compile(r'="([^"]*)"|=.+', re.DOTALL)
_NO_ID = re.compile(
    r"#(?:[A-Z0-9/!?]+|#+)|true|false|wahr|falsch|nan|null|none|n/a"
    r"|(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[T ][0-9:.]+Z?)?"
    r"|[0-3]?[0-9][./][01]?[0-9][./](?:19|20)[0-9]{2}"
    r"|[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?(?: ?[ap]m)?",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"(?:[-+(]|[€$£¥] ?)?([0-9][0-9.,'\u2019 ]*)(?:[-)]| ?[%€$£¥])?")
_DECIMALS = re.compile(r"(?<=[0-9])[.,]0+(?=:|\Z)")
_GROUPS = re.compile(r"[0-9]{1,3}(?:([.,'\u2019 ])[0-9]{3}(?:\1[0-9]{3})*)?")
_NUMBER_AND_MARKET = re.compile(r"([0-9]{6,14}?)(?:([^0-9A-Za-z])([0-9]{1,3}))?")
_RUN_TOGETHER = re.compile(r"([0-9]{12,14})()([0-9]{3})")


class DamageKind(StrEnum):
    """The six kinds of damage, and what can be in place of an id, in a few words each."""

    NUMBER_CELL = "kept as a number"
    SHORTENED = "shortened number"
    DIGITS_CUT = "last digits lost"
    ZEROS_LOST = "lost zeros"
    STRAY = "stray characters"
    NEARLY_KNOWN = "nearly a known id"
    NAME = "name"
    MARKET = "market"
    UNKNOWN = "not known"


class IdRole(StrEnum):
    """The kinds of things that the ids of a column identify."""

    SUPPLIER = "supplier"
    ITEM = "item"
    MARKET = "market"
    RECIPIENT = "recipient"


MESSAGES = {
    DamageKind.NUMBER_CELL: "The spreadsheet keeps this as a number, not as a text: zeros may be lost.",
    DamageKind.SHORTENED: "A spreadsheet shortened this number: digits are lost.",
    DamageKind.DIGITS_CUT: "The digits after the fifteenth are zeros: a spreadsheet may have cut the number.",
    DamageKind.ZEROS_LOST: "Leading zeros seem to be lost.",
    DamageKind.STRAY: "It holds spaces, marks or other characters that ids do not have.",
    DamageKind.NEARLY_KNOWN: "It is nearly the same as a known id.",
    DamageKind.NAME: "This is a name. Its number is known.",
    DamageKind.MARKET: "Item ids hold the market as a number of three digits.",
    DamageKind.UNKNOWN: "It is not known here and does not look like an id. Keep it only if it is one.",
}


class Id(NamedTuple):
    """The text of an id, and a flag for whether the file holds it as text."""

    text: str
    is_text: bool = True


class Damage(NamedTuple):
    """The damage of one id, and the id that it may have been, if that is known.

    `is_whole` is True for a number cell whose digits are proven to be all there.
    """

    kind: DamageKind
    suggestion: str | None = None
    is_whole: bool = False


class KnownIndex:
    """Known ids by their writing, their value and the number of an item."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.all = frozenset(ids)
        self._by_writing = _only_ones((writing(one), one) for one in self.all)
        numbers = ((split_item_id(one), one) for one in self.all)
        self._by_number = _only_ones((parts.number.lstrip("0"), one) for parts, one in numbers if parts)
        self._values = sorted(
            (int(one), one) for one in self.all if is_number(one) and len(one) <= _LONGEST_NUMBER
        )

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms that are in use."""
        return forms_in_use(self.all)

    def near(self, text: str) -> str | None:
        """Return this very id, or the only one that is the same number or text in another writing."""
        if text in self.all:
            return text
        found = self._by_writing.get(writing(text)) if self.all else None
        return found or (self._by_number.get(text.lstrip("0")) if is_trade_number(text) else None)

    def within(self, values: range) -> str | None:
        """Return the only known number among these values. Return None for no match or several."""
        first, end = (bisect_left(self._values, (value, "")) for value in (values.start, values.stop))
        return self._values[first][1] if end - first == 1 else None


class Column:
    """All ids of one role. The known ids, and the other ids of the column, help to judge each of them."""

    def __init__(self, ids: Collection[Id], *, role: IdRole, known: KnownIndex) -> None:
        self._role = role
        self._known = known
        self._texts = [one.text for one in ids if one.is_text and _find_in_text(one.text) is None]
        parts = filter(None, map(self._apart, self._texts))
        padded = {len(number) for number, _, _ in parts if number[0] == "0" and fits_check_digit(number)}
        self._padded = sorted(padded) if role is IdRole.ITEM else [GLN_DIGITS]
        self._usual = GTIN_DIGITS if role is IdRole.ITEM else (GLN_DIGITS,)
        long = [text for text in self._texts if len(text) > _EXACT_DIGITS and is_number(text)]
        self._is_cut = all(text[0] == "0" or _may_be_cut(text) for text in long)

    def damage(self, one: Id) -> Damage | None:
        """Return the damage of this id of the column, or None."""
        text = one.text
        if not one.is_text:
            return self._of_number_cell(text)
        found = _find_in_text(text)
        is_known = text in self._known.all
        if is_known and (found is None or found.rest == text or found.rest not in self._known.all):
            return None
        return Damage(found.kind, self._without_damage(found)) if found else self._of_text(text)

    def _of_text(self, text: str) -> Damage | None:
        """Return the damage of a text without stray characters."""
        if self._role is IdRole.MARKET:
            return _of_market(text)
        if text in self._known.all:
            return None
        if (known := self._known.near(text)) is not None:
            return Damage(DamageKind.NEARLY_KNOWN, known)
        if self._is_cut and _may_be_cut(text):
            return Damage(DamageKind.DIGITS_CUT, self._known.within(_values_of_cut(text)))
        filled = self._filled(text)
        if filled not in {None, text} and form_of(text) not in self._known.forms:
            return Damage(DamageKind.ZEROS_LOST, filled)
        is_id = filled == text or self._has_form(text) or is_action_word(text)
        return None if is_id else Damage(DamageKind.UNKNOWN)

    def _of_number_cell(self, text: str) -> Damage:
        """Return the damage of a number cell, `is_whole` if it has all its digits.

        That takes fewer digits than spreadsheets cut, a valid check digit, and the form of the text ids of
        the column. Without text ids, it takes the longest form of such a number.
        """
        values = _values_of(text)
        if values is None:
            return Damage(DamageKind.NUMBER_CELL)
        if self._role is IdRole.MARKET:
            market = str(values.start).zfill(_MARKET_DIGITS)
            suggestion = market if len(values) == 1 and market_name(market) else None
            return Damage(DamageKind.NUMBER_CELL, suggestion, is_whole=suggestion == text)
        original = self._original(values)
        if len(values) > 1:
            return Damage(DamageKind.DIGITS_CUT, original)
        forms = frozenset(form_of(one) for one in self._texts if has_digit(one))
        is_known = original in self._known.all
        if original is None or (forms and form_of(original) not in forms and not is_known):
            return Damage(DamageKind.NUMBER_CELL)
        has_form = {form_of(text)} == (forms or {f"{max(self._usual)} digits"})
        is_whole = self._filled(text) == text == original and has_form
        return Damage(DamageKind.NUMBER_CELL, original, is_whole)

    def _without_damage(self, found: "_Stray") -> str | None:
        """Return the id without its stray characters; after a loss, only if it must be the original."""
        if found.rest is None:
            return None
        further = self._of_text(found.rest)
        if further and further.suggestion:
            return further.suggestion
        if not found.is_loss:
            return found.rest
        if self._role is IdRole.MARKET:
            return found.rest if market_name(found.rest) else None
        values = _values_of(found.rest.partition(":")[0] if is_shortened(found.rest) else found.rest)
        return self._original(values) if values else self._known.near(found.rest) or self._filled(found.rest)

    def _original(self, values: range) -> str | None:
        """Return the only id that the number can have been: a known one, or one with a valid check digit."""
        if len(values) > 1:
            return self._known.within(values)
        digits = str(values.start)
        return self._known.near(digits) or self._filled(digits)

    def _filled(self, text: str) -> str | None:
        """Return the number with leading zeros and market in their usual form, if its check digit fits."""
        parts = self._apart(text)
        if parts is None or not fits_check_digit(parts[0]):
            return None
        number, separator, market = parts
        market = market.zfill(_MARKET_DIGITS) if market else ""
        if market and not market_name(market):
            return None
        lengths = [length for length in self._padded if 0 < length - len(number) <= _MOST_ZEROS]
        if not lengths and len(number) not in self._usual:
            return None
        return f"{number.zfill(lengths[-1]) if lengths else number}{separator}{market}"

    def _apart(self, text: str) -> tuple[str, str, str] | None:
        """Return the number in an id, the separator and the market. Only items have a market."""
        match = _NUMBER_AND_MARKET.fullmatch(text) or _RUN_TOGETHER.fullmatch(text)
        if match is None or (match[3] and self._role is not IdRole.ITEM):
            return None
        return match[1], match[2] or "", match[3] or ""

    def _has_form(self, text: str) -> bool:
        """True for one word with a digit, in a form of the standard, of known ids or of this column."""
        is_standard = is_item_number if self._role is IdRole.ITEM else is_location_number
        return looks_like_id(text) and (is_standard(text) or form_of(text) in self._known.forms | self._forms)

    @cached_property
    def _forms(self) -> frozenset[str]:
        """The forms that half of this column has."""
        forms = Counter(form_of(text) for text in self._texts if looks_like_id(text))
        enough = max(_SEVERAL, len(self._texts) / 2)
        return frozenset(form for form, count in forms.items() if count >= enough)


class _Stray(NamedTuple):
    """The damage that a text shows by itself, and the text without it, or None when that is unknown.

    After a loss (`is_loss`), digits may be gone: the rest is then not a suggestion by itself.
    """

    kind: DamageKind
    rest: str | None = None
    is_loss: bool = False


def _find_in_text(text: str) -> _Stray | None:
    """Return stray characters or an exponent. A text that is too long for an id is not checked."""
    if len(text) > _LONGEST_TEXT or is_number(text):
        return None
    if formula := _FORMULA.fullmatch(text):
        return _Stray(DamageKind.STRAY, formula[1] or None)
    if "\ufffd" in text or _NO_ID.fullmatch(text.strip()):
        return _Stray(DamageKind.STRAY)
    plain = _without_marks(text)
    if is_shortened(plain.partition(":")[0]):
        return _Stray(DamageKind.SHORTENED, plain, is_loss=True)
    joined = "".join(plain.splitlines())  # a line break may also separate two ids
    rest = _as_digits(joined)
    return None if rest == text else _Stray(DamageKind.STRAY, rest or None, is_loss=rest != plain)


def _without_marks(text: str) -> str:
    """Return the text without quotation marks and spaces around it, and in characters of a keyboard."""
    lines = (without_invisible(re.sub(r"\s", " ", line)) for line in text.splitlines())
    plain = "\n".join(lines).strip().lstrip("'\u2018\u2019`\u00b4").strip()
    if len(plain) > 1 and plain[0] in _MARKS and plain[-1] in _MARKS:
        plain = plain[1:-1].strip()
    typed = in_keyboard_characters(plain)
    return typed if typed.isascii() else plain


def _as_digits(text: str) -> str:
    """Return the digits of an amount: without separators, decimal places, sign and unit."""
    amount = _AMOUNT.fullmatch(text)
    for number in (amount[1], _DECIMALS.sub("", amount[1])) if amount else ():
        digits = re.sub(r"[^0-9]", "", number)
        if is_number(number) or _GROUPS.fullmatch(number) or (" " in number and is_item_number(digits)):
            return digits
    whole = _DECIMALS.sub("", text)
    if all(map(is_number, whole.split(":"))):
        return whole
    digits = with_digits_for_letters(text)
    return digits if is_item_number(digits) else text


def _of_market(text: str) -> Damage | None:
    """Return the damage of an item's market that has its own column."""
    if not is_number(text):
        return Damage(DamageKind.MARKET, market_code(text) or None)
    full = text.zfill(_MARKET_DIGITS)
    return None if full == text or not market_name(full) else Damage(DamageKind.ZEROS_LOST, full)


def _may_be_cut(text: str) -> bool:
    """True for a long number with nothing but zeros after the digits that spreadsheets keep."""
    is_long = len(text) > _EXACT_DIGITS and is_number(text)
    return is_long and text[0] != "0" and not text[_EXACT_DIGITS:].strip("0")


def _values_of_cut(digits: str) -> range:
    unit = 10 ** (len(digits) - _EXACT_DIGITS)
    return range(int(digits) - unit, int(digits) + unit + 1)


def _values_of(text: str) -> range | None:
    """Return the whole numbers that a number in any notation may have been. Return None for other texts."""
    try:
        number = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None
    exponent = number.as_tuple().exponent
    if not text[:1].isdigit() or not isinstance(exponent, int) or abs(exponent) > _LONGEST_NUMBER:
        return None
    whole = int(number)
    if exponent > 0:
        half = 10**exponent // 2
        return range(max(0, whole - half), whole + half + 1)
    if len(str(whole)) > _EXACT_DIGITS:
        return _values_of_cut(str(whole))
    return range(whole, whole + 1) if whole == number else None


def _only_ones(pairs: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Return the text of each key, or None for a key with more than one."""
    found: dict[str, str | None] = {}
    for key, text in pairs:
        found[key] = None if key in found else text
    return found
