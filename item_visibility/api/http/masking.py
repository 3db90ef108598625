"""Hiding an access token in the body of an error."""

import re

_MASK = b"[access token]"
_UNIT = re.compile(rb"\\u00[0-9A-Fa-f]{2}|\\.|%[0-9A-Fa-f]{2}|.", re.DOTALL)
"""One character of the body, escaped or not."""


def without_token(body: bytes, token: str) -> bytes:
    """Return the body of an error without the token, which some gateways repeat in it.

    Such bodies are shown and kept. The token is found even where JSON or URL escapes stand for its letters.
    """
    if not token:
        return body
    units = _UNIT.findall(body.replace(token.encode(), _MASK))
    meant = b"".join(map(_meant, units))
    pieces: list[bytes] = []
    read = 0
    while (found := meant.find(token.encode(), read)) >= 0:
        pieces += [*units[read:found], _MASK]
        read = found + len(token)
    return b"".join([*pieces, *units[read:]])


def _meant(unit: bytes) -> bytes:
    """Return the byte that an escape means; one that is in no token when it means another character."""
    if len(unit) > len(rb"\n"):
        return bytes((int(unit[-2:], 16),))
    escaped = unit[-1:]
    return escaped if len(unit) == 1 or escaped in b'"\\/' else b"\0"
