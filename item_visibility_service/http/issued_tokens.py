"""Access tokens: issued and checked by the same service. Spec: "Authentication"; Note N8.

They are JWTs signed with HS256. Issuer and verifier are the same program, so a public key would
help nobody and take longer to check. The key is random and stored in the database. It is never
derived from the client's secret, so a token gives no hint for guessing that secret. All processes
on a database accept each other's tokens, and tokens survive a restart.
"""

import secrets
from collections.abc import Callable

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from item_visibility_service.storage.visibility_store import Store

SCOPE = "itemvisibilities"
"""The only scope, so every token has it. Note N9."""

_ALGORITHM = "HS256"
_MOST_REMEMBERED = 1000


class InvalidTokenError(Exception):
    """The token is not one of ours, or has expired."""


class TokenIssuer:
    """The issuer of tokens, which also checks them. Safe from any thread.

    It remembers valid tokens, so each signature is checked once.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key = OctKey.import_key(store.signing_key())
        self._expires_at: dict[str, float] = {}

    def issue(self, client_id: str, *, lifetime_s: int) -> str:
        """Return a new token for this client."""
        now = self._clock()
        claims = {
            "sub": client_id,
            "scope": SCOPE,
            "iat": now,
            "exp": now + lifetime_s,
            "jti": secrets.token_urlsafe(12),
        }
        header = {"alg": _ALGORITHM, "typ": "at+jwt"}
        return jwt.encode(header, claims, self._key, algorithms=[_ALGORITHM])

    def knows(self, text: str) -> bool:
        """True when this token was already found valid, so `check` need not ask the store."""
        return text in self._expires_at

    def check(self, text: str) -> None:
        """Raise InvalidTokenError unless the token is valid and has not expired."""
        remembered = self._expires_at
        expires_at = remembered.get(text)
        if expires_at is None:
            expires_at = self._verified_expiry(text)
            if len(remembered) >= _MOST_REMEMBERED:
                remembered.clear()
            remembered[text] = expires_at
        if self._clock() >= expires_at:
            raise InvalidTokenError("The access token has expired.")

    def _verified_expiry(self, text: str) -> float:
        try:
            return float(jwt.decode(text, self._key, algorithms=[_ALGORITHM]).claims["exp"])
        except JoseError:
            raise InvalidTokenError("The access token is not one of this service.") from None
