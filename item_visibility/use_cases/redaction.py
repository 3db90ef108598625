"""Hide secrets and tokens in texts, however they are written.

The service can repeat a token in a problem, and a person can paste one as an id or as a reason.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, TypeVar
from urllib.parse import unquote

from item_visibility.client.secrets import marks, written
from item_visibility.client.token import ClientCredentials

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""A shorter secret, as that of the demo, is part of ordinary words, and would tear holes into them."""

_SPACE = r"(?:\s|%20|\+|\\u0020)"
_QUOTE = r"(?:%22|\\?[\"'])?"
_CREDENTIALS = rf"(?:bearer|basic){_SPACE}+(?=[\w.~+/=%-]*(?:[0-9]|[.~+/_-]\w))[\w.~+/=%-]{{16,}}"
"""After their scheme; "Bearer authentication failed" is none."""
_JWT = r"eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
_FIELD = r"(?:client_secret|access_token|refresh_token|id_token|authorization|password)\b"
_IS = rf"{_QUOTE}{_SPACE}*(?:=|:|%3d|%3a){_SPACE}*{_QUOTE}"
_VALUE = rf"(?!bearer \$TOKEN)(?:(?:bearer|basic){_SPACE}+)?[^\s\"'&,;<>]+"
"""The commands for a shell name it `$TOKEN`."""
_LOOKS_SECRET = re.compile(f"(?i:{_CREDENTIALS}|{_JWT}|{_FIELD}{_IS}{_VALUE})")
_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([\"\\/]))")
_NESTED = 3
_NEVER = r"(?!)"

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides secrets in texts, and in all texts of a value.

    `known_marks` stand in every text that holds a known secret, once its escapes are resolved.
    """

    known_marks: tuple[str, ...] = field(repr=False)
    known: re.Pattern[str] = field(repr=False)

    def text(self, text: str) -> str:
        """Return the text with each secret hidden; nothing of it when one is written too intricately."""
        if self._holds_known(text):
            text = self.known.sub(HIDDEN, text)
            if self._holds_known(text):
                return HIDDEN
        return _LOOKS_SECRET.sub(HIDDEN, text)

    def value(self, value: _Value) -> _Value:
        """Return the same dataclass, or tuple of them, with secrets hidden in every text within."""
        cleaned: _Value = _walked(value, self)
        return cleaned

    def _holds_known(self, text: str) -> bool:
        plain = _resolved(text) if "%" in text or "\\" in text else text
        return any(mark in plain for mark in self.known_marks)


def redactor_for(credentials: ClientCredentials) -> Redactor:
    """Return what hides a client's secret and its tokens, and whatever looks like some."""
    return redactor((credentials.client_secret, *credentials.tokens))


def redactor(secrets: Iterable[str]) -> Redactor:
    """Return what hides these secrets, and whatever looks like a token or a password."""
    known = [one for one in secrets if len(one) >= SHORTEST_SECRET]
    known_marks = tuple(mark for one in known for mark in marks(one))
    return Redactor(known_marks, re.compile("|".join(map(written, known)) or _NEVER))


def _resolved(text: str) -> str:
    """Return the text in each state on the way to its meaning: escapes of addresses and JSON, also nested."""
    states = [text]
    for _ in range(_NESTED):
        states.append(_JSON_ESCAPE.sub(_meant, unquote(states[-1])))
    return "\n".join(states)


def _meant(escape: re.Match[str]) -> str:
    return escape[2] or chr(int(escape[1], 16))


def _walked(value: Any, redactor: Redactor) -> Any:  # noqa: ANN401  (any value of a dataclass)
    if isinstance(value, str) and not isinstance(value, Enum):
        return redactor.text(value)
    if isinstance(value, tuple):
        return tuple(_walked(one, redactor) for one in value)
    if hasattr(value, "__dataclass_fields__"):
        parts = {one.name: _walked(getattr(value, one.name), redactor) for one in fields(value)}
        return replace(value, **parts)
    return value
