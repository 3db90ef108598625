"""GS1 numbers and their markets: check digits, forms, look-alikes, and hints for people. Note N2.

Markets are countries, with their names in English and German.

Nothing here blocks or changes an identifier. Every function takes any string and never raises.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from babel import Locale
from iso3166 import Country, countries, countries_by_alpha2, countries_by_alpha3, countries_by_numeric

from item_visibility.storage.names import name_words

GLN_DIGITS = 13
GTIN_DIGITS = (8, 12, 13, 14)
_ZERO = ord("0")
_ONE_IN = 20
"""A form that fewer of the ids have is an exception: half a number may look like it."""

_OTHER_NAMES = {"GB": "Great Britain|UK|Großbritannien", "NL": "Holland", "US": "USA"}
_OTHER_NAMES |= {"CZ": "Czech Republic", "TR": "Turkey"}
"""Names of markets that people say, beside those of the Unicode locale data."""
_EUROPEAN_UNION = "097"

_GTIN_AND_MARKET = re.compile(
    r"(?P<number>[0-9]{8}|[0-9]{12,14})"
    r"(?:[^0-9A-Za-z]?(?P<digits>[0-9]{3})|[^0-9A-Za-z]?(?P<letters>[A-Za-z]{2,3}))"
)
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]")
_SHORTENED = re.compile(r"[0-9](?:[.,][0-9]+[eE]\+?|[eE]\+)[0-9]{1,3}")

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LOOK_ALIKES = str.maketrans(
    # Cyrillic and Greek letters, large and small, that most typefaces draw as Latin ones
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0405\u0406\u0408"
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0455\u0456\u0458"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03b9",
    "ABEKMHOPCTXYSIJaeopcxysijABEZHIKMNOPTYXoi",
) | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_DIGITS_LIKE_LETTERS = str.maketrans("OolI|", "00111")
_NUMBER_WITH_LETTERS = re.compile(r"(?=.*[OolI|])[0-9OolI|]{8,}(?:[^0-9A-Za-z|][0-9OolI|]{3})?")
_LEADING_ZEROS = re.compile(r"\A0+(?=[0-9]+(?:[^0-9a-z][0-9a-z]{2,3})?$)")
_JOINTS = re.compile(r"[\s._/'-]+")


class NumberAndMarket(NamedTuple):
    """An apparent trade item number and the target market after it. Note N2."""

    number: str
    market: str


def split_item_id(supplier_item_id: str) -> NumberAndMarket | None:
    """Split an id that looks like number and market: `04012345678901:276`, `4012345678901DE`. Note N2."""
    match = _GTIN_AND_MARKET.fullmatch(supplier_item_id)
    return NumberAndMarket(match["number"], match["digits"] or match["letters"]) if match else None


@lru_cache(maxsize=1024)
def market_name(code: str, language: str = "en") -> str:
    """Return the name of the market with an ISO 3166 code (276, DE, DEU) or 097; empty for another text."""
    country = _country(code)
    alpha2 = country.alpha2 if country else "EU" if code == _EUROPEAN_UNION else ""
    return Locale(language).territories[alpha2] if alpha2 else ""


def market_code(text: str) -> str:
    """Return the number of the market if the whole text names one (276, DE, DEU, Germany), or empty."""
    country = _country(text.strip())
    return country.numeric if country else codes_by_name().get(" ".join(name_words(text)), "")


@cache
def codes_by_name() -> Mapping[str, str]:
    """Return the numbers of the markets by the words of their names in English and German."""
    named = [(name, one) for one in countries for name in (one.name, one.apolitical_name)]
    named += [(market_name(one.alpha2, language), one) for one in countries for language in ("en", "de")]
    for alpha2, names in _OTHER_NAMES.items():
        named += [(name, countries_by_alpha2[alpha2]) for name in names.split("|")]
    return {" ".join(name_words(name)): one.numeric for name, one in named}


def is_number(text: str) -> bool:
    """True when the text consists only of the digits 0 to 9."""
    return text.isascii() and text.isdigit()


def is_trade_number(text: str) -> bool:
    """True when the text has the digits and length of a trade item number without a market."""
    return is_number(text) and len(text) in GTIN_DIGITS


def is_location_number(text: str) -> bool:
    """True when the text has the digits of a GLN."""
    return is_number(text) and len(text) == GLN_DIGITS


def is_gln(text: str) -> bool:
    """True for the digits of a GLN with a valid check digit."""
    return is_location_number(text) and fits_check_digit(text)


def is_item_number(text: str) -> bool:
    """True for a GTIN with a valid check digit, with or without its market.

    Digits alone are one number: a shorter one with a market after it may be half of a number.
    """
    parts = None if is_number(text) else split_item_id(text)
    number = parts.number if parts else text
    return is_trade_number(number) and fits_check_digit(number)


def fits_check_digit(number: str) -> bool:
    """True when the last digit is GS1's check digit for the others. Leading zeros make no difference.

    This works on bytes for speed: a long list calls it for every number.
    """
    digits = number.encode()[::-1]
    odd, even = digits[::2], digits[1::2]
    return (sum(odd) + 3 * sum(even) - _ZERO * (len(odd) + 3 * len(even))) % 10 == 0


def has_digit(text: str) -> bool:
    """True when the text holds a digit of any script, as nearly every id does."""
    return any(char.isdecimal() for char in text)


def looks_like_id(text: str) -> bool:
    """True for one word with a digit: no name, note or action."""
    return has_digit(text) and len(text.split()) == 1


def form_of(number: str) -> str:
    """Return the form of a number: digits alone by their count, else the places of digits and letters."""
    return f"{len(number)} digits" if is_number(number) else _LETTERS.sub("A", _DIGITS.sub("9", number))


def forms_in_use(numbers: Iterable[str]) -> frozenset[str]:
    """Return the forms that at least one in twenty of the numbers has. A word without a digit has none."""
    forms = Counter(form_of(one) for one in numbers if has_digit(one))
    return frozenset(form for form, count in forms.items() if count * _ONE_IN >= forms.total())


def is_shortened(text: str) -> bool:
    """True for a number that a spreadsheet has shortened: `4.00638E+15`."""
    return _SHORTENED.fullmatch(text) is not None


def without_invisible(identifier: str) -> str:
    """Return the identifier as a person sees it."""
    if identifier.isascii() and identifier.isprintable():
        return identifier
    return "".join(char for char in identifier if unicodedata.category(char) not in _INVISIBLE)


def in_keyboard_characters(identifier: str) -> str:
    """Return the identifier with the digits, dashes and Latin letters that a keyboard writes."""
    if identifier.isascii():
        return identifier
    plain = unicodedata.normalize("NFKC", identifier).translate(_LOOK_ALIKES)
    return "".join(char if char.isascii() else str(unicodedata.decimal(char, char)) for char in plain)


def look_without_zeros(identifier: str) -> str:
    """Return a key that is equal for ids that a person could confuse.

    Case, width, alphabet, and the leading zeros of a number are ignored.
    """
    seen = in_keyboard_characters(without_invisible(identifier))
    return _LEADING_ZEROS.sub("", seen.casefold(), count=1)


def writing(identifier: str) -> str:
    """Return a key that is equal for ids that are one number in several writings.

    Also spaces and separators, and letters in place of digits, are ignored.
    """
    return look_without_zeros(without_separators(identifier))


def without_separators(identifier: str) -> str:
    """Return the id as it was probably meant: without spaces and separators.

    Letters that look like digits become digits if all the rest is digits.
    """
    joined = _JOINTS.sub("", in_keyboard_characters(without_invisible(identifier)))
    is_number_with_letters = _NUMBER_WITH_LETTERS.fullmatch(joined) is not None
    return joined.translate(_DIGITS_LIKE_LETTERS) if is_number_with_letters else joined


def with_one_slip(text: str, characters: Iterable[str]) -> Iterator[str]:
    """Yield the texts in which one character is missing, too many, wrong, or swapped with the next."""
    for at in range(len(text) + 1):
        start, end = text[:at], text[at:]
        yield start + end[1:]
        yield start + end[1::-1] + end[2:]
        for character in characters:
            yield start + character + end
            yield start + character + end[1:]


def location_hint(identifier: str) -> str:
    """Describe the id of a supplier or a recipient, and what seems wrong with it."""
    words = doubts(identifier)
    return " · ".join(words) if words or not is_location_number(identifier) else "valid GLN"


def item_hint(supplier_item_id: str) -> str:
    """Describe the trade item number and target market in an item id, and what seems wrong with it."""
    number, market = split_item_id(supplier_item_id) or (supplier_item_id, "")
    words = [f"GTIN {number}"] if is_trade_number(number) else []
    if market:
        words.append(market_name(market) or f"market {market} is not known")
    return " · ".join([*words, *doubts(supplier_item_id)])


def market_hint(supplier_item_id: str) -> str:
    """Return only the name of the target market, if the item id seems to end with one."""
    parts = split_item_id(supplier_item_id)
    return market_name(parts.market) if parts else ""


@lru_cache(maxsize=100_000)  # long lists are checked again after each save
def doubts(identifier: str) -> tuple[str, ...]:
    """Return the reasons to look twice at an identifier of any kind."""
    number, _ = split_item_id(identifier) or (identifier, "")
    found = []
    if is_shortened(identifier):
        found.append("a spreadsheet shortened this number")
    if without_invisible(identifier) != identifier:
        found.append("holds characters that cannot be seen")
    if is_trade_number(number) and not fits_check_digit(number):
        fitting = next(filter(fits_check_digit, (f"{number[:-1]}{digit}" for digit in string.digits)))
        found.append(f"check digit does not fit: {fitting} would")
    return tuple(found)


def _country(code: str) -> Country | None:
    tables = (countries_by_numeric, countries_by_alpha2, countries_by_alpha3)
    return next((table[code.upper()] for table in tables if code.upper() in table), None)
