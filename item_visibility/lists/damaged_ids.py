"""Finds damaged ids in a list from a spreadsheet, and texts that may not be ids.

An id is changed only when the user accepts the suggestion.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from item_visibility.lists.cell_texts import (
    first_word,
    holds_several,
    ids_inside,
    is_label,
    is_list_of_tokens,
    is_long_number,
    is_token,
    means_nothing,
)
from item_visibility.lists.gs1_and_markets import (
    GLN_DIGITS,
    GTIN_DIGITS,
    fits_check_digit,
    form_of,
    forms_in_use,
    has_digit,
    has_market,
    in_keyboard_characters,
    is_item_number,
    is_location_number,
    is_number,
    is_shortened,
    is_trade_number,
    without_invisible,
    without_separators,
    writing,
)
from item_visibility.lists.headings import Layout, is_action_word
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.model.known_ids import Kind, NameRow, Names, number_in

_EXACT_DIGITS = 15
"""Spreadsheets store only this many digits of a number, and replace the others with zeros."""  # noqa: E501
_MOST_ZEROS = 3
_MARKET_DIGITS = 3
_UPC_DIGITS = 12
_HALF_A_NUMBER = 7
"""If a GLN or GTIN begins with at least this many digits of a shorter number, that number may be cut off."""  # noqa: E501
_LONGEST_NUMBER = 40
_LONGEST_TEXT = 2_000

_MARKS = "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a`\u00b4"
_FORMULA = re.compile(r'="([^"]*)"')
_BROKEN = re.compile("\ufffd|^[=#]")
_DECIMAL = re.compile(r"[0-9]+[.,]0+")
_DECIMAL_PLACES = re.compile(r"[.,]0+\Z")
_SEPARATORS = re.compile("[\\s.,'\u2019]")
_NUMBER_AND_MARKET = re.compile(r"([0-9]{6,14})(?:([^0-9A-Za-z])([0-9]{1,3}))?")


class DamageKind(StrEnum):
    """A possible fault of an id, as a sentence for users."""

    NUMBER_CELL = (
        "The spreadsheet holds a number or a formula, not a text: digits may be lost."
    )
    WHOLE_NUMBER = "The spreadsheet holds a number with all its digits."
    """Such a cell is read as text without asking the user."""
    SHORTENED = "A spreadsheet changed the form of this number: digits may be lost."
    ZEROS_LOST = "Leading zeros seem to be lost."
    STRAY = "It holds spaces, marks or other characters that ids do not have."
    NEARLY_KNOWN = "It is nearly the same as a known id."
    NAME = "This is a name. Its number is known."
    NO_OWN_NAME = "This is a name, but not of exactly one id for this column."
    SEVERAL = (
        "It holds several ids, but a cell can hold only one. Give each its own row."
    )
    HOLDS_KNOWN = "It holds a known id and other text."
    HOLDS_NUMBER = "It holds a number and other text."
    CUT_OFF = "A longer number begins with these digits, so its end may be missing."
    NOTHING = "It is a word for an empty cell."
    """Such a cell is read as empty without asking the user."""
    UNKNOWN = "It is not known here and does not look like an id. Keep it only if it is an id."  # noqa: E501


NEVER_IDS = frozenset(
    {
        DamageKind.NAME,
        DamageKind.NO_OWN_NAME,
        DamageKind.SEVERAL,
        DamageKind.HOLDS_KNOWN,
    }
)
"""Texts with these findings are certainly no ids.

The option `--as-is` does not apply to them.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """An id that may be damaged.

    `row` is the row number in the spreadsheet; columns are counted from 0.

    `suggestion` is the correct id, if it can be guessed.
    """

    row: int
    column: int
    value: str
    kind: DamageKind
    suggestion: str | None = None


