"""Reduces texts to the form in which they are compared.

Texts are compared in lower case and without accents, as a whole or word by word.
"""

import re
import unicodedata
from functools import lru_cache

_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "\u0131": "i", "æ": "ae", "œ": "oe"}
)
_UMLAUT = re.compile("([aou])e")
_UNIT = re.compile(r"(?<=\d)(?=(?:k?g|m?l|cl)\b)|(?<=[^\W\d_]{3})(?=\d)", re.IGNORECASE)
_WORD = re.compile(
    r"\d{8,}[:-]\w{2,3}\b|\S+@\S+|\w+(?:[.'\u2019-]\w+|(?<=\d),\d\d?(?!\d))*|[^\w\s]"
)


# The same names are compared at every keystroke.
@lru_cache(maxsize=4_096)
def folded(name: str) -> str:
    """Return the name in lower case, without accents: "Łódź" becomes "lodz"."""
    if name.isascii():
        return name.lower()
    letters = unicodedata.normalize("NFKD", name.casefold())
    base_letters = "".join(
        letter for letter in letters if not unicodedata.combining(letter)
    )
    return base_letters.translate(_NO_DECOMPOSITION)


def comparable(text: str) -> str:
    """Return the folded text, or the text itself if it consists of accents only."""
    return folded(text) or text


def plain_letters(text: str) -> str:
    """Return the text in lower case, without accents, and with ä and ae as a."""
    return _UMLAUT.sub(r"\1", folded(text))


def words_and_marks(text: str) -> list[str]:
    """Return the words and punctuation marks. A number and its unit are two words."""
    return _WORD.findall(_UNIT.sub(" ", text))


# A question repeats the same names in many lines.
@lru_cache(maxsize=100_000)
def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in plain letters.

    Müller, Mueller and Muller give the same word.
    """
    words = words_and_marks(plain_letters(text))
    return tuple(word for word in words if word[0].isalnum())
