"""Access tokens: our own, or those of another issuer.

Spec: "Authentication"; RFC 6750, section 3.1.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from math import nan
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, OctKey

from item_visibility_service.settings import OtherIssuer

SCOPE = "itemvisibilities"
"""The only scope. Every token has it. Note N9."""

_OWN_ALGORITHM = "HS256"
_ISSUER_ALGORITHMS = ("RS256", "PS256", "ES256")
"""HS256 is missing: with it, anybody could sign tokens with the public key."""

_MAX_REMEMBERED = 1000
_VERIFY_AGAIN_AFTER_S = 60
"""A token of another issuer is verified again after this time.

The issuer may have withdrawn its key.
"""

_CLOCK_SKEW_S = 10
"""Allowed clock skew for the start of a token's validity. The end allows no skew."""


class InvalidTokenError(Exception):
    """The token is not accepted.

    The message says why, and does not contain the token.
    """


class CheckedTokens:
    """Checks access tokens, and remembers valid ones.

    Verifying a signature takes time. `verify` raises InvalidTokenError, or returns the
    time in seconds until which its result can be used. Use it in one event loop only.
    """

    def __init__(
        self, verify: Callable[[str], Awaitable[float]], clock: Callable[[], float]
    ) -> None:
        self._verify = verify
        self._clock = clock
        self._valid_until: dict[str, float] = {}

    async def check(self, text: str) -> None:
        """Raise InvalidTokenError if the token is not valid now."""
        remembered = self._valid_until
        if self._clock() < remembered.get(text, 0.0):
            return

        remembered.pop(text, None)
        valid_until = await self._verify(text)

        if len(remembered) >= _MAX_REMEMBERED:
            remembered.clear()
        remembered[text] = valid_until


class OwnTokens:
    """Issues and verifies our own tokens. Note N8. Thread-safe.

    They are JWTs signed with HS256, which is secure enough because the same program
    issues and verifies them. `signing_key` is a random value in the database, so tokens
    stay valid after a restart. It is not derived from the client's secret, because
    somebody with a token could then try to guess the secret.
    """

    def __init__(self, signing_key: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key = OctKey.import_key(signing_key)

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
        header = {"alg": _OWN_ALGORITHM, "typ": "at+jwt"}
        return jwt.encode(header, claims, self._key, algorithms=[_OWN_ALGORITHM])

    async def verify(self, text: str) -> float:
        """Return the time in seconds at which the token expires.

        Raises InvalidTokenError.
        """
        try:
            token = jwt.decode(text, self._key, algorithms=[_OWN_ALGORITHM])
            expires_at = float(token.claims["exp"])
        except JoseError:
            raise InvalidTokenError(
                "The access token was not issued by this service."
            ) from None
        if self._clock() >= expires_at:
            raise InvalidTokenError("The access token has expired.")
        return expires_at


class ForeignTokens:
    """Verifies tokens of another issuer, such as Keycloak.

    `find_key` returns the issuer's public key for a key id, or raises an error. RFC
    9068, section 4; RFC 8725, section 3.
    """

    def __init__(
        self,
        issuer: OtherIssuer,
        find_key: Callable[[str], Awaitable[Key]],
        clock: Callable[[], float],
    ) -> None:
        self._issuer = issuer
        self._find_key = find_key
        self._clock = clock

    async def verify(self, text: str) -> float:
        """Return the time in seconds until which the token is accepted.

        Raises InvalidTokenError.
        """
        key = await self._find_key(_key_id(text))
        try:
            token = jwt.decode(text, key, algorithms=_ISSUER_ALGORITHMS)
        except (JoseError, ValueError):
            raise InvalidTokenError(
                "The signature of the access token is not the issuer's."
            ) from None

        self._check(token.header, token.claims)
        return min(self._expiry(token.claims), self._clock() + _VERIFY_AGAIN_AFTER_S)

    def _check(self, header: Mapping[str, Any], claims: Mapping[str, Any]) -> None:
        issuer = self._issuer
        if claims.get("iss") != issuer.url:
            raise InvalidTokenError("The access token is from another issuer.")

        # Keycloak marks access tokens by a claim, and not by the media type.
        media_type = str(header.get("typ")).lower()
        is_access_token = (
            media_type in {"at+jwt", "application/at+jwt"}
            or claims.get("typ") == "Bearer"
        )
        if not is_access_token:
            raise InvalidTokenError(
                "The token is of another kind: an access token is needed."
            )

        # The audience is a text or a list. RFC 7519, section 4.1.3.
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if issuer.audience and issuer.audience not in audiences:
            raise InvalidTokenError("The access token is for another audience.")

        clients = (claims.get("azp"), claims.get("client_id"))
        if issuer.client_id and issuer.client_id not in clients:
            raise InvalidTokenError("The access token belongs to another client.")

    def _expiry(self, claims: Mapping[str, Any]) -> float:
        now = self._clock()
        expires_at = _number(claims.get("exp"))
        begins_at = _number(claims.get("nbf", 0))

        # Both comparisons are false for NaN.
        if not now < expires_at:
            raise InvalidTokenError("The access token has expired, or has no expiry.")
        if not begins_at <= now + _CLOCK_SKEW_S:
            raise InvalidTokenError(
                "The access token is not valid yet: compare the clocks."
            )
        return expires_at


def _key_id(text: str) -> str:
    try:
        key_id = jws.extract_compact(text.encode()).headers().get("kid")
    except (JoseError, ValueError):
        key_id = None
    if not isinstance(key_id, str):
        raise InvalidTokenError("The access token is not a JWT with a key id.")
    return key_id


def _number(value: object) -> float:
    """Return a JSON number, or NaN for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return nan
    return value
