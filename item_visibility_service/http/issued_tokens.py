"""Access tokens: issued and checked by the same service. Spec: "Authentication"; Note N8.

They are JWTs signed with HS256: issuer and verifier are the same program, so a second, public key
would open nothing to anybody and take longer to check. The key is random and stands in the
database, never derived from the client's secret: a token gives nothing away to guess at, all
processes on a database accept each other's tokens, and tokens outlive a restart.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from item_visibility_service.storage.visibility_store import Store

SCOPE = "itemvisibilities"
"""The only scope, so that every token has all there are. Note N9."""

_ALGORITHM = "HS256"
_MOST_REMEMBERED = 1000


class InvalidTokenError(Exception):
    """The token is not one of ours, or has expired."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, and for how many seconds it is accepted."""

    text: str = field(repr=False)
    lifetime_s: int


class TokenIssuer:
    """Issues tokens and tells which ones are alive. Safe from any thread.

    A token that was found good is remembered: its signature is checked once.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key = OctKey.import_key(store.signing_key())
        self._expires_at: dict[str, float] = {}

    def issue(self, client_id: str, *, lifetime_s: int) -> AccessToken:
        """A new token for this client."""
        now = self._clock()
        claims = {
            "sub": client_id,
            "scope": SCOPE,
            "iat": now,
            "exp": now + lifetime_s,
            "jti": secrets.token_urlsafe(12),
        }
        header = {"alg": _ALGORITHM, "typ": "at+jwt"}
        text = jwt.encode(header, claims, self._key, algorithms=[_ALGORITHM])
        return AccessToken(text, lifetime_s)

    def knows(self, text: str) -> bool:
        """True when this token was found good before, so that `check` need not ask the store."""
        return text in self._expires_at

    def check(self, text: str) -> None:
        """Raise InvalidTokenError unless the token is alive."""
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
