"""The rules for damaged ids: what one text shows, and what its column and the known ids show.

Six rules find damage: number cells, exponents, cut digits, lost leading zeros, stray characters, and known
ids that nearly match.
"""

import re
from bisect import bisect_left, bisect_right
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
_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_FORMULA = re.compile(r'="([^"]*)"|=.+', re.DOTALL)
_NO_ID = re.compile(
    r"#(?:[A-Z0-9/!?]+|#+)|true|false|wahr|falsch|nan|null|none|n/a"
    r"|(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[T ][0-9:.]+Z?)?"
    r"|[0-3]?[0-9][./][01]?[0-9][./](?:19|20)[0-9]{2}"
    r"|[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?(?: ?[ap]m)?",
    re.IGNORECASE,
)
_FORMATTED = re.compile(r"(?:[-+(]|[€$£¥] ?)?([0-9][0-9.,'\u2019 ]*)(?:[-)]| ?[%€$£¥])?")
_DECIMALS = re.compile(r"(?<=[0-9])[.,]0+(?=:|\Z)")
_GROUPS = re.compile(r"[0-9]{1,3}(?:([.,'\u2019 ])[0-9]{3}(?:\1[0-9]{3})*)?")
_NUMBER_AND_MARKET = re.compile(r"([0-9]{6,14}?)(?:([^0-9A-Za-z])([0-9]{1,3}))?")
_RUN_TOGETHER = re.compile(r"([0-9]{12,14})()([0-9]{3})")


class DamageKind(StrEnum):
    """The six kinds of damage, and what stands in place of an id, in a few words each."""

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
    DamageKind.NEARLY_KNOWN: "It is nearly the same as a known id.",
    DamageKind.NAME: "This is a name. Its number is known.",
    DamageKind.MARKET: "Item ids hold the market as a number of three digits.",
    DamageKind.UNKNOWN: "It is not known here and does not look like an id. Keep it only if it is one.",
}
_STRAY = "It holds spaces, marks or other characters that ids do not have."
_AS_NUMBER = "It is written like an amount: leading zeros may be lost."
_BROKEN = "A line break is inside: it may be one id, or two."
_VALUE = "A program put an error, a date or a truth value here, or lost letters."
_FORMULA_TEXT = "This is a formula, not its result."


class Damage(NamedTuple):
    """The damage of one id. `rest` is the id without the damage, or None when that is unknown.

    After a loss (`is_loss`), digits may be gone: the rest is then not a suggestion by itself.
    `is_whole` is True for a number cell whose digits are proven to be all there.
    """

    kind: DamageKind
    message: str
    rest: str | None = None
    is_loss: bool = False
    is_whole: bool = False


class Id(NamedTuple):
    """The text of an id, and a flag for whether the file holds it as text."""

    text: str
    is_text: bool = True


def find_in_text(text: str) -> Damage | None:
    """Return the damage that the text shows by itself: stray characters, or an exponent.

    A text that is too long for an id is not checked.
    """
    if len(text) > _LONGEST_TEXT or is_number(text):
        return None
    if formula := _FORMULA.fullmatch(text):
        return Damage(DamageKind.STRAY, _FORMULA_TEXT, formula[1] or None)
    if "\ufffd" in text or _NO_ID.fullmatch(text.strip()):
        return Damage(DamageKind.STRAY, _VALUE)
    plain = _without_marks(text)
    if is_shortened(plain.partition(":")[0]):
        kind = DamageKind.SHORTENED
        return Damage(kind, MESSAGES[kind], plain, is_loss=True)
    is_broken = _BREAK.search(plain) is not None
    plain = _BREAK.sub("", plain)
    rest = _as_digits(plain)
    if rest == text:
        return None
    message = _BROKEN if is_broken else _STRAY if rest == plain else _AS_NUMBER
    return Damage(DamageKind.STRAY, message, rest or None, is_loss=is_broken or rest != plain)


class _Seen(NamedTuple):
    """A number with known digits, or with known bounds only."""

    digits: str | None
    low: int
    high: int


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

    def near(self, text: str) -> str | None:
        """Return this very id, or the only one that is the same number or text in another writing."""
        if text in self.all:
            return text
        found = self._by_writing.get(writing(text)) if self.all else None
        return found or (self._by_number.get(text.lstrip("0")) if is_trade_number(text) else None)

    def within(self, seen: _Seen) -> str | None:
        """Return the only known number within the bounds. Return None for no match or several."""
        first = bisect_left(self._values, (seen.low, ""))
        last = bisect_right(self._values, (seen.high + 1, ""))
        return self._values[first][1] if last - first == 1 else None


