"""Redaction: no secret and no token leaves in a pack, however it is written.

The service can repeat a token in a problem, and a person can paste one as an id or as a reason.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""A shorter secret, as that of the demo, is part of ordinary words, and would tear holes into them."""

_COMPARED = 24
"""A long secret is recognised by so many of its first characters; the rest goes with them."""

_REST = r"[^\s\"'<>&]*"
_BLANK = r"(?:\s|%20|\+|\\u0020)"
_QUOTE = r"(?:%22|\\?[\"'])?"
_CREDENTIALS = rf"\b(?:bearer|basic){_BLANK}+(?=[\w.~+/=%-]*(?:[0-9]|[.~+/_-]\w))[\w.~+/=%-]{{16,}}"
"""After their scheme; "Bearer authentication failed" is none."""
_JWT = r"\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
_FIELD = r"\b(?:client_secret|access_token|refresh_token|id_token|authorization|password)\b"
_IS = rf"{_QUOTE}{_BLANK}*(?:=|:|%3d|%3a){_BLANK}*{_QUOTE}"
_VALUE = rf"(?:(?:bearer|basic){_BLANK}+)?[^\s\"'&,;<>]+"
_LOOKS_SECRET = (_CREDENTIALS, _JWT, f"{_FIELD}{_IS}{_VALUE}")

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides secrets in texts, and in all texts of a value."""

    pattern: re.Pattern[str]

    def text(self, text: str) -> str:
        """Return the text with each secret hidden."""
        return self.pattern.sub(HIDDEN, text)

    def value(self, value: _Value) -> _Value:
        """Return the same dataclass, or tuple of them, with secrets hidden in every text within."""
        cleaned: _Value = _walked(value, self)
        return cleaned


def redactor(secrets: Iterable[str]) -> Redactor:
    """Return what hides these secrets, and whatever looks like a token or a password."""
    known = (_written(one) for one in secrets if len(one) >= SHORTEST_SECRET)
    return Redactor(re.compile("|".join((*known, *(f"(?i:{one})" for one in _LOOKS_SECRET)))))


def _written(secret: str) -> str:
    """Return a pattern for a secret: as it is, in escapes of JSON or of addresses, or in base64."""
    begin, is_long = secret[:_COMPARED], len(secret) > _COMPARED
    plain = "".join(
        rf"(?:\\?{re.escape(sign)}|(?i:{re.escape(_percent(sign))})|(?i:\\u{ord(sign):04x}))"
        for sign in begin
    )
    encoded = "|".join(re.escape(one) for offset in range(3) for one in _in_base64(begin, offset))
    return rf"{plain}{_REST if is_long else ''}|(?:{encoded})[\w+/=%-]*"


def _percent(sign: str) -> str:
    return "".join(f"%{byte:02x}" for byte in sign.encode("utf-8", "surrogatepass"))


def _in_base64(text: str, offset: int) -> tuple[str, str]:
    """Return the characters of base64 that are the same whatever stands before and after the text.

    So many bytes stand before it, modulo three. The second form is the one of addresses.
    """
    data = bytes(offset) + text.encode("utf-8", "surrogatepass")
    first, last = -(-offset * 8 // 6), len(data) * 8 // 6
    found = b64encode(data).decode("ascii")[first:last]
    return found, found.translate(str.maketrans("+/", "-_"))


def _walked(value: Any, redactor: Redactor) -> Any:  # noqa: ANN401  (any value of a pack)
    if isinstance(value, str) and type(value) is str:
        return redactor.text(value)
    if isinstance(value, tuple):
        return tuple(_walked(one, redactor) for one in value)
    if hasattr(value, "__dataclass_fields__"):
        parts = {one.name: _walked(getattr(value, one.name), redactor) for one in fields(value)}
        return replace(value, **parts)
    return value
