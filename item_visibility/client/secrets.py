"""The tokens of a client, and how a secret can be written in a text."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections import deque
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

TOKENS_KNOWN = 16
"""The limit of remembered tokens; the last ones stay."""


class KnownTokens:
    """The last tokens of all clients that use one client's credentials. Thread-safe."""

    __slots__ = ("_tokens",)

    def __init__(self) -> None:
        self._tokens: deque[str] = deque(maxlen=TOKENS_KNOWN)

    def note(self, token: str) -> None:
        """Remember a token."""
        self._tokens.append(token)

    def __iter__(self) -> Iterator[str]:
        """Yield each of them."""
        return iter(self._tokens.copy())


def without_token(body: bytes, token: str) -> bytes:
    """Return the body of an error without the token, which some gateways repeat in it.

    Such bodies are shown and stored.
    """
    for writing in writings(token) if token and body else ():
        body = body.replace(writing.encode(), b"[access token]")
    return body


def writings(secret: str) -> frozenset[str]:
    """Return the secret as it is, in an address or a form, in JSON, and in base64."""
    plain = secret.encode("utf-8", "surrogatepass")
    return frozenset(
        {
            secret,
            quote(plain),
            quote(plain, safe=""),
            quote_plus(plain),
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            b64encode(plain).decode("ascii").rstrip("="),
            urlsafe_b64encode(plain).decode("ascii").rstrip("="),
        }
    )
