"""Compares ids by their look. Two ids of the same look are easily mistaken for one another."""

import re
import unicodedata

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LOOK_ALIKES = str.maketrans(
    # Cyrillic and Greek letters, large and small, that most typefaces draw as Latin ones
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0405\u0406\u0408"
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0455\u0456\u0458"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03b9",
    "ABEKMHOPCTXYSIJaeopcxysijABEZHIKMNOPTYXoi",
)
_LOOK_ALIKES_FOLDED = {
    ord(chr(letter).casefold()): chr(latin).casefold() for letter, latin in _LOOK_ALIKES.items()
}
_DIGITS_LIKE_LETTERS = str.maketrans("OolI|", "00111")
_NUMBER_WITH_LETTERS = re.compile(r"(?=.*[OolI|])[0-9OolI|]{8,}(?:[^0-9A-Za-z|][0-9OolI|]{3})?")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_LEADING_ZEROS = re.compile(r"\A0+(?=[0-9]+(?:[^0-9a-z][0-9a-z]{2,3})?$)")


def has_invisible(identifier: str) -> bool:
    """True when the identifier holds a character that nobody can see."""
    if identifier.isascii() and identifier.isprintable():
        return False
    return any(unicodedata.category(char) in _INVISIBLE for char in identifier)


def without_invisible(identifier: str) -> str:
    """Return the identifier as a person sees it."""
    return "".join(char for char in identifier if unicodedata.category(char) not in _INVISIBLE)


def with_plain_digits(identifier: str) -> str:
    """Return the identifier with digits of all scripts as 0 to 9, and full-width characters made normal."""
    return identifier if identifier.isascii() else "".join(map(_plain_digit, identifier))


def with_latin_letters(identifier: str) -> str:
    """Return the identifier with Latin letters in place of Cyrillic and Greek ones that look the same."""
    return identifier.translate(_LOOK_ALIKES)


def with_plain_dashes(identifier: str) -> str:
    """Return the identifier with the dash of the keyboard in place of longer ones."""
    return identifier.translate(_DASHES)


def with_digits_for_letters(identifier: str) -> str:
    """Return the identifier with digits for the letters that look like them, if all the rest is digits."""
    is_number = _NUMBER_WITH_LETTERS.fullmatch(identifier) is not None
    return identifier.translate(_DIGITS_LIKE_LETTERS) if is_number else identifier


def look(identifier: str) -> str:
    """Return a key that is equal for ids that a person could confuse. Case and width are ignored."""
    if identifier.isascii():
        return (identifier if identifier.isprintable() else without_invisible(identifier)).casefold()
    seen = unicodedata.normalize("NFKC", with_plain_digits(without_invisible(identifier))).casefold()
    return with_plain_dashes(seen.translate(_LOOK_ALIKES_FOLDED))


def look_without_zeros(identifier: str) -> str:
    """Return the look of an id. If it is a number, leading zeros are ignored too."""
    return _LEADING_ZEROS.sub("", look(identifier), count=1)


def _plain_digit(char: str) -> str:
    if char.isascii():
        return char
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)  # the full-width forms are in ASCII order
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)
