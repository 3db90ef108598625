"""Finding secrets in texts, however they are written, and knowing which there are."""

import re
from base64 import b64encode
from collections import deque
from collections.abc import Iterator

TOKENS_KNOWN = 16
"""The limit of remembered tokens; the last ones stay."""

_COMPARED = 24
"""The number of first characters that identify a long secret."""

_REST = r"[^\s\"'<>&]*"


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

    Such bodies are shown and stored. The token is also found in escapes and in base64.
    """
    if not (token and body):
        return body
    return re.sub(written(token).encode(), b"[access token]", body)


def written(secret: str) -> str:
    """Return a pattern for a secret: as it is, in escapes of JSON or of addresses, or in base64."""
    begin, is_long = secret[:_COMPARED], len(secret) > _COMPARED
    plain = "".join(
        rf"(?:\\?{re.escape(sign)}|(?i:{re.escape(_percent(sign))}|\\u{ord(sign):04x}))" for sign in begin
    )
    encoded = "|".join(map(re.escape, marks(secret)[1:]))
    return rf"{plain}{_REST if is_long else ''}|(?:{encoded})[\w+/=%-]*"


def marks(secret: str) -> tuple[str, ...]:
    """Return the secret (first), and its forms in base64: each text that contains it has one of them."""
    begin = secret[:_COMPARED]
    return (begin, *(one for offset in range(3) for one in _in_base64(begin, offset)))


def _percent(sign: str) -> str:
    return "".join(f"%{byte:02x}" for byte in sign.encode("utf-8", "surrogatepass"))


def _in_base64(text: str, offset: int) -> tuple[str, str]:
    """Return the base64 characters that do not depend on what comes before and after the text.

    `offset` is the number of bytes before it, modulo three. The second form is the one of addresses.
    """
    data = bytes(offset) + text.encode("utf-8", "surrogatepass")
    first, last = -(-offset * 8 // 6), len(data) * 8 // 6
    found = b64encode(data).decode("ascii")[first:last]
    return found, found.translate(str.maketrans("+/", "-_"))
