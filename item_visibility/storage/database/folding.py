"""The form in which names are compared: without regard to case and diacritics."""

import unicodedata
from functools import lru_cache

_REMEMBERED = 4_096
"""The names of which the form is remembered: the same few are compared at each letter that is typed."""

_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "\u0131": "i", "æ": "ae", "œ": "oe"}
)


def comparable(text: str) -> str:
    """Return the text in the form in which names are compared. Accents alone stay as they are."""
    return folded(text) or text


def folded(name: str) -> str:
    """Return the name in lower case, without accents, so that "Łódź" and "lodz" are the same."""
    if name.isascii():
        return name.lower()
    return _without_accents(name)


@lru_cache(maxsize=_REMEMBERED)
def _without_accents(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    base_letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return base_letters.translate(_NO_DECOMPOSITION)
