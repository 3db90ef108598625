"""The public keys of another issuer.

OpenID Connect Discovery 1.0, section 4; RFC 7517, section 5.
"""

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

from item_visibility_service.settings import (
    OtherIssuer,
    ServiceSettingsError,
    check_address,
)
from item_visibility_service.tokens import InvalidTokenError

logger = logging.getLogger(__name__)

_RETRY_AFTER_S = 5
"""The least time between the starts of two downloads.

It applies after a failure and for an unknown key id.
"""

_REFRESH_AFTER_S = 600
"""Keys are fetched again after this time, because the issuer may have withdrawn one."""

_TIMEOUT_S = 5
"""The time limit for the whole download."""

_MAX_BYTES = 2**20
_KINDS = frozenset({"RSA", "EC"})


class KeysUnavailableError(Exception):
    """The keys cannot be fetched now, so it is unknown whether a token is valid."""


class IssuerKeys:
    """Fetches the keys of an issuer when a token needs them.

    It keeps the keys while the issuer is down. Callers wait for a download only if they
    need an unknown key. `download` raises KeysUnavailableError. Use it in one event
    loop only.
    """

    def __init__(
        self,
        download: Callable[[], Awaitable[Mapping[str, Key]]],
        clock: Callable[[], float],
    ) -> None:
        self._download = download
        self._clock = clock
        self._keys: Mapping[str, Key] = {}
        self._fetched_at = float("-inf")
        self._failure = ""
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, key_id: str) -> Key:
        """Return the key with this id.

        Raises InvalidTokenError and KeysUnavailableError.
        """
        await self._fetch_if_due(is_enough=key_id in self._keys)
        if key_id in self._keys:
            return self._keys[key_id]
        if self._failure:
            raise KeysUnavailableError(self._failure)
        raise InvalidTokenError(
            "The access token is signed with a key that the issuer does not have."
        )

    async def check(self) -> None:
        """Raise KeysUnavailableError if no key is known."""
        await self._fetch_if_due(is_enough=bool(self._keys))
        if not self._keys:
            raise KeysUnavailableError(self._failure)

    async def _fetch_if_due(self, *, is_enough: bool) -> None:
        # Start a download if it is time for one and none is running.
        wait_s = _REFRESH_AFTER_S if is_enough and not self._failure else _RETRY_AFTER_S
        is_fetching = self._fetching is not None and not self._fetching.done()
        if not is_fetching and self._clock() - self._fetched_at >= wait_s:
            self._fetching = asyncio.create_task(self._fetch())

        if not is_enough and self._fetching is not None:
            # If this caller is cancelled, the download continues.
            await asyncio.shield(self._fetching)

    async def _fetch(self) -> None:
        self._fetched_at = self._clock()
        try:
            self._keys = await self._download()
        except KeysUnavailableError as error:
            self._failure = str(error)
            logger.warning("%s Keys in use: %d.", error, len(self._keys))
        else:
            self._failure = ""


async def download_keys(issuer: OtherIssuer) -> dict[str, Key]:
    """Map each key id of the issuer to its signing key; raises KeysUnavailableError."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            address = await _discover(issuer)
            keys = dict(_signing_keys(await _get(address)))
    except TimeoutError:
        raise KeysUnavailableError(
            f"The issuer's keys did not come within {_TIMEOUT_S} seconds."
        ) from None
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise KeysUnavailableError(
            f"The issuer's keys cannot be fetched ({type(error).__name__})."
        ) from error
    if not keys:
        raise KeysUnavailableError("The issuer has no keys for signatures.")
    return keys


async def _discover(issuer: OtherIssuer) -> str:
    """Return the address of the keys, from the configuration document of the issuer."""
    document = await _get(f"{issuer.url}/.well-known/openid-configuration")
    if document.get("issuer") != issuer.url:
        raise KeysUnavailableError(
            "The issuer reports another address for itself. Configure that address."
        )
    try:
        return check_address(str(document.get("jwks_uri")), "address of the keys")
    except ServiceSettingsError as error:
        raise KeysUnavailableError(str(error)) from None


def _signing_keys(document: dict[str, object]) -> Iterator[tuple[str, Key]]:
    keys = document.get("keys")
    for key in keys if isinstance(keys, list) else ():
        is_for_signatures = (
            isinstance(key, dict)
            and key.get("kty") in _KINDS
            and key.get("use", "sig") == "sig"
        )
        if is_for_signatures:
            # Skip a key that is malformed or has no id.
            with suppress(JoseError, ValueError, KeyError):
                yield str(key["kid"]), JWKRegistry.import_key(key)


async def _get(address: str) -> dict[str, object]:
    """Return the JSON object at this address.

    Redirects are not followed, and no proxy is used.
    """
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    trust = ssl.create_default_context()

    # Stop at the limit, so that a long answer takes little memory.
    async with (
        httpx.AsyncClient(verify=trust, trust_env=False, timeout=_TIMEOUT_S) as client,
        client.stream("GET", address, headers=headers) as response,
    ):
        if response.status_code != HTTPStatus.OK:
            raise KeysUnavailableError(
                f"The issuer answers {response.status_code} instead of its keys."
            )
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > _MAX_BYTES:
                raise KeysUnavailableError("The issuer's answer is too large for keys.")

    document: object = json.loads(body)
    if not isinstance(document, dict):
        raise KeysUnavailableError("The issuer's answer is not a JSON object.")
    return document
