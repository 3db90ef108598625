"""Hide secrets and tokens in texts, however they are written.

The service can repeat a token in a problem, and a person can paste one as an id or as a reason.
"""

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast
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


class Redactor:
    """Hides these secrets, and whatever looks like a token or a password, in texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [one for one in secrets if len(one) >= SHORTEST_SECRET]
        self._known = re.compile("|".join(map(written, known)) or _NEVER)
        self._marks = tuple(mark for one in known for mark in marks(one))

    def text(self, text: str) -> str:
        """Return the text with each secret hidden; nothing of it when one is written too intricately."""
        if self._holds_known(text):
            text = self._known.sub(HIDDEN, text)
            if self._holds_known(text):
                return HIDDEN
        return _LOOKS_SECRET.sub(HIDDEN, text)

    def value(self, value: _Value) -> _Value:
        """Return the same dataclass, or tuple of them, with secrets hidden in every text within."""
        cleaned: Any = value
        if isinstance(value, str) and not isinstance(value, Enum):
            cleaned = self.text(value)
        elif isinstance(value, tuple):
            cleaned = tuple(map(self.value, value))
        elif is_dataclass(value) and not isinstance(value, type):
            parts = {one.name: self.value(getattr(value, one.name)) for one in fields(value)}
            cleaned = replace(value, **parts)
        return cast("_Value", cleaned)

    def _holds_known(self, text: str) -> bool:
        """True when a mark of a known secret is in the text, once its escapes are resolved."""
        plain = _resolved(text) if "%" in text or "\\" in text else text
        return any(mark in plain for mark in self._marks)


def redactor_for(credentials: ClientCredentials) -> Redactor:
    """Return what hides a client's secret and its tokens, and whatever looks like some."""
    return Redactor((credentials.client_secret, *credentials.tokens))


def _resolved(text: str) -> str:
    """Return the text in each state on the way to its meaning: escapes of addresses and JSON, also nested."""
    states = [text]
    for _ in range(_NESTED):
        states.append(_JSON_ESCAPE.sub(_meant, unquote(states[-1])))
    return "\n".join(states)


def _meant(escape: re.Match[str]) -> str:
    return escape[2] or chr(int(escape[1], 16))