def find_damage(
    table: Table, layout: Layout, *, known: Callable[[Kind], Names]
) -> tuple[Finding, ...]:
    """Return the ids of the table that may be wrong, sorted by row and column.

    Note N15.

    `known` returns the names and ids in the directory. A text cell is accepted if it
    holds a known id, or looks like an id. How often a text or its form occurs in the
    list makes no difference.
    """
    findings: list[Finding] = []
    names = {kind: known(kind) for kind in Kind}
    known_ids = {
        kind: frozenset(row.ids[-1] for row in names[kind].rows) for kind in Kind
    }
    for kind, at in (
        (Kind.SUPPLIER, layout.supplier),
        (Kind.ITEM, layout.item),
        (Kind.RECIPIENT, layout.recipient),
    ):
        if at is None:
            continue
        ids = defaultdict[_Id, list[int]](list)
        of_market = layout.market if kind is Kind.ITEM else None
        for row in table.rows:
            if cell := row.cells[at]:
                market = "" if of_market is None else row.cells[of_market].strip()
                ids[_Id(str(cell), not isinstance(cell, NotText), market)].append(
                    row.number
                )
        column = _Column(ids, kind=kind, names=names, known_ids=known_ids)
        for one, numbers in ids.items():
            if damage := column.damage_of(one):
                findings += (
                    Finding(number, at, one.text, *damage) for number in numbers
                )
    return tuple(sorted(findings, key=lambda finding: (finding.row, finding.column)))


def accept(table: Table, findings: Iterable[Finding]) -> Table:
    """Return the table with the suggestions of these findings applied."""
    suggestions = {
        (one.row, one.column): one.suggestion
        for one in findings
        if one.suggestion is not None
    }
    rows = {row for row, _ in suggestions}
    if not rows:
        return table

    def mended(row: TableRow) -> TableRow:
        if row.number not in rows:
            return row
        cells = (
            suggestions.get((row.number, at), cell) for at, cell in enumerate(row.cells)
        )
        return TableRow(row.number, tuple(cells))

    return replace(table, rows=tuple(map(mended, table.rows)))


class _Id(NamedTuple):
    """An id and, for an item, the market in its row.

    `is_text` is False when its cell is not a text cell.
    """

    text: str
    is_text: bool
    market: str


_Damage = tuple[DamageKind, str | None]
"""The kind of damage, and the suggestion, if any."""


