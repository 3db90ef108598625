"""The bundled service on the tokens of a real Keycloak: audience, client, expiry, rotation of keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from item_visibility import ItemKey, NotAllowedError, VisibilityClient
from item_visibility_service.server import EmbeddedService, start_embedded
from item_visibility_service.settings import OtherIssuer, ServiceSettings
from tests.peers.keycloak import OPENID, Keycloak
from tests.support.bundled_service import sqlite_url
from tests.support.desk import wait_until

ITEM = ItemKey("S", "I")
AUDIENCE, CLIENT, SHORT_LIVED, FOR_ANOTHER = "service", "five minutes", "five seconds", "service"


@pytest.fixture
def issuer(keycloak: Keycloak) -> OtherIssuer:
    return OtherIssuer(url=keycloak.issuer, audience=AUDIENCE)


@contextmanager
def running(folder: Path, issuer: OtherIssuer) -> Iterator[EmbeddedService]:
    with start_embedded(ServiceSettings(sqlite_url(folder), issuer=issuer)) as service:
        yield service


def token_of(keycloak: Keycloak, client: str) -> str:
    form = {"grant_type": "client_credentials", "client_id": client, "client_secret": keycloak.secret}
    answer = httpx.post(f"{keycloak.auth_url}{OPENID}/token", data=form, trust_env=False, timeout=60)
    token: str = answer.raise_for_status().json()["access_token"]
    return token


def status(service: EmbeddedService, token: str) -> int:
    """The answer to a read of an item without recipients: 404 means that the token was accepted."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(
        f"{service.base_url}/itemvisibilities/S/none", headers=headers, trust_env=False
    ).status_code


def test_a_client_of_keycloak_works_with_the_bundled_service(
    keycloak: Keycloak, issuer: OtherIssuer, tmp_path: Path
) -> None:
    with (
        running(tmp_path, replace(issuer, client_id=CLIENT)) as service,
        VisibilityClient(service.base_url, keycloak.auth_url, CLIENT, keycloak.secret) as client,
    ):
        client.add_visibility(ITEM, "r")

        assert client.get_visibilities(ITEM) == {"r"}
        assert httpx.get(f"{service.auth_url}/readyz", trust_env=False).status_code == 200
        assert httpx.post(f"{service.auth_url}{OPENID}/token", trust_env=False).status_code == 404


@pytest.mark.parametrize(
    ("changed", "client_id"),
    [
        ({}, FOR_ANOTHER),
        ({"audience": "elsewhere"}, CLIENT),
        ({"client_id": "dashboard"}, CLIENT),
    ],
)
def test_a_token_for_another_program_is_refused(
    keycloak: Keycloak, issuer: OtherIssuer, tmp_path: Path, changed: dict[str, str], client_id: str
) -> None:
    with (
        running(tmp_path, replace(issuer, **changed)) as service,  # type: ignore[arg-type]  # all of them are texts
        VisibilityClient(service.base_url, keycloak.auth_url, client_id, keycloak.secret) as client,
        pytest.raises(NotAllowedError),
    ):
        client.get_visibilities(ITEM)


def test_a_token_is_refused_after_its_end(keycloak: Keycloak, issuer: OtherIssuer, tmp_path: Path) -> None:
    with running(tmp_path, issuer) as service:
        token = token_of(keycloak, SHORT_LIVED)

        assert status(service, token) == 404
        assert wait_until(lambda: status(service, token) == 401)


def test_a_rotation_of_keys_needs_no_restart(keycloak: Keycloak, issuer: OtherIssuer, tmp_path: Path) -> None:
    with running(tmp_path, issuer) as service:
        old = token_of(keycloak, CLIENT)
        before = status(service, old)
        keycloak.rotate_keys()
        new = token_of(keycloak, CLIENT)

        wait_until(lambda: status(service, new) == 404)
        assert (before, status(service, old), status(service, "x")) == (404, 404, 401)
