"""Access tokens of another issuer, such as Keycloak. RFC 9068, section 4; RFC 8725, section 3."""

from collections.abc import Awaitable, Callable, Mapping
from math import nan
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key

from item_visibility_service.service_settings import OtherIssuer
from item_visibility_service.tokens.checked_tokens import InvalidTokenError

ALGORITHMS = ("RS256", "PS256", "ES256")
"""Signatures with a private key only: with a public key anybody could make one of HS256."""

_MARKS_IN_HEADER = frozenset({"at+jwt", "application/at+jwt"})
_VERIFIED_AGAIN_AFTER_S = 60
"""No token is accepted longer without a look at the keys: one that the issuer took back is soon noticed."""

_CLOCKS_DIFFER_BY_S = 10
"""A token of a clock that is a little ahead is accepted. None is accepted after its end."""


class ForeignTokens:
    """The rules for tokens of one other issuer. `find_key` returns its public key of an id, or raises."""

    def __init__(
        self, issuer: OtherIssuer, find_key: Callable[[str], Awaitable[Key]], clock: Callable[[], float]
    ) -> None:
        self._issuer = issuer
        self._find_key = find_key
        self._clock = clock

    async def verify(self, text: str) -> float:
        """Return the time in seconds until which the token may be accepted; raises InvalidTokenError."""
        key = await self._find_key(_key_id(text))
        try:
            token = jwt.decode(text, key, algorithms=ALGORITHMS)
        except (JoseError, ValueError):
            raise InvalidTokenError("The signature of the access token is not the issuer's.") from None
        self._check(token.header, token.claims)
        return min(self._end(token.claims), self._clock() + _VERIFIED_AGAIN_AFTER_S)

    def _check(self, header: Mapping[str, Any], claims: Mapping[str, Any]) -> None:
        issuer = self._issuer
        if claims.get("iss") != issuer.url:
            raise InvalidTokenError("The access token is from another issuer.")
        if str(header.get("typ")).lower() not in _MARKS_IN_HEADER and claims.get("typ") != "Bearer":
            raise InvalidTokenError("The token is of another kind: an access token is needed.")
        if issuer.audience and not _names(claims.get("aud"), issuer.audience):
            raise InvalidTokenError("The access token is for another audience.")
        if issuer.client_id and issuer.client_id not in (claims.get("azp"), claims.get("client_id")):
            raise InvalidTokenError("The access token belongs to another client.")

    def _end(self, claims: Mapping[str, Any]) -> float:
        """Return the time at which the token expires. Comparisons are such that no odd number passes."""
        now, ends_at, begins_at = self._clock(), _number(claims.get("exp")), _number(claims.get("nbf", 0))
        if not now < ends_at:
            raise InvalidTokenError("The access token has expired, or does not say when it does.")
        if not begins_at <= now + _CLOCKS_DIFFER_BY_S:
            raise InvalidTokenError("The access token is not valid yet: compare the clocks.")
        return ends_at


def _key_id(text: str) -> str:
    """Return the id of the key that signed the token, as it says."""
    try:
        key_id = jws.extract_compact(text.encode()).headers().get("kid")
    except (JoseError, ValueError):
        key_id = None
    if not isinstance(key_id, str):
        raise InvalidTokenError("The access token is no JWT that names its key.")
    return key_id


def _names(audience: object, wanted: str) -> bool:
    """True when the audience is the wanted one, or a list with it. RFC 7519, section 4.1.3."""
    return wanted in audience if isinstance(audience, list) else wanted == audience


def _number(value: object) -> float:
    """Return a number of JSON as it is. Anything else compares with nothing."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else nan
