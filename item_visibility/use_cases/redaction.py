"""Hide secrets and tokens in texts.

The service may repeat a token in an error message, and a person may paste a token as an
id or a reason.
"""

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from item_visibility.client.token import ClientCredentials, spellings

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""Shorter secrets, such as "demo", are not hidden: they occur in ordinary words."""

_SPACE = r"(?:\s|%20|\+|\\u0020)"
_QUOTE = r"(?:%22|\\?[\"'])?"
_CREDENTIALS = (
    rf"(?:bearer|basic){_SPACE}+(?=[\w.~+/=%-]*(?:[0-9]|[.~+/_-]\w))[\w.~+/=%-]{{16,}}"
)
"""Credentials after "Bearer" or "Basic".

The phrase "Bearer authentication failed" does not match.
"""
_JWT = r"eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
_FIELD = (
    r"(?:client_secret|access_token|refresh_token|id_token|authorization|password)\b"
)
_IS = rf"{_QUOTE}{_SPACE}*(?:=|:|%3d|%3a){_SPACE}*{_QUOTE}"
_VALUE = rf"(?!bearer \$TOKEN)(?:(?:bearer|basic){_SPACE}+)?[^\s\"'&,;<>]+"
"""The value of a field. The placeholder `$TOKEN` in cURL commands is not a secret."""
_LOOKS_SECRET = re.compile(f"(?i:{_CREDENTIALS}|{_JWT}|{_FIELD}{_IS}{_VALUE})")

_Value = TypeVar("_Value")


class Redactor:
    """Hides the given secrets, and everything that looks like a token or password."""

    def __init__(self, secrets: Iterable[str]) -> None:
        texts: list[str] = []
        for secret in secrets:
            if len(secret) >= SHORTEST_SECRET:
                texts += spellings(secret)

        # The longest text comes first: the first alternative that fits is hidden.
        texts.sort(key=len, reverse=True)
        pattern = "|".join(map(re.escape, texts)) or "(?!)"
        self._known = re.compile(pattern, re.IGNORECASE)

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        return _LOOKS_SECRET.sub(HIDDEN, self._known.sub(HIDDEN, text))

    def value(self, value: _Value) -> _Value:
        """Return a copy of a dataclass or tuple in which no text contains a secret."""
        cleaned: Any = value
        if isinstance(value, str) and not isinstance(value, Enum):
            cleaned = self.text(value)
        elif isinstance(value, tuple):
            cleaned = tuple(map(self.value, value))
        elif is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value)]
            parts = {name: self.value(getattr(value, name)) for name in names}
            cleaned = replace(value, **parts)
        return cast("_Value", cleaned)


def redactor_for(credentials: ClientCredentials) -> Redactor:
    """Return a redactor that hides the client's secret and its tokens."""
    return Redactor((credentials.client_secret, *credentials.tokens.copy()))
