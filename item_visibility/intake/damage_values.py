"""Damage by a program that took an id for a value: a number, a date, a truth. Digits may be lost."""

import re

from item_visibility.intake.damage_finding import DamageKind
from item_visibility.intake.damage_numbers import is_shortened
from item_visibility.intake.damage_rule import Rule
from item_visibility.intake.trade_numbers import GTIN_DIGITS, fits_check_digit, is_number

_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_ERRORS = re.compile(
    r"#(?:N/A|NV|REF!|BEZUG!|NAME\?|VALUE!|WERT!|DIV/0!|NUM!|ZAHL!|NULL!|SPILL!|CALC!|#+)|Err:[0-9]{3}"
)
_TRUTHS = frozenset({"true", "false", "wahr", "falsch", "vrai", "faux"})
_MISSING = frozenset({"nan", "null", "none", "<na>", "n/a", "nat"})
_MONTHS = (
    "jan|feb|mar|mrz|mär|maerz|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|january|february|march|"
    "april|june|july|august|september|october|november|december|januar|februar|märz|juni|juli|oktober|dezember"
)
_DAY, _MONTH, _YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])", "(?:19|20)[0-9]{2}"
_TIME = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?(?: ?[ap]m)?"
_DATE_OR_TIME = re.compile(
    rf"{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:[T ]{_TIME}Z?)?"
    rf"|{_DAY}\.{_MONTH}\.(?:{_YEAR}|[0-9]{{2}})(?: {_TIME})?"
    rf"|{_DAY}/{_MONTH}/(?:{_YEAR}|[0-9]{{2}})(?: {_TIME})?"
    rf"|{_MONTH}/{_DAY}/(?:{_YEAR}|[0-9]{{2}})(?: {_TIME})?"
    rf"|(?:{_DAY}[-. ]{{1,2}})?(?:{_MONTHS})\.?[-. ](?:{_YEAR}|[0-9]{{2}})"
    rf"|{_DAY}[-. ]{{1,2}}(?:{_MONTHS})"
    rf"|{_TIME}"
    r"|PT[0-9]+H[0-9]+M[0-9.]+S",  # as ODS holds times
    re.IGNORECASE,
)
_DECIMALS = re.compile(r"[0-9]+[.,]0+")
_DECIMALS_AND_MARKET = re.compile(r"[0-9]{7,14}(?:[.,]0+:[0-9]{1,3}(?:[.,]0+)?|:[0-9]{1,3}[.,]0+)")
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


def _is_grouped(text: str) -> bool:
    """True when thousands are separated, or blanks stand anywhere in a number whose check digit fits."""
    if _THOUSANDS.fullmatch(text):
        return True
    digits = text.replace(" ", "")
    return " " in text and is_number(digits) and len(digits) in GTIN_DIGITS and fits_check_digit(digits)


def _ungrouped(text: str) -> str | None:
    """The digits; None for `4.000`, which can be four and four thousand."""
    return None if _DECIMALS.fullmatch(text) else _digits(text)


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]+", "", _DECIMALS_BEHIND.sub("", text))


def _amount(text: str) -> str:
    return _digits(re.sub(r"[^0-9.,]+", "", text))


def _is_decimal(text: str) -> bool:
    return bool(_DECIMALS.fullmatch(text) or _DECIMALS_AND_MARKET.fullmatch(text))


def _is_shortened(text: str) -> bool:
    return is_shortened(_MARKET_BEHIND.sub("", text))


def _nothing(_text: str) -> None:
    """Nothing is left."""


RULES_OF_WORDS = (
    Rule(
        DamageKind.ERROR_VALUE,
        "A spreadsheet wrote an error here in place of the value.",
        _ERRORS.fullmatch,
        _nothing,
        is_loss=True,
    ),
    Rule(
        DamageKind.TRUTH,
        "A spreadsheet took this for true or false.",
        lambda text: text.casefold() in _TRUTHS,
        _nothing,
        is_loss=True,
    ),
    Rule(
        DamageKind.MISSING,
        "Programs write this word where there is nothing.",
        lambda text: text.casefold() in _MISSING,
        _nothing,
        is_loss=True,
    ),
    Rule(
        DamageKind.DATE_OR_TIME,
        "A spreadsheet took this for a date or a time.",
        _DATE_OR_TIME.fullmatch,
        _nothing,
        is_loss=True,
    ),
)
RULE_OF_BREAKS = Rule(
    DamageKind.LINE_BREAK,
    "A line break stands inside: it may be one id, or two.",
    _BREAKS.search,
    lambda text: _BREAKS.sub("", text),
    is_loss=True,
)
RULE_OF_GROUPS = Rule(
    DamageKind.THOUSANDS,
    "The digits stand in groups, as if this were a number: zeros in front may be lost.",
    _is_grouped,
    _ungrouped,
    is_loss=True,
)
RULES_OF_NUMBERS = (
    Rule(
        DamageKind.SCIENTIFIC,
        "A spreadsheet shortened this number: digits are lost.",
        _is_shortened,
        lambda text: text,
        is_loss=True,
    ),
    Rule(
        DamageKind.DECIMALS,
        "Decimal places were added, as if this were a number: zeros in front may be lost.",
        _is_decimal,
        lambda text: _DECIMALS_OF_PARTS.sub("", text),
        is_loss=True,
    ),
    Rule(
        DamageKind.SIGN,
        "A sign stands with the digits, as if this were a number: zeros in front may be lost.",
        _SIGN.fullmatch,
        _digits,
        is_loss=True,
    ),
    Rule(
        DamageKind.PERCENT_OR_CURRENCY,
        "A spreadsheet took this for a percentage, or for money.",
        _PERCENT_OR_CURRENCY.fullmatch,
        _amount,
        is_loss=True,
    ),
)
