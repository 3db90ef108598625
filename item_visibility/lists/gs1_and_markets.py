"""GS1 numbers and their markets: check digits, normal forms, and hints for users.

Note N2.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from babel import Locale
from iso3166 import countries

from item_visibility.model.folding import name_words

GLN_DIGITS = 13
GTIN_DIGITS = (8, 12, 13, 14)
_ZERO = ord("0")
_ONE_IN = 20
"""A form is in use if at least one in twenty ids has it."""

_OTHER_NAMES = {"GB": "Great Britain|UK|Großbritannien", "NL": "Holland", "US": "USA"}
_OTHER_NAMES |= {"CZ": "Czech Republic", "TR": "Turkey"}
"""Common names of markets that the Unicode locale data does not contain."""
_EUROPEAN_UNION = "097"
_MARKET_DIGITS = 3

_GTIN_AND_MARKET = re.compile(
    r"(?P<number>[0-9]{8}|[0-9]{12,14})"
    r"(?:[^0-9A-Za-z]?(?P<digits>[0-9]{3})|[^0-9A-Za-z]?(?P<letters>[A-Za-z]{2,3}))"
)
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]")
_SHORTENED = re.compile(r"[0-9](?:[.,][0-9]+[eE]\+?|[eE]\+)[0-9]{1,3}")

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LOOK_ALIKES = str.maketrans(
    # Cyrillic and Greek letters, large and small, that look like Latin letters in most
    # typefaces
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0405\u0406\u0408"
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0455\u0456\u0458"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03b9",
    "ABEKMHOPCTXYSIJaeopcxysijABEZHIKMNOPTYXoi",
) | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_DIGITS_LIKE_LETTERS = str.maketrans("OolI|", "00111")
_NUMBER_WITH_LETTERS = re.compile(
    r"(?=.*[OolI|])[0-9OolI|]{8,}(?:[^0-9A-Za-z|][0-9OolI|]{3})?"
)
_LEADING_ZEROS = re.compile(r"\A0+(?=[0-9]+(?:[^0-9a-z][0-9a-z]{2,3})?$)")
_JOINTS = re.compile(r"[\s._/'-]+")


class NumberAndMarket(NamedTuple):
    """The parts of an id that looks like a trade item number and a target market.

    Note N2.
    """

    number: str
    market: str


def split_item_id(supplier_item_id: str) -> NumberAndMarket | None:
    """Split an id such as `04012345678901:276` or `4012345678901DE`; None for other ids. Note N2."""  # noqa: E501
    match = _GTIN_AND_MARKET.fullmatch(supplier_item_id)
    return (
        NumberAndMarket(match["number"], match["digits"] or match["letters"])
        if match
        else None
    )


@lru_cache(maxsize=1024)
def market_name(code: str, language: str = "en") -> str:
    """Return the name of the market with this code (276, DE, DEU, or 097 for the EU), or an empty text."""  # noqa: E501
    country = countries.get(code, None)
    alpha2 = country.alpha2 if country else "EU" if code == _EUROPEAN_UNION else ""
    return Locale(language).territories[alpha2] if alpha2 else ""


def market_code(text: str) -> str:
    """Return the number of the market that the text names (276, DE, DEU, Germany), or an empty text."""  # noqa: E501
    country = countries.get(text.strip(), None)
    return (
        country.numeric
        if country
        else codes_by_name().get(" ".join(name_words(text)), "")
    )


def has_market(supplier_item_id: str, market: str) -> bool:
    """True when the id ends with this market, given as a code or a name."""
    parts = split_item_id(supplier_item_id)
    own = parts.market if parts else supplier_item_id.rpartition(":")[2]
    wanted = market.strip()
    return (
        own in {wanted, wanted.zfill(_MARKET_DIGITS)}
        or market_code(own) == market_code(wanted) != ""
    )


@cache
def codes_by_name() -> Mapping[str, str]:
    """Map the English and German names of the markets to their numbers."""
    named = [
        (name, one) for one in countries for name in (one.name, one.apolitical_name)
    ]
    named += [
        (market_name(one.alpha2, language), one)
        for one in countries
        for language in ("en", "de")
    ]
    for alpha2, names in _OTHER_NAMES.items():
        named += [(name, countries[alpha2]) for name in names.split("|")]
    return {" ".join(name_words(name)): one.numeric for name, one in named}


def is_number(text: str) -> bool:
    """True when the text consists only of the digits 0 to 9."""
    return text.isascii() and text.isdigit()


def is_trade_number(text: str) -> bool:
    """True when the text has the length of a GTIN and consists of digits."""
    return is_number(text) and len(text) in GTIN_DIGITS


def is_location_number(text: str) -> bool:
    """True when the text has the length of a GLN and consists of digits."""
    return is_number(text) and len(text) == GLN_DIGITS


def is_gln(text: str) -> bool:
    """True for a GLN with a valid check digit."""
    return is_location_number(text) and fits_check_digit(text)


def is_item_number(text: str) -> bool:
    """True for a GTIN with a valid check digit, with or without its market.

    A text of only digits is never split: its last digits belong to the number, and are
    not a market.
    """
    parts = None if is_number(text) else split_item_id(text)
    number = parts.number if parts else text
    return is_trade_number(number) and fits_check_digit(number)


def fits_check_digit(number: str) -> bool:
    """True when the last digit is the valid GS1 check digit.

    Leading zeros make no difference.
    """
    digits = number.encode()[::-1]  # bytes are faster
    odd, even = digits[::2], digits[1::2]
    return (sum(odd) + 3 * sum(even) - _ZERO * (len(odd) + 3 * len(even))) % 10 == 0


def has_digit(text: str) -> bool:
    """True when the text contains a digit of any script."""
    return any(char.isdecimal() for char in text)


def form_of(number: str) -> str:
    """Return the form of an id, such as `13 digits` for a number, or `9-AA9` for `0123-DE7`."""  # noqa: E501
    return (
        f"{len(number)} digits"
        if is_number(number)
        else _LETTERS.sub("A", _DIGITS.sub("9", number))
    )


def forms_in_use(numbers: Iterable[str]) -> frozenset[str]:
    """Return the forms that at least one in twenty ids has.

    Ids without a digit are ignored.
    """
    forms = Counter(form_of(one) for one in numbers if has_digit(one))
    return frozenset(
        form for form, count in forms.items() if count * _ONE_IN >= forms.total()
    )


def is_shortened(text: str) -> bool:
    """True for a number that a spreadsheet shortened, such as `4.00638E+15`."""
    return _SHORTENED.fullmatch(text) is not None


def without_invisible(identifier: str) -> str:
    """Return the identifier without control characters and other invisible characters."""  # noqa: E501
    if identifier.isascii() and identifier.isprintable():
        return identifier
    return "".join(
        char for char in identifier if unicodedata.category(char) not in _INVISIBLE
    )


def in_keyboard_characters(identifier: str) -> str:
    """Replace letters, dashes and digits with the keyboard characters that they look like."""  # noqa: E501
    if identifier.isascii():
        return identifier
    plain = unicodedata.normalize("NFKC", identifier).translate(_LOOK_ALIKES)
    return "".join(
        char if char.isascii() else str(unicodedata.decimal(char, char))
        for char in plain
    )


def writing(identifier: str) -> str:
    """Return a key that is equal for ids that look alike.

    These make no difference: case, width, separators, letters that look like other
    letters or like digits, and leading zeros of a number.
    """
    return _LEADING_ZEROS.sub("", without_separators(identifier).casefold(), count=1)


def without_separators(identifier: str) -> str:
    """Return the id without separators.

    In a number, letters that look like digits become digits.
    """
    joined = _JOINTS.sub("", in_keyboard_characters(without_invisible(identifier)))
    is_number_with_letters = _NUMBER_WITH_LETTERS.fullmatch(joined) is not None
    return joined.translate(_DIGITS_LIKE_LETTERS) if is_number_with_letters else joined


def with_one_slip(text: str, characters: Iterable[str]) -> Iterator[str]:
    """Yield all texts that differ from the text by one missing, added, changed or swapped character."""  # noqa: E501
    for at in range(len(text) + 1):
        start, end = text[:at], text[at:]
        yield start + end[1:]
        yield start + end[1::-1] + end[2:]
        for character in characters:
            yield start + character + end
            yield start + character + end[1:]


def location_hint(identifier: str) -> str:
    """Describe the id of a supplier or a recipient, with its possible mistakes."""
    words = doubts(identifier)
    return (
        " · ".join(words)
        if words or not is_location_number(identifier)
        else "valid GLN"
    )


def item_hint(supplier_item_id: str) -> str:
    """Describe an item id: its trade item number, its target market and possible mistakes."""  # noqa: E501
    number, market = split_item_id(supplier_item_id) or (supplier_item_id, "")
    words = [f"GTIN {number}"] if is_trade_number(number) else []
    if market:
        words.append(market_name(market) or f"market {market} is not known")
    return " · ".join([*words, *doubts(supplier_item_id)])


def market_hint(supplier_item_id: str) -> str:
    """Return the name of the target market at the end of an item id, or an empty text."""  # noqa: E501
    parts = split_item_id(supplier_item_id)
    return market_name(parts.market) if parts else ""


@lru_cache(maxsize=100_000)  # long lists are checked again after each save
def doubts(identifier: str) -> tuple[str, ...]:
    """Return the possible mistakes in an identifier of any kind."""
    number, _ = split_item_id(identifier) or (identifier, "")
    found = []
    if is_shortened(identifier):
        found.append("a spreadsheet shortened this number")
    if without_invisible(identifier) != identifier:
        found.append("holds characters that cannot be seen")
    if is_trade_number(number) and not fits_check_digit(number):
        fitting = next(
            filter(
                fits_check_digit, (f"{number[:-1]}{digit}" for digit in string.digits)
            )
        )
        found.append(f"check digit does not fit: {fitting} would")
    return tuple(found)
