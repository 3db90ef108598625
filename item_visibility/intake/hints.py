"""Describes in plain words what an identifier looks like. A hint never blocks or changes it. Note N2.

Every function takes any string and never raises. It returns an empty text when there is nothing to say.
"""

import re

from item_visibility.intake.lookalikes import has_invisible
from item_visibility.intake.trade_numbers import (
    GLN_DIGITS,
    GTIN_DIGITS,
    NumberAndMarket,
    fits_check_digit,
    is_number,
    market_name,
    split_item_id,
    with_fitting_check_digit,
)

__all__ = [
    "NumberAndMarket",
    "doubts",
    "item_hint",
    "market_hint",
    "market_name",
    "recipient_hint",
    "split_item_id",
    "supplier_hint",
]

_SEPARATOR = " · "
_SPREADSHEET_NUMBER = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]{1,3}")


def supplier_hint(supplier: str) -> str:
    """Describe the supplier's id and what seems wrong with it."""
    return _location_hint(supplier)


def recipient_hint(recipient_id: str) -> str:
    """Describe the recipient's id and what seems wrong with it."""
    return _location_hint(recipient_id)


def item_hint(supplier_item_id: str) -> str:
    """Describe the trade item number and target market in an item id, and what seems wrong with it."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    words = []
    if _is_number_of(number, GTIN_DIGITS):
        words.append(f"GTIN {number}")
    if parts:
        words.append(market_name(parts.market) or f"market {parts.market} is not known")
    return _SEPARATOR.join([*words, *doubts(supplier_item_id)])


def market_hint(supplier_item_id: str) -> str:
    """Return only the name of the target market, if the item id seems to end with one."""
    parts = split_item_id(supplier_item_id)
    return market_name(parts.market) if parts else ""


def doubts(identifier: str) -> tuple[str, ...]:
    """Return the reasons to look twice at an identifier of any kind."""
    parts = split_item_id(identifier)
    found = (
        _spreadsheet_doubt(identifier),
        _invisible_doubt(identifier),
        _check_digit_doubt(parts.number if parts else identifier),
    )
    return tuple(filter(None, found))


def _location_hint(identifier: str) -> str:
    words = doubts(identifier)
    if not words and _is_number_of(identifier, (GLN_DIGITS,)):
        words = ("GLN, check digit fits",)
    return _SEPARATOR.join(words)


def _spreadsheet_doubt(identifier: str) -> str:
    return "a spreadsheet shortened this number" if _SPREADSHEET_NUMBER.fullmatch(identifier) else ""


def _invisible_doubt(identifier: str) -> str:
    return "holds characters that cannot be seen" if has_invisible(identifier) else ""


def _check_digit_doubt(number: str) -> str:
    if not _is_number_of(number, GTIN_DIGITS):
        return ""
    if fits_check_digit(number):
        return ""
    return f"check digit does not fit: {with_fitting_check_digit(number)} would"


def _is_number_of(text: str, lengths: tuple[int, ...]) -> bool:
    return len(text) in lengths and is_number(text)
