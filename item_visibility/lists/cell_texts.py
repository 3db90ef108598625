"""What the text of a cell says if it is not simply one id.

It may say nothing, as "n/a" does. It may hold several ids, or an id beside other text.
"""

import re
from collections.abc import Callable, Collection

from item_visibility.lists.gs1_and_markets import has_digit, is_number
from item_visibility.model.folding import folded

_WORDS_FOR_NOTHING = (
    "- -- \u2013 \u2014 nan na n/a n.a. #n/a none null #null! nil leer k.a."
)
"""Words for an empty cell, in lower case. Databases and spreadsheets write them."""
_NOTHING = frozenset(_WORDS_FOR_NOTHING.split())

_NOT_IN_AN_ID = re.compile(r"[\s;,|*?@]|://|\A\W|\W\Z|\Aurn:", re.IGNORECASE)
"""List separators, wildcards, and marks of addresses; and marks at the beginning or the end."""  # noqa: E501
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")
_LONG_NUMBER = re.compile(
    r"[0-9]{12,17}(?:[^0-9A-Za-z][0-9]{1,3}|[^0-9A-Za-z]?[A-Za-z]{2,3})?"
)
"""A number as long as a GLN or GTIN, with or without a market."""

_GS1_NUMBER = re.compile(r"(?<![0-9])[0-9]{12,14}(?::[0-9]{3})?(?![0-9])")
_LIST_SEPARATOR = re.compile(r"[;,|\n\r\t]|\s[/&+\u2013-]\s")
_JOINT = re.compile(r"[\s/&+\u2013-]+")
_MARKS = re.compile(r"(\W+)")
_MOST_WORDS_OF_AN_ID, _MOST_WORDS = 8, 60

_LABEL = re.compile(
    r"(?:gln|gtin|ean|iln|upc|id|no|nr|number|nummer|0088|0060|\((?:01|02|41[0-7])\)|[\s.:=#-])*",
    re.IGNORECASE,
)
"""Words before a number that say what kind of number it is, such as `GLN`, `0088:` or `(01)`."""  # noqa: E501
_DIGITAL_LINK = re.compile(r"https?://\S*/(?:01|41[0-7])/", re.IGNORECASE)

IsId = Callable[[str], bool]


def means_nothing(text: str) -> bool:
    """True for a word that stands for an empty cell, such as "n/a" or "NULL"."""
    return text.strip().casefold() in _NOTHING


def is_token(text: str) -> bool:
    """True if a text of any form can be an id: it has a digit, and no spaces or list separators.

    Dates and web addresses are no ids. A number as long as a GLN or GTIN is not judged
    by its form alone.
    """  # noqa: E501
    is_one = has_digit(text) and not _NOT_IN_AN_ID.search(text)
    return is_one and not _DATE.fullmatch(text) and not _LONG_NUMBER.fullmatch(text)


def holds_several(text: str, is_id: IsId) -> bool:
    """True if more than one part of the text is an id.

    `is_id` recognises known and well-formed ids.
    """
    if len(_GS1_NUMBER.findall(text)) > 1:
        return True
    listed = [part.strip() for part in _LIST_SEPARATOR.split(text)]
    if sum(is_id(part) for part in listed) > 1:
        return True
    joined = list(filter(None, _JOINT.split(text)))
    return len(joined) > 1 and all(map(is_id, joined))


def is_list_of_tokens(text: str) -> bool:
    """True if list separators, or only spaces, stand between words with digits, which can all be ids."""  # noqa: E501
    parts = _LIST_SEPARATOR.split(text)
    words = text.split()
    is_listed = sum(has_digit(part) and len(part.split()) == 1 for part in parts) > 1
    return is_listed or (len(words) > 1 and all(map(has_digit, words)))


def first_word(text: str) -> str:
    """Return the word with which the text begins, or an empty text if it begins with a mark."""  # noqa: E501
    return _MARKS.split(text, maxsplit=1)[0]


def ids_inside(
    text: str,
    *,
    is_id: IsId,
    is_known: IsId,
    first_words: Callable[[], Collection[str]],
) -> dict[str, tuple[str, str]]:
    """Map each id that is only a part of the text to the texts before and after it.

    `first_words` returns the first words of the known ids, for speed. In a single word,
    only numbers as long as a GLN or GTIN are found, because ids such as `SHOP-7-2` may
    contain others. After a label, the check digit of such a number may be wrong.
    """
    found: dict[str, tuple[str, str]] = {}
    for match in _GS1_NUMBER.finditer(text):
        before = text[: match.start()]
        after = text[match.end() :]
        if (before or after) and (is_id(match[0]) or is_label(before, after)):
            found[match[0]] = (before, after)
    if found or is_token(text):
        return found

    # Look for the longest known ids among the words.
    pieces = _MARKS.split(text)[: 2 * _MOST_WORDS]
    beginnings = first_words()
    start = 0
    while start < len(pieces):
        if pieces[start] not in beginnings:
            start += 1
            continue
        last = min(start + 2 * _MOST_WORDS_OF_AN_ID, len(pieces))
        for end in range(last, start, -1):
            part = "".join(pieces[start:end])
            if part != text and part.strip() == part != "" and is_known(part):
                found[part] = ("".join(pieces[:start]), "".join(pieces[end:]))
                start = end - 1
                break
        start += 1
    return found


def is_label(before: str, after: str, *, name: str = "") -> bool:
    """True if the texts beside an id say only what it is: `GLN`, `(01)`, a Digital Link, or its own name."""  # noqa: E501
    rest = f"{before} {after}".strip(" \t-:;,()[]/")
    if name and folded(rest) == folded(name):
        return True
    is_closed = not after.strip(" \t.)]")
    has_label = (
        _LABEL.fullmatch(before) is not None
        or _DIGITAL_LINK.fullmatch(before) is not None
    )
    return is_closed and has_label


def is_long_number(text: str) -> bool:
    """True for a number that is as long as a GLN or GTIN."""
    return is_number(text) and _GS1_NUMBER.fullmatch(text) is not None
