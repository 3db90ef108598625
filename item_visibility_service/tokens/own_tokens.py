"""Our own access tokens: issued and verified by the same service. Spec: "Authentication"; Note N8.

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
from item_visibility_service.tokens.checked_tokens import InvalidTokenError

SCOPE = "itemvisibilities"
"""The only scope, so every token has it. Note N9."""

_ALGORITHM = "HS256"


class OwnTokens:
    """The issuer of our tokens, which also verifies them. Safe from any thread."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key = OctKey.import_key(store.signing_key())

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

    async def verify(self, text: str) -> float:
        """Return the time in seconds at which the token expires; raises InvalidTokenError."""
        try:
            expires_at = float(jwt.decode(text, self._key, algorithms=[_ALGORITHM]).claims["exp"])
        except JoseError:
            raise InvalidTokenError("The access token is not one of this service.") from None
        if self._clock() >= expires_at:
            raise InvalidTokenError("The access token has expired.")
        return expires_at
