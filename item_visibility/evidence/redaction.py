"""Redaction: no secret and no token leaves in a pack, however it is written.

The service can repeat a token in a problem, and a person can paste one as an id or as a reason.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from item_visibility.api.http.masking import written

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""A shorter secret, as that of the demo, is part of ordinary words, and would tear holes into them."""

_BLANK = r"(?:\s|%20|\+|\\u0020)"
_QUOTE = r"(?:%22|\\?[\"'])?"
_CREDENTIALS = rf"\b(?:bearer|basic){_BLANK}+(?=[\w.~+/=%-]*(?:[0-9]|[.~+/_-]\w))[\w.~+/=%-]{{16,}}"
"""After their scheme; "Bearer authentication failed" is none."""
_JWT = r"\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
_FIELD = r"\b(?:client_secret|access_token|refresh_token|id_token|authorization|password)\b"
_IS = rf"{_QUOTE}{_BLANK}*(?:=|:|%3d|%3a){_BLANK}*{_QUOTE}"
_VALUE = rf"(?!bearer \$TOKEN)(?:(?:bearer|basic){_BLANK}+)?[^\s\"'&,;<>]+"
"""The commands for a shell name it `$TOKEN`."""
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
    known = (written(one) for one in secrets if len(one) >= SHORTEST_SECRET)
    return Redactor(re.compile("|".join((*known, *(f"(?i:{one})" for one in _LOOKS_SECRET)))))


def _walked(value: Any, redactor: Redactor) -> Any:  # noqa: ANN401  (any value of a pack)
    if isinstance(value, str) and type(value) is str:
        return redactor.text(value)
    if isinstance(value, tuple):
        return tuple(_walked(one, redactor) for one in value)
    if hasattr(value, "__dataclass_fields__"):
        parts = {one.name: _walked(getattr(value, one.name), redactor) for one in fields(value)}
        return replace(value, **parts)
    return value
