"""The rules for damage that a text shows by itself, in one table."""

import html
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from item_visibility.lists.damage.finding import Damage
from item_visibility.lists.damage.finding import DamageKind as Kind
from item_visibility.lists.damage.written_numbers import is_shortened
from item_visibility.lists.numbers.lookalikes import (
    with_latin_letters,
    with_plain_dashes,
    with_plain_digits,
    without_invisible,
)
from item_visibility.lists.numbers.trade_numbers import GTIN_DIGITS, fits_check_digit, is_number

_MOST_DAMAGES = 6
_LONGEST_WORD = 24
_LONGEST = 2_000
_PLAIN = re.compile(r"[0-9]+(?::[0-9]{3})?")
_JOINTS = str.maketrans("", "", "-:_")

_BREAK = r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_BREAKS = re.compile(rf"{_BREAK}+")
_BREAKS_AROUND = re.compile(rf"\A{_BREAK}+|{_BREAK}+\Z")
_ODD_SPACES = re.compile(r"[^\S \n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NO_TAB = re.compile(r"[^\t\x1f]+")
_MARKS = "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a`\u00b4"
_QUOTED = re.compile(rf"\A[{_MARKS}](.+)[{_MARKS}]\Z", re.DOTALL)
_APOSTROPHE = re.compile("\\A['\u2018\u2019`\u00b4](?=.)", re.DOTALL)
_FORMULA = re.compile(r'="([^"]*)"')
_ESCAPES = re.compile(
    r"_x([0-9A-Fa-f]{4})_|&(?:[A-Za-z]{2,8}|#[0-9]{1,6}|#x[0-9A-Fa-f]{1,5});|(?:%[0-9A-Fa-f]{2})+"
)
_LOST_CHARACTER = "\ufffd"

_ERROR = re.compile(
    r"#(?:N/A|NV|REF!|BEZUG!|NAME\?|VALUE!|WERT!|DIV/0!|NUM!|ZAHL!|NULL!|SPILL!|CALC!|#+)|Err:[0-9]{3}"
)
_TRUTH = re.compile("(?ai)true|false|wahr|falsch|vrai|faux")
_MISSING = re.compile("(?ai)nan|null|none|<na>|n/a|nat")
_MONTHS = (
    "jan|feb|mar|mrz|mär|maerz|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|january|february|march|"
    "april|june|july|august|september|october|november|december|januar|februar|märz|juni|juli|oktober|dezember"
)
_DAY, _MONTH, _YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])", "(?:19|20)[0-9]{2}"
_TIME = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?(?: ?[ap]m)?"
_DATE_OR_TIME = re.compile(
    rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:[T ]{_TIME}Z?)?"
    rf"|{_DAY}\.{_MONTH}\.(?:{_YEAR}|[0-9]{{2}})(?: {_TIME})?"
    rf"|(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY})/(?:{_YEAR}|[0-9]{{2}})(?: {_TIME})?"
    rf"|(?:{_DAY}[-. ]{{1,2}})?(?:{_MONTHS})\.?[-. ](?:{_YEAR}|[0-9]{{2}})"
    rf"|{_DAY}[-. ]{{1,2}}(?:{_MONTHS})"
    rf"|{_TIME}",
    re.IGNORECASE,
)
_DECIMALS = re.compile(r"[0-9]+[.,]0+|[0-9]{7,14}(?:[.,]0+:[0-9]{1,3}(?:[.,]0+)?|:[0-9]{1,3}[.,]0+)")
_DECIMALS_OF_PARTS = re.compile(r"[.,]0+(?=:|\Z)")
_DECIMALS_BEHIND = re.compile(r"[.,][0-9]{1,2}\Z")
_GROUPS = ".,'\u2019 \u00a0\u2009\u202f"
_THOUSANDS = re.compile(rf"[0-9]{{1,3}}([{_GROUPS}])[0-9]{{3}}(?:\1[0-9]{{3}})*(?:[.,]0{{1,2}})?")
_SIGN = re.compile(r"[+-][0-9]+|[0-9]{5,}-|\([0-9]{5,}\)")
_PERCENT_OR_CURRENCY = re.compile(
    r"[0-9][0-9.,]*[ \u00a0]?[%‰€$£¥]|[€$£¥][ \u00a0]?[0-9][0-9.,]*"
    r"|(?:EUR|USD|GBP|CHF)[ \u00a0][0-9][0-9.,]*|[0-9][0-9.,]*[ \u00a0](?:EUR|USD|GBP|CHF)"
)
_MARKET_BEHIND = re.compile(r":[0-9]{1,3}\Z")


