"""Identifiers, which are sent unchanged, or refused if that is not safe. Note N1."""

import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from item_visibility.errors import IdentifierError

MAX_SEGMENT_BYTES = 2_000
"""The limit of a percent-encoded identifier. An address with three fits into 8 KiB."""

_NAMES_OF_CONTROLS = {
    "\0": "NUL",
    "\t": "a tab",
    "\n": "a line break",
    "\r": "a carriage return",
}
_ADVICE = (
    "Check the {name} for characters that were copied by mistake, and enter it again."
)
_LIST_ADVICE = (
    " If the id is correct, you can add or remove it only by setting the whole list."
)


@dataclass(frozen=True, slots=True, order=True)
class ItemKey:
    """The two ids that identify an item. Spec: "Resources and their fields"."""

    supplier: str
    supplier_item_id: str


def path_segment(value: str, *, name: str) -> str:
    """Return the identifier, percent-encoded. Raises IdentifierError. Note N1."""
    check_addressable(value, name=name)
    return quote(value, safe="")


def check_addressable(value: object, *, name: str) -> None:
    """Raise IdentifierError when a path cannot carry the identifier. Note N1."""
    reason = refusal(value, name=name)
    if reason is None:
        return
    advice = _ADVICE.format(name=name)
    if name == "recipient":
        advice += _LIST_ADVICE
    raise IdentifierError(reason, advice=advice)


def refusal(value: object, *, name: str) -> str | None:
    """Return the reason why a path cannot carry the identifier, or None. Note N1.

    `name` is "supplier", "item" or "recipient".
    """
    if not isinstance(value, str):
        return f"The {name} is not a text."
    if not value:
        return f"The {name} is empty."
    if value in {".", ".."}:
        return (
            f"The {name} “{value}” cannot be sent: it has a special meaning in web"
            " addresses."
        )

    is_plain = value.isascii() and value.isprintable()
    for position, character in enumerate("" if is_plain else value, start=1):
        category = unicodedata.category(character)
        if category in {"Cc", "Cs"}:
            kind = "half a character" if category == "Cs" else "a control character"
            kind = _NAMES_OF_CONTROLS.get(character, kind)
            return (
                f"The {name} contains {kind} (U+{ord(character):04X}) at position"
                f" {position}, which cannot be sent."
            )

    size = len(quote(value, safe=""))
    if size > MAX_SEGMENT_BYTES:
        return (
            f"The {name} is too long: it has {size} bytes when sent, and the limit is"
            f" {MAX_SEGMENT_BYTES}."
        )
    return None
