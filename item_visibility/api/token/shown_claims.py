"""The claims that a token shows to whoever can read it: until when, for what, from whom, for whom.

Read to be shown, never to be trusted, so no signature is checked. Most token endpoints give a JWT (RFC 9068);
the specification promises none, and a token of another form shows nothing. Spec: "Authentication".
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime

from item_visibility.api.problems import parse_json

_PARTS = 3
_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The claims of a token; one that it does not make is empty, or None for a time."""

    expires_at: datetime | None = None
    scopes: str = ""
    issuer: str = ""
    audience: str = ""
    client: str = ""


def read_claims(token: str) -> TokenClaims | None:
    """Return the claims of a token, or None when it is no JWT; never raise."""
    parts = token.split(".")
    if len(parts) != _PARTS:
        return None
    try:
        payload = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
    except (binascii.Error, ValueError):
        return None
    claims = parse_json(payload)
    if not isinstance(claims, dict):
        return None
    return TokenClaims(
        expires_at=_time(claims.get("exp")),
        scopes=_text(claims.get("scope")),
        issuer=_text(claims.get("iss")),
        audience=_text(claims.get("aud")),
        client=_text(claims.get("azp") or claims.get("client_id")),
    )


def _time(value: object) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _text(value: object) -> str:
    """Return a text, or several in one line, cut so that nothing long is shown."""
    texts = value if isinstance(value, list) else [value]
    return ", ".join(text for text in texts if isinstance(text, str))[:_MOST_CHARS]
