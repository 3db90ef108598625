"""The tokens of a real Keycloak, for the client and for the bundled service."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from item_visibility import ItemKey, TokenRefusedError, VisibilityClient
from item_visibility.client.call_records import CallRecord
from item_visibility.client.token import (
    ASK_ADMINISTRATOR,
)
from item_visibility_service.server import start_embedded
from item_visibility_service.settings import OtherIssuer, ServiceSettings
from tests.peers.keycloak import OPENID, Keycloak
from tests.support.bundled_service import sqlite_url
from tests.support.fault_service import FaultService, TokenEndpoint

ITEM = ItemKey("S", "I")
CLIENT = "five seconds"
CALLED_FOR_S = 7.0
BREATH_S = 0.1


class KeycloakTokens(TokenEndpoint):
    """Accepts the tokens that Keycloak calls active; none while there is no Keycloak."""

    def __init__(self, keycloak: Keycloak) -> None:
        super().__init__()
        self._keycloak = keycloak

    def accepts(self, authorization: str) -> bool:
        try:
            is_active = self._keycloak.accepts(authorization.removeprefix("Bearer "))
        except httpx.TransportError:
            is_active = False
        self.refused += [] if is_active else [authorization]
        return is_active


@pytest.fixture
def service(keycloak: Keycloak) -> Iterator[FaultService]:
    with FaultService() as service:
        service.tokens = KeycloakTokens(keycloak)
        service.fake.put(ItemKey("S", "I"), ["r"])
        yield service


@pytest.fixture
def seen() -> list[CallRecord]:
    return []


@pytest.fixture
def client(keycloak: Keycloak, service: FaultService, seen: list[CallRecord]) -> Iterator[VisibilityClient]:
    with VisibilityClient(
        service.base_url, keycloak.auth_url, CLIENT, keycloak.secret, on_call=seen.append
    ) as client:
        yield client


def statuses(seen: list[CallRecord], operation: str) -> Counter[int | None]:
    return Counter(record.status for record in seen if record.operation == operation)


def test_no_expired_token_reaches_the_service(
    client: VisibilityClient, service: FaultService, seen: list[CallRecord]
) -> None:
    ends_at = time.monotonic() + CALLED_FOR_S

    def call(_number: int) -> None:
        while time.monotonic() < ends_at:
            client.get_visibilities(ITEM)
            time.sleep(BREATH_S)

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(call, range(3)))
    assert (service.tokens.refused, set(statuses(seen, "getVisibilities"))) == ([], {200})
    assert statuses(seen, "requestToken")[200] >= 2


@pytest.mark.parametrize(
    ("client_id", "wrong_secret", "code"),
    [
        (CLIENT, "wrong", "unauthorized_client"),
        ("people only", "", "unauthorized_client"),
        ("nobody", "", "invalid_client"),
        ("switched off", "", "invalid_client"),
    ],
)
def test_a_refusal_names_the_reason_of_the_endpoint(
    keycloak: Keycloak, client_id: str, wrong_secret: str, code: str
) -> None:
    secret = wrong_secret or keycloak.secret
    with (
        VisibilityClient(f"{keycloak.auth_url}/v1", keycloak.auth_url, client_id, secret) as client,
        pytest.raises(TokenRefusedError) as caught,
    ):
        client.request_token()
    assert caught.value.message == f"The token endpoint refused this client ({code})."
    assert caught.value.advice == ASK_ADMINISTRATOR


def test_a_client_of_keycloak_works_with_the_bundled_service(keycloak: Keycloak, tmp_path: Path) -> None:
    issuer = OtherIssuer(url=keycloak.issuer, audience="service", client_id="five minutes")
    with (
        start_embedded(ServiceSettings(sqlite_url(tmp_path), issuer=issuer)) as service,
        VisibilityClient(service.base_url, keycloak.auth_url, "five minutes", keycloak.secret) as client,
    ):
        client.add_visibility(ITEM, "r")
        assert client.get_visibilities(ITEM) == {"r"}
        assert httpx.get(f"{service.auth_url}/readyz", trust_env=False).status_code == 200
        assert httpx.post(f"{service.auth_url}{OPENID}/token", trust_env=False).status_code == 404