class Column:
    """All ids of one role. The known ids, and the other ids of the column, help to judge each of them."""

    def __init__(self, ids: Collection[Id], *, role: IdRole, known: KnownIndex) -> None:
        self._role = role
        self._known = known
        texts = [one.text for one in ids if one.is_text]
        self._texts = [text for text in texts if find_in_text(text) is None]
        parts = filter(None, map(self._apart, self._texts))
        padded = {len(number) for number, _, _ in parts if number[0] == "0" and fits_check_digit(number)}
        self._padded = sorted(padded) if role is IdRole.ITEM else [GLN_DIGITS]
        self._usual = GTIN_DIGITS if role is IdRole.ITEM else (GLN_DIGITS,)
        long = [text for text in self._texts if len(text) > _EXACT_DIGITS and is_number(text)]
        self._is_cut = all(text[0] == "0" or _may_be_cut(text) for text in long)

    def damage(self, one: Id) -> Damage | None:
        """Return the damage of this id of the column, or None. Its `rest` is the probable original id."""
        text = one.text
        if not one.is_text:
            return self._of_number_cell(text)
        stray = find_in_text(text)
        if text in self._known.all and (stray is None or stray.rest not in self._known.all - {text}):
            return None
        if stray and stray.rest is not None:
            further = self._of_text(stray.rest)
            rest = further.rest if further and further.rest else None
            return stray._replace(rest=rest or self._proven(stray))
        return stray or self._of_text(text)

    def _of_text(self, text: str) -> Damage | None:
        if self._role is IdRole.MARKET:
            return self._of_market(text)
        if text in self._known.all:
            return None
        rest: str | None = None
        if (known := self._known.near(text)) is not None:
            kind, rest = DamageKind.NEARLY_KNOWN, known
        elif self._is_cut and _may_be_cut(text):
            kind, rest = DamageKind.DIGITS_CUT, self._known.within(_bounds_of_cut(text))
        elif (filled := self._filled(text)) not in {None, text} and form_of(text) not in self._known_forms:
            kind, rest = DamageKind.ZEROS_LOST, filled
        elif self._has_form(text) or is_action_word(text):
            return None
        else:
            kind = DamageKind.UNKNOWN
        return Damage(kind, MESSAGES[kind], rest)

    def _of_market(self, text: str) -> Damage | None:
        """Return the damage of an item's market that has its own column."""
        if not is_number(text):
            return Damage(DamageKind.MARKET, MESSAGES[DamageKind.MARKET], market_code(text) or None)
        full = text.zfill(_MARKET_DIGITS)
        if full == text or not market_name(full):
            return None
        return Damage(DamageKind.ZEROS_LOST, "The number of a market has three digits.", full)

    def _of_number_cell(self, text: str) -> Damage:
        """Return the damage of a number cell, `is_whole` if it has all its digits.

        That takes fewer digits than spreadsheets cut, a valid check digit, and the form of the text ids of
        the column. Without text ids, it takes the longest form of such a number.
        """
        seen = _read_number(text)
        if seen is None:
            return _number_cell(None)
        if self._role is IdRole.MARKET:
            rest = (seen.digits or text).zfill(_MARKET_DIGITS)
            rest_or_none = rest if market_name(rest) else None
            return _number_cell(rest_or_none, is_whole=rest == text and rest_or_none is not None)
        if seen.digits is None:
            kind = DamageKind.DIGITS_CUT
            return Damage(kind, MESSAGES[kind], self._known.within(seen))
        rest_or_none = self._original(seen)
        forms = self._text_forms
        is_known = rest_or_none in self._known.all
        if rest_or_none is None or (forms and form_of(rest_or_none) not in forms and not is_known):
            return _number_cell(None)
        has_form = {form_of(text)} == (forms or {f"{max(self._usual)} digits"})
        return _number_cell(rest_or_none, is_whole=self._filled(text) == text == rest_or_none and has_form)

    def _proven(self, stray: Damage) -> str | None:
        """Return the text without its stray characters; after a loss, only if it must be the original."""
        if not stray.is_loss or stray.rest is None:
            return stray.rest
        if self._role is IdRole.MARKET:
            return stray.rest if market_name(stray.rest) else None
        seen = _read_number(
            stray.rest.partition(":")[0] if stray.kind is DamageKind.SHORTENED else stray.rest
        )
        return self._original(seen) if seen else self._known.near(stray.rest) or self._filled(stray.rest)

    def _original(self, seen: _Seen) -> str | None:
        """Return the only id that the number can have been: a known one, or one with a valid check digit."""
        if seen.digits is None:
            return self._known.within(seen)
        return self._known.near(seen.digits) or self._filled(seen.digits)

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

    @cached_property
    def _text_forms(self) -> frozenset[str]:
        return frozenset(form_of(one) for one in self._texts if has_digit(one))

    @cached_property
    def _known_forms(self) -> frozenset[str]:
        return forms_in_use(self._known.all)

    @cached_property
    def _forms(self) -> frozenset[str]:
        """The forms of the known ids, and the form that half of this column has."""
        forms = Counter(form_of(text) for text in self._texts if _may_be_id(text))
        enough = max(_SEVERAL, len(self._texts) / 2)
        return self._known_forms | {form for form, count in forms.items() if count >= enough}

    def _has_form(self, text: str) -> bool:
        is_standard = is_item_number if self._role is IdRole.ITEM else is_location_number
        has_form = is_standard(text) or form_of(text) in self._forms or self._filled(text) == text
        return has_form and _may_be_id(text)