def find_in_text(text: str) -> Damage | None:
    """Return the damage that the text shows. Of several, return the first one with a loss.

    Without any loss, return the first one. Its `rest` is free of all of them, or None if they never end.
    A text that is too long for an id is not checked.
    """
    if len(text) > _LONGEST:
        return None
    told: Damage | None = None
    rest: str | None = text
    for _ in range(_MOST_DAMAGES):
        damage = _next_damage(rest) if rest else None
        if damage is None:
            break
        if told is None or (damage.is_loss and not told.is_loss):
            told = damage
        if damage.rest == rest:
            break
        rest = damage.rest
    else:
        rest = None
    return told and told._replace(rest=rest or None)


def _next_damage(text: str) -> Damage | None:
    if _PLAIN.fullmatch(text):
        return None
    is_word = _is_word(text)
    if is_word and len(text) > _LONGEST_WORD:
        return None
    return next(filter(None, (rule.find(text) for rule in (_VALUES if is_word else _RULES))), None)


def _is_word(text: str) -> bool:
    """Return True for letters, digits and joining signs. Only the rules for whole values apply to these."""
    joined = text.isascii() and text.translate(_JOINTS).isalnum()
    return joined and text[0] != "-" and text[-1] != "-" and "_x" not in text


class _Rule(NamedTuple):
    """The rule for one damage: its test, and a function that removes it from the text.

    With `lost`, a text that passes this test is damaged, and something is lost. Without it, a text is
    damaged when `rest` changes it, and nothing is lost.
    """

    kind: Kind
    message: str
    rest: Callable[[str], str | None] = lambda _: None
    lost: Callable[[str], object] | None = None

    def find(self, text: str) -> Damage | None:
        """Return the damage, or None when there is none of this kind."""
        if self.lost is not None:
            return Damage(*self[:2], self.rest(text), is_loss=True) if self.lost(text) else None
        rest = self.rest(text)
        return None if rest == text else Damage(*self[:2], rest)


def _reread(text: str) -> str | None:
    """Decode a text again as UTF-8 if it was read as cp1252 or Latin-1. Return None when letters are lost."""
    if _LOST_CHARACTER in text:
        return None
    for encoding in () if text.isascii() else ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode()
        except UnicodeError:
            continue
    return text


def _calculated(text: str) -> str | None:
    """Return the result of a simple formula, or None. Return other texts unchanged."""
    if len(text) == 1 or text[0] != "=":
        return text
    match = _FORMULA.fullmatch(text)
    return match[1] if match else None


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        read = html.unescape(match[0]) if match[0][0] == "&" else unquote(match[0])
        return match[0] if _LOST_CHARACTER in read else read

    return _ESCAPES.sub(character, text)


def _in_latin(text: str) -> str:
    latin = with_latin_letters(text)
    return latin if latin.isascii() else text


def _is_grouped(text: str) -> bool:
    """Return True for thousands separators, and for spaces in a number whose check digit fits."""
    if _THOUSANDS.fullmatch(text):
        return True
    digits = text.replace(" ", "")
    return " " in text and is_number(digits) and len(digits) in GTIN_DIGITS and fits_check_digit(digits)


