"""The way to an issuer's public keys. OpenID Connect Discovery 1.0, section 4; RFC 7517, section 5."""

import asyncio
import json
import ssl
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key

from item_visibility_service.service_settings import OtherIssuer, ServiceSettingsError, check_address
from item_visibility_service.tokens.issuer_keys import KeysUnavailableError

_WITHIN_S = 5
"""For everything together, from the first name that is looked up to the last byte."""

_MAX_BYTES = 2**20
_KINDS = frozenset({"RSA", "EC"})


async def download_keys(issuer: OtherIssuer) -> dict[str, Key]:
    """Return the keys that sign the issuer's tokens, by their ids; raises KeysUnavailableError."""
    try:
        async with asyncio.timeout(_WITHIN_S):
            address = issuer.jwks_url or await _discover(issuer)
            keys = dict(_signing_keys(await _get(address, issuer)))
    except TimeoutError:
        raise KeysUnavailableError(f"The issuer's keys did not come within {_WITHIN_S} seconds.") from None
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise KeysUnavailableError(
            f"The issuer's keys cannot be fetched ({type(error).__name__})."
        ) from error
    if not keys:
        raise KeysUnavailableError("The issuer has no keys for signatures.")
    return keys


async def _discover(issuer: OtherIssuer) -> str:
    """Return the address of the keys, as the issuer says."""
    document = await _get(f"{issuer.url}/.well-known/openid-configuration", issuer)
    if document.get("issuer") != issuer.url:
        raise KeysUnavailableError("The issuer calls itself by another address: use its own word for it.")
    try:
        return check_address(str(document.get("jwks_uri")), "address of the keys")
    except ServiceSettingsError as error:
        raise KeysUnavailableError(str(error)) from None


def _signing_keys(document: dict[str, object]) -> Iterator[tuple[str, Key]]:
    """Yield the public keys for signatures, and pass over those for something else."""
    written = document.get("keys")
    for one in written if isinstance(written, list) else ():
        if isinstance(one, dict) and one.get("kty") in _KINDS and one.get("use", "sig") == "sig":
            with suppress(JoseError, ValueError):
                yield str(one["kid"]), JWKRegistry.import_key(one)


async def _get(address: str, issuer: OtherIssuer) -> dict[str, object]:
    """Return the JSON object at this address. No redirect is followed, and no proxy asked."""
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    async with (
        httpx.AsyncClient(verify=_trust(issuer.ca_file), trust_env=False, timeout=_WITHIN_S) as client,
        client.stream("GET", address, headers=headers) as answer,
    ):
        if answer.status_code != HTTPStatus.OK:
            raise KeysUnavailableError(f"The issuer answers {answer.status_code} instead of its keys.")
        body = bytearray()
        async for piece in answer.aiter_raw():
            body += piece
            if len(body) > _MAX_BYTES:
                raise KeysUnavailableError("The issuer's answer is too large for keys.")
    document: object = json.loads(body)
    if not isinstance(document, dict):
        raise KeysUnavailableError("The issuer answered with something else than its keys.")
    return document


def _trust(ca_file: Path | None) -> ssl.SSLContext:
    """Return the certificates to trust: the system's, and those in the file."""
    context = ssl.create_default_context()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context