def _number_cell(rest: str | None, *, is_whole: bool = False) -> Damage:
    return Damage(DamageKind.NUMBER_CELL, MESSAGES[DamageKind.NUMBER_CELL], rest, is_whole=is_whole)


def _without_marks(text: str) -> str:
    """Return the text without quotation marks and spaces around it, and in characters of a keyboard."""
    spaced = re.sub(r"[^\S\n]", " ", _BREAK.sub("\n", text))
    plain = (
        "\n".join(map(without_invisible, spaced.split("\n"))).strip().lstrip("'\u2018\u2019`\u00b4").strip()
    )
    if len(plain) > 1 and plain[0] in _MARKS and plain[-1] in _MARKS:
        plain = plain[1:-1].strip()
    typed = in_keyboard_characters(plain)
    return typed if typed.isascii() else plain


def _as_digits(text: str) -> str:
    """Return the digits of an amount: without separators, decimal places, sign and unit."""
    amount = _FORMATTED.fullmatch(text)
    for number in (amount[1], _DECIMALS.sub("", amount[1])) if amount else ():
        digits = re.sub(r"[^0-9]", "", number)
        if is_number(number) or _GROUPS.fullmatch(number) or (" " in number and is_item_number(digits)):
            return digits
    whole = _DECIMALS.sub("", text)
    if all(map(is_number, whole.split(":"))):
        return whole
    digits = with_digits_for_letters(text)
    return digits if is_item_number(digits) else text


def _may_be_id(text: str) -> bool:
    """True for one word with a digit."""
    return has_digit(text) and len(text.split()) == 1


def _may_be_cut(text: str) -> bool:
    """True for a long number with nothing but zeros after the digits that spreadsheets keep."""
    is_long = len(text) > _EXACT_DIGITS and is_number(text)
    return is_long and text[0] != "0" and not text[_EXACT_DIGITS:].strip("0")


def _bounds_of_cut(digits: str) -> _Seen:
    unit = 10 ** (len(digits) - _EXACT_DIGITS)
    return _Seen(None, int(digits) - unit, int(digits) + unit)


def _read_number(text: str) -> _Seen | None:
    """Return the whole number in the text, in any notation. Return None when it is not one."""
    try:
        sign, digits, exponent = Decimal(text.replace(",", ".")).as_tuple()
    except InvalidOperation:
        return None
    if sign or not isinstance(exponent, int) or abs(exponent) > _LONGEST_NUMBER or not text[:1].isdigit():
        return None
    written = "".join(map(str, digits))
    if exponent > 0:
        unit = 10 ** (exponent - 1)
        return _Seen(None, max(0, (int(written) * 10 - 5) * unit), (int(written) * 10 + 5) * unit)
    whole, part = (written[:exponent], written[exponent:]) if exponent else (written, "")
    whole = whole.lstrip("0") or "0"
    if len(whole) > _EXACT_DIGITS:
        return _bounds_of_cut(whole)
    return None if part.strip("0") else _Seen(whole, int(whole), int(whole))


def _only_ones(pairs: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Return the text of each key, or None for a key with more than one."""
    found: dict[str, str | None] = {}
    for key, text in pairs:
        found[key] = None if key in found else text
    return found
