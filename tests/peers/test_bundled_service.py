"""The bundled service on the tokens of a real Keycloak."""

from pathlib import Path

import httpx

from item_visibility import ItemKey, VisibilityClient
from item_visibility_service.server import start_embedded
from item_visibility_service.settings import OtherIssuer, ServiceSettings
from tests.peers.keycloak import OPENID, Keycloak
from tests.support.bundled_service import sqlite_url

ITEM, CLIENT = ItemKey("S", "I"), "five minutes"


def test_a_client_of_keycloak_works_with_the_bundled_service(keycloak: Keycloak, tmp_path: Path) -> None:
    issuer = OtherIssuer(url=keycloak.issuer, audience="service", client_id=CLIENT)
    with (
        start_embedded(ServiceSettings(sqlite_url(tmp_path), issuer=issuer)) as service,
        VisibilityClient(service.base_url, keycloak.auth_url, CLIENT, keycloak.secret) as client,
    ):
        client.add_visibility(ITEM, "r")
        assert client.get_visibilities(ITEM) == {"r"}
        assert httpx.get(f"{service.auth_url}/readyz", trust_env=False).status_code == 200
        assert httpx.post(f"{service.auth_url}{OPENID}/token", trust_env=False).status_code == 404
