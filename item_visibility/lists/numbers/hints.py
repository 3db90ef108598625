"""Describes in plain words what an identifier looks like. A hint never blocks or changes it. Note N2.

Every function takes any string and never raises. It returns an empty text when there is nothing to say.
"""

import re
from functools import lru_cache

from item_visibility.lists.numbers.lookalikes import has_invisible
from item_visibility.lists.numbers.market_names import market_name
from item_visibility.lists.numbers.trade_numbers import (
    GLN_DIGITS,
    fits_check_digit,
    is_trade_number,
    split_item_id,
    with_fitting_check_digit,
)

REMEMBERED = 100_000
"""The answers that are kept: long lists ask again after each save."""

_SEPARATOR = " · "
_SPREADSHEET_NUMBER = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]{1,3}")


def location_hint(identifier: str) -> str:
    """Describe the id of a supplier or a recipient, and what seems wrong with it."""
    words = doubts(identifier)
    if not words and is_trade_number(identifier) and len(identifier) == GLN_DIGITS:
        words = ("valid GLN",)
    return _SEPARATOR.join(words)


def item_hint(supplier_item_id: str) -> str:
    """Describe the trade item number and target market in an item id, and what seems wrong with it."""
    number, market = split_item_id(supplier_item_id) or (supplier_item_id, "")
    words = [f"GTIN {number}"] if is_trade_number(number) else []
    if market:
        words.append(market_name(market) or f"market {market} is not known")
    return _SEPARATOR.join([*words, *doubts(supplier_item_id)])


def market_hint(supplier_item_id: str) -> str:
    """Return only the name of the target market, if the item id seems to end with one."""
    parts = split_item_id(supplier_item_id)
    return market_name(parts.market) if parts else ""


@lru_cache(maxsize=REMEMBERED)
def doubts(identifier: str) -> tuple[str, ...]:
    """Return the reasons to look twice at an identifier of any kind."""
    number, _ = split_item_id(identifier) or (identifier, "")
    is_wrong = is_trade_number(number) and not fits_check_digit(number)
    found = {
        "a spreadsheet shortened this number": _SPREADSHEET_NUMBER.fullmatch(identifier),
        "holds characters that cannot be seen": has_invisible(identifier),
        f"check digit does not fit: {with_fitting_check_digit(number) if is_wrong else ''} would": is_wrong,
    }
    return tuple(words for words, is_so in found.items() if is_so)
