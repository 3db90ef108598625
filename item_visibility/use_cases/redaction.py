"""Hide secrets and tokens in texts.

The service can repeat a token in a problem, and a person can paste one as an id or as a reason.
"""

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from item_visibility.client.token import ClientCredentials, writings

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
_NEVER = r"(?!)"

_Value = TypeVar("_Value")


class Redactor:
    """Hides these secrets, and whatever looks like a token or a password, in texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [one for one in secrets if len(one) >= SHORTEST_SECRET]
        found = sorted((one for secret in known for one in writings(secret)), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, found)) or _NEVER, re.IGNORECASE)

    def text(self, text: str) -> str:
        """Return the text with each secret hidden."""
        return _LOOKS_SECRET.sub(HIDDEN, self._known.sub(HIDDEN, text))

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


def redactor_for(credentials: ClientCredentials) -> Redactor:
    """Return what hides a client's secret and its tokens, and whatever looks like some."""
    return Redactor((credentials.client_secret, *credentials.tokens.copy()))