class _Column:
    """Checks the ids of one column against the known ids and against each other."""

    def __init__(
        self,
        ids: Iterable[_Id],
        *,
        kind: Kind,
        names: Mapping[Kind, Names],
        known_ids: Mapping[Kind, frozenset[str]],
    ) -> None:
        self._is_of_items = kind is Kind.ITEM
        self._names = names[kind]
        self._known = known_ids[kind]
        self._other_names = [names[other] for other in Kind if other is not kind]
        self._other_ids = [known_ids[other] for other in Kind if other is not kind]
        self._by_writing: dict[str, str | None] = {}  # None if several ids look alike
        for known_id in self._known:
            key = writing(known_id)
            self._by_writing[key] = None if key in self._by_writing else known_id
        texts = {
            one.text for one in ids if one.is_text and _cleaned(one.text) == one.text
        }
        self._text_forms = frozenset(form_of(text) for text in texts if has_digit(text))
        self._known_forms = forms_in_use(self._known)
        self._usual = GTIN_DIGITS if self._is_of_items else (GLN_DIGITS,)
        self._long_numbers = sorted(text for text in texts if self._is_standard(text))
        parts = filter(None, map(_NUMBER_AND_MARKET.fullmatch, texts))
        padded = (
            len(one[1])
            for one in parts
            if one[1][0] == "0" and fits_check_digit(one[1])
        )
        self._padded = max(padded, default=0) if self._is_of_items else GLN_DIGITS
        numbers = filter(is_number, texts)
        self._own_lengths = frozenset(
            len(number) for number in numbers if not fits_check_digit(number)
        )

    def damage_of(self, one: _Id) -> _Damage | None:
        """Return the damage of an id, if any.

        A known id is suggested if it is the only one with this name, or this number and
        the row's market.
        """
        damage = (
            self._of_text(one.text) if one.is_text else self._of_number_cell(one.text)
        )
        kind, suggestion = damage or (DamageKind.NEARLY_KNOWN, None)
        rows: Sequence[NameRow] = ()
        if kind in {DamageKind.UNKNOWN, DamageKind.STRAY}:
            name = _cleaned(one.text) or one.text
            rows = self._names.called(name)
            if rows:
                kind = DamageKind.NAME
                damage = DamageKind.NO_OWN_NAME, None
            elif any(others.called(name) for others in self._other_names):
                return DamageKind.NO_OWN_NAME, None
        number = suggestion or one.text
        if one.market and is_trade_number(number):
            rows = self._names.by_number.get(number.lstrip("0"), ())
            if kind not in NEVER_IDS:
                kind = DamageKind.NEARLY_KNOWN
        same = {
            row.ids[-1]
            for row in rows
            if not one.market or has_market(row.ids[-1], one.market)
        }
        return (kind, same.pop()) if len(same) == 1 else damage

    def _of_text(self, text: str) -> _Damage | None:  # noqa: PLR0911
        cleaned = _cleaned(text)
        if text in self._known and (cleaned == text or cleaned not in self._known):
            return None
        if means_nothing(text) and text not in self._known:
            return DamageKind.NOTHING, ""
        if len(text) <= _LONGEST_TEXT and holds_several(text, self._is_sure_id):
            return DamageKind.SEVERAL, None
        if cleaned is None:
            return DamageKind.SEVERAL if is_list_of_tokens(
                text
            ) else DamageKind.STRAY, None
        if is_shortened(cleaned) or _DECIMAL.fullmatch(cleaned):
            return DamageKind.SHORTENED, self._original(cleaned)
        damage = self._of_clean_text(cleaned)
        if cleaned == text or (damage is not None and damage[0] in NEVER_IDS):
            return damage
        if cleaned in self._known and cleaned in text and text not in self._known:
            return DamageKind.HOLDS_KNOWN, cleaned
        return DamageKind.STRAY, (damage and damage[1]) or cleaned

    def _of_clean_text(self, text: str) -> _Damage | None:  # noqa: PLR0911
        if text in self._known:
            return None
        if (known := self._near(text)) is not None:
            return DamageKind.NEARLY_KNOWN, known
        filled = self._filled(text)
        form = form_of(text)
        if filled not in {None, text} and form not in self._known_forms:
            return DamageKind.ZEROS_LOST, filled
        if self._is_standard(text) or is_action_word(
            text
        ):  # a row with an action word is refused later
            return None
        if (damage := self._of_part(text)) is not None:
            return damage
        is_of_known_form = form in self._known_forms and _is_word_with_digit(text)
        if is_of_known_form or (is_token(text) and not self._is_name(text)):
            return None
        return DamageKind.UNKNOWN, None

    def _of_part(self, text: str) -> _Damage | None:  # noqa: PLR0911
        """Return the damage of a text of which only a part may be an id, or which may be a part of one."""  # noqa: E501
        if len(text) > _LONGEST_TEXT or self._is_name(text):
            return None
        inside = ids_inside(
            text,
            is_id=self._is_sure_id,
            is_known=self._is_known_here,
            first_words=lambda: self._first_words,
        )
        if len(inside) > 1 or (
            not inside
            and is_list_of_tokens(text)
            and form_of(text) not in self._known_forms
        ):
            return DamageKind.SEVERAL, None
        for part, beside in inside.items():
            is_known = self._is_known_here(part) or self._is_known_number(part)
            if not is_known and form_of(text) in self._known_forms:
                return None
            kind = DamageKind.HOLDS_KNOWN if is_known else DamageKind.HOLDS_NUMBER
            return kind, self._meant_by(part) if is_label(
                *beside, name=self._name_of(part)
            ) else None
        digits = without_separators(text)
        if digits != text and is_long_number(digits):
            if self._is_standard(digits) and fits_check_digit(digits):
                return DamageKind.STRAY, digits
            if len(digits) >= GLN_DIGITS:
                return DamageKind.UNKNOWN, None
        if (
            _HALF_A_NUMBER <= len(text) < GLN_DIGITS
            and is_number(text)
            and self._begins_another(text)
        ):
            return DamageKind.CUT_OFF, None
        return None

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(map(first_word, chain(self._known, *self._other_ids)))

    def _is_standard(self, text: str) -> bool:
        return is_item_number(text) if self._is_of_items else is_location_number(text)

    def _is_known_here(self, text: str) -> bool:
        return text in self._known or any(text in others for others in self._other_ids)

    def _is_sure_id(self, text: str) -> bool:
        """Return True for a known id of any kind, and for a GLN or GTIN with a valid check digit."""  # noqa: E501
        return self._is_known_here(text) or (
            (is_long_number(text) and fits_check_digit(text))
            or (":" in text and is_item_number(text))
        )

    def _is_name(self, text: str) -> bool:
        return any(names.called(text) for names in (self._names, *self._other_names))

    def _name_of(self, text: str) -> str:
        rows = self._names.by_number.get(number_in(text), ())
        names = {row.name for row in rows if row.id == text}
        return names.pop() if len(names) == 1 else ""

    def _meant_by(self, part: str) -> str | None:
        """Return the id that a part of a text means, or None if that is not clear."""
        if (known := self._near(part)) is not None:
            return known
        is_sound = self._is_standard(part) and (
            self._is_of_items or fits_check_digit(part)
        )
        return part if is_sound and not self._is_known_number(part) else None

    def _is_known_number(self, text: str) -> bool:
        return is_trade_number(text) and text.lstrip("0") in self._names.by_number

    def _begins_another(self, text: str) -> bool:
        """Return True if a GLN or GTIN that is known, or in this column, begins with these digits."""  # noqa: E501
        at = bisect_left(self._long_numbers, text)
        in_column = self._long_numbers[at : at + 1]
        known = (
            self._names.rows[at].id for at in self._names.by_own_id.beginning(text)
        )
        longer = [other for other in (*in_column, *known) if other.startswith(text)]
        return any(map(self._is_standard, longer))

    def _of_number_cell(self, text: str) -> _Damage:
        """Return the damage of a number cell.

        The number is whole if a spreadsheet can store all its digits, its check digit
        is valid, and it has the form of the ids in the column's text cells or, without
        such ids, the usual length.
        """
        original, forms = self._original(text), self._text_forms
        if original is None or (
            forms and form_of(original) not in forms and original not in self._known
        ):
            return DamageKind.NUMBER_CELL, None
        has_form = {form_of(text)} == (forms or {f"{max(self._usual)} digits"})
        is_whole = self._filled(text) == text == original and has_form
        return DamageKind.WHOLE_NUMBER if is_whole else DamageKind.NUMBER_CELL, original

    def _near(self, text: str) -> str | None:
        """Return the text if it is a known id, otherwise the only similar known id, or None."""  # noqa: E501
        if text in self._known:
            return text
        rows = (
            self._names.by_number.get(text.lstrip("0"), ())
            if is_trade_number(text)
            else ()
        )
        same = {row.ids[-1] for row in rows}
        return self._by_writing.get(writing(text)) or (
            same.pop() if len(same) == 1 else None
        )

    def _original(self, number: str) -> str | None:
        digits = _all_digits(number)
        return None if digits is None else self._near(digits) or self._filled(digits)

    def _filled(self, text: str) -> str | None:
        """Return the number with the usual leading zeros and market, or None if its check digit is wrong."""  # noqa: E501
        match = _NUMBER_AND_MARKET.fullmatch(text)
        if (
            match is None
            or (match[3] and not self._is_of_items)
            or not fits_check_digit(match[1])
        ):
            return None
        number, market = (
            match[1],
            f"{match[2]}{match[3].zfill(_MARKET_DIGITS)}" if match[3] else "",
        )
        padded = self._padded
        if not padded and len(number) not in self._own_lengths:
            # The longest number that a spreadsheet shortens to 11 digits or fewer.
            padded = _UPC_DIGITS
        if 0 < padded - len(number) <= _MOST_ZEROS:
            return f"{number.zfill(padded)}{market}"
        return f"{number}{market}" if len(number) in self._usual else None


