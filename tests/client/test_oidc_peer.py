"""The client and an OpenID provider that others wrote understand each other. Spec: "Authentication"."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from item_visibility import ItemKey, TokenRefusedError, VisibilityClient
from item_visibility.client.call_records import CallRecord
from tests.support.fault_service import FaultService, TokenEndpoint
from tests.support.oidc_peer import CLIENT_ID, CLIENT_SECRET, OidcPeer, run_oidc_peer
from tests.support.thorough import this_is_thorough

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not this_is_thorough(), reason="tests/peers does the same with Keycloak: --thorough"),
]

ITEM = ItemKey("S", "I")
LIFETIME_S = 3
BREATH_S = 0.05
THREADS = 100


class PeerTokens(TokenEndpoint):
    """Accepts the tokens of the provider: signed by it, for this service, and not expired."""

    def __init__(self, peer: OidcPeer) -> None:
        super().__init__()
        self._keys = KeySet.import_key_set(httpx.get(peer.jwks_url, trust_env=False).json())

    def accepts(self, authorization: str) -> bool:
        """True when the header carries a live token of the provider."""
        token = jwt.decode(authorization.removeprefix("Bearer "), self._keys)
        is_alive = token.claims["aud"] == "visibilities" and time.time() < token.claims["exp"]
        self.refused += [] if is_alive else [authorization]
        return is_alive


@pytest.fixture(scope="module")
def peer() -> Iterator[OidcPeer]:
    """A provider whose tokens live three seconds."""
    with run_oidc_peer(lifetime_s=LIFETIME_S) as peer:
        yield peer


@pytest.fixture
def service(peer: OidcPeer) -> Iterator[FaultService]:
    """A service that takes the provider's tokens only."""
    with FaultService() as service:
        service.tokens = PeerTokens(peer)
        service.fill("S", "I", ["r"])
        yield service


@pytest.fixture
def seen() -> list[CallRecord]:
    """The records that an observer gets."""
    return []


@pytest.fixture
def client(peer: OidcPeer, service: FaultService, seen: list[CallRecord]) -> Iterator[VisibilityClient]:
    """A client of both."""
    with VisibilityClient(
        service.base_url, peer.auth_url, CLIENT_ID, CLIENT_SECRET, on_call=seen.append
    ) as client:
        yield client


def statuses(seen: list[CallRecord], operation: str) -> Counter[int | None]:
    """The answers to an operation, counted by status."""
    return Counter(record.status for record in seen if record.operation == operation)


def test_a_hundred_cold_calls_ask_the_provider_once(client: VisibilityClient, seen: list[CallRecord]) -> None:
    """And its token opens the service for all."""
    barrier = threading.Barrier(THREADS)

    def one(_number: int) -> frozenset[str] | None:
        barrier.wait(60)
        return client.get_visibilities(ITEM)

    with ThreadPoolExecutor(THREADS) as threads:
        read = Counter(threads.map(one, range(THREADS)))
    assert read == {frozenset({"r"}): THREADS}
    assert statuses(seen, "requestToken") == {200: 1}


def test_no_expired_token_reaches_the_service(
    client: VisibilityClient, service: FaultService, seen: list[CallRecord]
) -> None:
    """Eight threads call again and again while tokens of three seconds come and go."""
    end_s = time.monotonic() + 2.5 * LIFETIME_S

    def one(_number: int) -> None:
        while time.monotonic() < end_s:
            client.get_visibilities(ITEM)
            time.sleep(BREATH_S)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(one, range(8)))
    assert (service.tokens.refused, set(statuses(seen, "getVisibilities"))) == ([], {200})
    assert statuses(seen, "requestToken")[200] >= 3


def test_the_provider_refuses_a_wrong_secret(peer: OidcPeer, service: FaultService) -> None:
    """And the client tells it in a known word."""
    with (
        VisibilityClient(service.base_url, peer.auth_url, CLIENT_ID, "wrong") as client,
        pytest.raises(TokenRefusedError, match="invalid_client"),
    ):
        client.request_token()
