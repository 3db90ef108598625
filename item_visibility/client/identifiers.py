"""Identifiers: opaque strings that are sent byte for byte, or refused before a request exists. Note N1."""

import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from item_visibility.errors import IdentifierError

MAX_SEGMENT_BYTES = 2_000
"""The longest percent-encoded identifier: three of them and an address fit a request line of 8 KiB."""

_NAMES_OF_CONTROLS = {"\0": "NUL", "\t": "a tab", "\n": "a line break", "\r": "a carriage return"}
_ADVICE = "Check the {name} for characters that were copied by mistake, and enter it again."
_LIST_ADVICE = " If it is correct, only setting the whole list can change it."


@dataclass(frozen=True, slots=True, order=True)
class ItemKey:
    """One item: a supplier and a supplier item id, both exactly as given.

    Spec: "Resources and their fields".
    """

    supplier: str
    supplier_item_id: str


def path_segment(value: str, *, name: str) -> str:
    """Return the identifier as one percent-encoded segment of a path; raise IdentifierError. Note N1."""
    check_addressable(value, name=name)
    return quote(value, safe="")


def check_addressable(value: object, *, name: str) -> None:
    """Raise IdentifierError when `refusal` has a reason, with advice for this kind of identifier. Note N1."""
    reason = refusal(value, name=name)
    if reason is not None:
        advice = _ADVICE.format(name=name) + (_LIST_ADVICE if name == "recipient" else "")
        raise IdentifierError(reason, advice=advice)


def refusal(value: object, *, name: str) -> str | None:
    """Return why we refuse to send the identifier in a path, in plain words; None when we do not. Note N1.

    `name` is what a person calls it: "supplier", "item" or "recipient".
    """
    if not isinstance(value, str):
        return f"The {name} is not a text."
    if not value:
        return f"The {name} is empty."
    if value in {".", ".."}:
        return f"The {name} “{value}” cannot be sent: it has a special meaning in web addresses."
    is_plain = value.isascii() and value.isprintable()
    for position, character in enumerate("" if is_plain else value, start=1):
        if (category := unicodedata.category(character)) in {"Cc", "Cs"}:
            kind = "half a character" if category == "Cs" else "a control character"
            words = f"{_NAMES_OF_CONTROLS.get(character, kind)} (U+{ord(character):04X})"
            return f"The {name} holds {words} at position {position}, which cannot be sent."
    size = len(quote(value, safe=""))
    if size > MAX_SEGMENT_BYTES:
        return f"The {name} is too long: {size} bytes when sent, and the limit is {MAX_SEGMENT_BYTES}."
    return None
