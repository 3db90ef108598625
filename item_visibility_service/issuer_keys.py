"""The public keys of another issuer. OpenID Connect Discovery 1.0, section 4; RFC 7517, section 5."""

import asyncio
import json
import logging
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key

from item_visibility_service.settings import OtherIssuer, ServiceSettingsError, check_address
from item_visibility_service.tokens import InvalidTokenError

logger = logging.getLogger(__name__)

_RETRY_AFTER_S = 5
"""After an unknown key id or a failure, the keys are fetched again, but no more often than this."""

_REFRESH_AFTER_S = 600
"""Keys of this age are fetched again, so that a withdrawn one is not accepted forever."""

_TIMEOUT_S = 5
"""The limit for the whole download, from the name lookup to the last byte."""

_MAX_BYTES = 2**20
_KINDS = frozenset({"RSA", "EC"})


class KeysUnavailableError(Exception):
    """The keys cannot be fetched now, so a token can be neither accepted nor refused."""


class IssuerKeys:
    """Keys that are fetched when a token needs them. The last ones stay in use while the issuer is down.

    A known key needs no wait. However many callers need an unknown one, it is fetched once. `download`
    raises KeysUnavailableError. Lives on one event loop.
    """

    def __init__(
        self, download: Callable[[], Awaitable[Mapping[str, Key]]], clock: Callable[[], float]
    ) -> None:
        self._download = download
        self._clock = clock
        self._keys: Mapping[str, Key] = {}
        self._fetched_at = float("-inf")
        self._failure = ""
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, key_id: str) -> Key:
        """Return the key with this id; raises InvalidTokenError if there is none, KeysUnavailableError."""
        await self._fetch_if_due(is_enough=key_id in self._keys)
        if key_id in self._keys:
            return self._keys[key_id]
        if self._failure:
            raise KeysUnavailableError(self._failure)
        raise InvalidTokenError("The access token is signed with a key that the issuer does not have.")

    async def check(self) -> None:
        """Raise KeysUnavailableError unless there are any keys."""
        await self._fetch_if_due(is_enough=bool(self._keys))
        if not self._keys:
            raise KeysUnavailableError(self._failure)

    async def _fetch_if_due(self, *, is_enough: bool) -> None:
        """Fetch the keys if it is time to; wait for them unless the present ones are enough."""
        wait_s = _REFRESH_AFTER_S if is_enough and not self._failure else _RETRY_AFTER_S
        is_fetching = self._fetching is not None and not self._fetching.done()
        if not is_fetching and self._clock() - self._fetched_at >= wait_s:
            self._fetching = asyncio.create_task(self._fetch())
        if not is_enough and self._fetching is not None:
            await asyncio.shield(self._fetching)  # a caller that is cancelled does not cancel the others

    async def _fetch(self) -> None:
        self._fetched_at = self._clock()
        try:
            self._keys = await self._download()
        except KeysUnavailableError as error:
            self._failure = str(error)
            logger.warning("%s The keys fetched before stay in use: %d.", error, len(self._keys))
        else:
            self._failure = ""


async def download_keys(issuer: OtherIssuer) -> dict[str, Key]:
    """Return the keys that sign the issuer's tokens, by their ids; raises KeysUnavailableError."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            keys = dict(_signing_keys(await _get(await _discover(issuer))))
    except TimeoutError:
        raise KeysUnavailableError(f"The issuer's keys did not come within {_TIMEOUT_S} seconds.") from None
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise KeysUnavailableError(
            f"The issuer's keys cannot be fetched ({type(error).__name__})."
        ) from error
    if not keys:
        raise KeysUnavailableError("The issuer has no keys for signatures.")
    return keys


async def _discover(issuer: OtherIssuer) -> str:
    """Return the address of the keys from the issuer's configuration."""
    document = await _get(f"{issuer.url}/.well-known/openid-configuration")
    if document.get("issuer") != issuer.url:
        raise KeysUnavailableError("The issuer gives another address as its own: configure that one.")
    try:
        return check_address(str(document.get("jwks_uri")), "address of the keys")
    except ServiceSettingsError as error:
        raise KeysUnavailableError(str(error)) from None


def _signing_keys(document: dict[str, object]) -> Iterator[tuple[str, Key]]:
    """Yield the public keys for signatures; skip those for something else."""
    keys = document.get("keys")
    for key in keys if isinstance(keys, list) else ():
        if isinstance(key, dict) and key.get("kty") in _KINDS and key.get("use", "sig") == "sig":
            with suppress(JoseError, ValueError, KeyError):  # malformed, or without an id
                yield str(key["kid"]), JWKRegistry.import_key(key)


async def _get(address: str) -> dict[str, object]:
    """Return the JSON object at this address. Redirects are not followed, and no proxy is used."""
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    trust = ssl.create_default_context()
    async with (
        httpx.AsyncClient(verify=trust, trust_env=False, timeout=_TIMEOUT_S) as client,
        client.stream("GET", address, headers=headers) as response,
    ):
        if response.status_code != HTTPStatus.OK:
            raise KeysUnavailableError(f"The issuer answers {response.status_code} instead of its keys.")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > _MAX_BYTES:
                raise KeysUnavailableError("The issuer's answer is too large for keys.")
    document: object = json.loads(body)
    if not isinstance(document, dict):
        raise KeysUnavailableError("The issuer's answer is not a JSON object.")
    return document
