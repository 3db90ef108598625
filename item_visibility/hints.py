"""What an identifier looks like, in plain words. A hint never gates and never rewrites. Note N2.

Every function takes any string and never raises; it gives an empty text when there is nothing to say.
"""

import re
import unicodedata
from dataclasses import dataclass

from biip.checksums import gs1_standard_check_digit
from iso3166 import countries_by_alpha2, countries_by_alpha3, countries_by_numeric

_SEPARATOR = " · "
_GLN_DIGITS = 13
_GTIN_DIGITS = (8, 12, 13, 14)
_NUMBER = re.compile(r"[0-9]+")
_GTIN_AND_MARKET = re.compile(
    r"(?P<number>[0-9]{8}|[0-9]{12,14})"
    r"(?:[^0-9A-Za-z]?(?P<digits>[0-9]{3})|[^0-9A-Za-z]?(?P<letters>[A-Za-z]{2,3}))"
)
_SPREADSHEET_NUMBER = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]{1,3}")
_MARKETS_WITHOUT_COUNTRY = {"097": "European Union"}
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class NumberAndMarket:
    """What looks like a trade item number followed by a target market. Note N2."""

    number: str
    market: str


def supplier_hint(supplier: str) -> str:
    """What the supplier's id looks like, and what seems wrong with it."""
    return _location_hint(supplier)


def recipient_hint(recipient_id: str) -> str:
    """What the recipient's id looks like, and what seems wrong with it."""
    return _location_hint(recipient_id)


def item_hint(supplier_item_id: str) -> str:
    """Trade item number and target market, where the item id looks like both, and what seems wrong."""
    parts = split_item_id(supplier_item_id)
    number = parts.number if parts else supplier_item_id
    words = []
    if _is_number_of(number, _GTIN_DIGITS):
        words.append(f"GTIN {number}")
    if parts:
        words.append(market_name(parts.market) or f"market {parts.market} is not known")
    return _SEPARATOR.join([*words, *doubts(supplier_item_id)])


def market_hint(supplier_item_id: str) -> str:
    """The name of the target market alone, where the item id seems to end with one."""
    parts = split_item_id(supplier_item_id)
    return market_name(parts.market) if parts else ""


def split_item_id(supplier_item_id: str) -> NumberAndMarket | None:
    """Number and market, where the id looks like both: `04012345678901:276`, `4012345678901DE`. Note N2."""
    match = _GTIN_AND_MARKET.fullmatch(supplier_item_id)
    if match is None:
        return None
    return NumberAndMarket(number=match["number"], market=match["digits"] or match["letters"])


def market_name(code: str) -> str:
    """The country of an ISO 3166 code (276, DE, DEU), or empty."""
    code = code.upper()
    for table in (countries_by_numeric, countries_by_alpha2, countries_by_alpha3):
        if code in table:
            return table[code].apolitical_name
    return _MARKETS_WITHOUT_COUNTRY.get(code, "")


def doubts(identifier: str) -> tuple[str, ...]:
    """What makes one look twice at an identifier, whatever it identifies."""
    parts = split_item_id(identifier)
    found = (
        _spreadsheet_doubt(identifier),
        _invisible_doubt(identifier),
        _check_digit_doubt(parts.number if parts else identifier),
    )
    return tuple(filter(None, found))


def has_invisible(identifier: str) -> bool:
    """True when the identifier holds a character that nobody can see."""
    return any(unicodedata.category(char) in _INVISIBLE for char in identifier)


def without_invisible(identifier: str) -> str:
    """The identifier as a person sees it."""
    return "".join(char for char in identifier if unicodedata.category(char) not in _INVISIBLE)


def _location_hint(identifier: str) -> str:
    words = doubts(identifier)
    if not words and _is_number_of(identifier, (_GLN_DIGITS,)):
        words = ("GLN, check digit fits",)
    return _SEPARATOR.join(words)


def _spreadsheet_doubt(identifier: str) -> str:
    return "a spreadsheet shortened this number" if _SPREADSHEET_NUMBER.fullmatch(identifier) else ""


def _invisible_doubt(identifier: str) -> str:
    return "holds characters that cannot be seen" if has_invisible(identifier) else ""


def _check_digit_doubt(number: str) -> str:
    if not _is_number_of(number, _GTIN_DIGITS):
        return ""
    fitting = f"{number[:-1]}{gs1_standard_check_digit(number[:-1])}"
    return "" if number == fitting else f"check digit does not fit: {fitting} would"


def _is_number_of(text: str, lengths: tuple[int, ...]) -> bool:
    return len(text) in lengths and _NUMBER.fullmatch(text) is not None