def _digits(text: str) -> str:
    """Return the digits of an amount, without its decimal places."""
    return re.sub("[.,]", "", _DECIMALS_BEHIND.sub("", re.sub(r"[^0-9.,]+", "", text)))


def _ungrouped(text: str) -> str | None:
    """Return the digits. Return None for `4.000`, which can mean four or four thousand."""
    return None if _DECIMALS.fullmatch(text) else _digits(text)


_AS_A_NUMBER = "as if this were a number: leading zeros may be lost."
_VALUES = (
    _Rule(
        Kind.ERROR_VALUE, "A spreadsheet wrote an error here in place of the value.", lost=_ERROR.fullmatch
    ),
    _Rule(Kind.TRUTH, "A spreadsheet took this for true or false.", lost=_TRUTH.fullmatch),
    _Rule(Kind.MISSING, "Programs write this word where there is nothing.", lost=_MISSING.fullmatch),
    _Rule(Kind.DATE_OR_TIME, "A spreadsheet took this for a date or a time.", lost=_DATE_OR_TIME.fullmatch),
)
_RULES = (
    *_VALUES,
    _Rule(Kind.MISREAD, "Letters were read in the wrong character set.", _reread),
    _Rule(Kind.FORMULA, "This is a formula, not its result.", _calculated),
    _Rule(
        Kind.ESCAPED,
        "Characters are written as codes, as in web pages and inside spreadsheet files.",
        _unescaped,
    ),
    _Rule(Kind.LINE_BREAK, "A line break stands before or after it.", partial(_BREAKS_AROUND.sub, "")),
    _Rule(Kind.OUTER_SPACES, "Spaces stand before or after it.", lambda text: text.strip(" ")),
    _Rule(
        Kind.LINE_BREAK,
        "A line break stands inside: it may be one id, or two.",
        partial(_BREAKS.sub, ""),
        _BREAKS.search,
    ),
    _Rule(Kind.THOUSANDS, f"The digits stand in groups, {_AS_A_NUMBER}", _ungrouped, _is_grouped),
    _Rule(
        Kind.INVISIBLE,
        "It holds characters that cannot be seen.",
        partial(_NO_TAB.sub, lambda found: without_invisible(found[0])),
    ),
    _Rule(
        Kind.ODD_SPACES,
        "It holds spaces that the keyboard does not write.",
        lambda text: _ODD_SPACES.sub(" ", text).strip(" "),
    ),
    _Rule(Kind.QUOTES, "Quotation marks were left around it.", partial(_QUOTED.sub, r"\1")),
    _Rule(
        Kind.APOSTROPHE,
        "It begins with an apostrophe, with which spreadsheets mark texts.",
        partial(_APOSTROPHE.sub, ""),
    ),
    _Rule(
        Kind.OTHER_DIGITS, "Digits or letters are of another script, or of another width.", with_plain_digits
    ),
    _Rule(Kind.DASHES, "A longer dash stands where the keyboard writes a short one.", with_plain_dashes),
    _Rule(Kind.LOOK_ALIKE_LETTERS, "Letters of another alphabet look like Latin ones.", _in_latin),
    _Rule(
        Kind.SCIENTIFIC,
        "A spreadsheet shortened this number: digits are lost.",
        str,
        lambda text: is_shortened(_MARKET_BEHIND.sub("", text)),
    ),
    _Rule(
        Kind.DECIMALS,
        f"Decimal places were added, {_AS_A_NUMBER}",
        partial(_DECIMALS_OF_PARTS.sub, ""),
        _DECIMALS.fullmatch,
    ),
    _Rule(Kind.SIGN, f"A sign stands with the digits, {_AS_A_NUMBER}", _digits, _SIGN.fullmatch),
    _Rule(
        Kind.PERCENT_OR_CURRENCY,
        "A spreadsheet took this for a percentage, or for money.",
        _digits,
        _PERCENT_OR_CURRENCY.fullmatch,
    ),
)