def _cleaned(text: str) -> str | None:
    """Return the text without stray characters, or None if the id in it is unclear."""
    if len(text) > _LONGEST_TEXT or is_number(text):
        return text
    if formula := _FORMULA.fullmatch(text):
        return formula[1] or None
    if _BROKEN.search(text) or len(text.strip().splitlines()) > 1:
        return None
    plain = (
        without_invisible(re.sub(r"\s", " ", text))
        .strip()
        .lstrip("'\u2018\u2019`\u00b4")
        .strip()
    )
    if len(plain) > 1 and plain[0] in _MARKS and plain[-1] in _MARKS:
        plain = plain[1:-1].strip()
    typed = in_keyboard_characters(plain)
    plain = typed if typed.isascii() else plain
    digits = _SEPARATORS.sub("", _DECIMAL_PLACES.sub("", plain))
    return (digits if is_item_number(digits) and is_number(digits) else plain) or None


def _is_word_with_digit(text: str) -> bool:
    return has_digit(text) and len(text.split()) == 1


def _all_digits(text: str) -> str | None:
    """Return the digits of an integer in any notation, or None if digits may be lost."""  # noqa: E501
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        number = Decimal(text.replace(",", "."))
    except InvalidOperation:
        return None
    exponent = number.as_tuple().exponent
    if (
        not text[:1].isdigit()
        or not isinstance(exponent, int)
        or exponent > 0
        or number != int(number)
    ):
        return None
    digits = str(int(number))
    return digits if len(digits) <= _EXACT_DIGITS else None
