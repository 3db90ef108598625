"""The client and an OpenID provider that others wrote understand each other. Spec: "Authentication"."""

import json
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from item_visibility import ItemKey, TokenRefusedError, VisibilityClient
from item_visibility.client.call_records import CallRecord
from tests.support.fault_service import FaultService, TokenEndpoint
from tests.support.thorough import this_is_thorough

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not this_is_thorough(), reason="tests/peers does the same with Keycloak: --thorough"),
]


VERSION = "9.13.3"
PROGRAM = Path(__file__).with_name("oidc_provider.mjs")
CACHE = Path(__file__).parents[2] / ".cache" / f"oidc-provider-{VERSION}"
CLIENT_ID = "peer client"
CLIENT_SECRET = "p@ss:w%rd&=+y never-shown"
INSTALL_WITHIN_S = 90


@dataclass(frozen=True, slots=True)
class OidcPeer:
    """A running provider: {auth_url} and the address of its public keys."""

    auth_url: str
    jwks_url: str


@contextmanager
def run_oidc_peer(*, lifetime_s: int) -> Iterator[OidcPeer]:
    """Run a provider for the block, whose tokens live this many seconds."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    environment = os.environ | {"PEER_CLIENT_ID": CLIENT_ID, "PEER_CLIENT_SECRET": CLIENT_SECRET}
    program = shutil.copy(PROGRAM, _installed())
    with subprocess.Popen(
        [node, program, str(lifetime_s)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, "the provider did not start"
            yield OidcPeer(**json.loads(line))
        finally:
            process.kill()


def _installed() -> Path:
    """Return the folder with the provider and its dependencies, installed once and moved in as a whole."""
    if CACHE.is_dir():
        return CACHE
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm on this machine")
    CACHE.parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=CACHE.parent))
    (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}))
    own_settings = Path(pwd.getpwuid(os.getuid()).pw_dir, ".npmrc")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", f"oidc-provider@{VERSION}"]
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"NPM_CONFIG_USERCONFIG": str(own_settings)},
            capture_output=True,
            check=True,
            timeout=INSTALL_WITHIN_S,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        shutil.rmtree(folder)
        pytest.skip("npm could not fetch oidc-provider")
    try:
        folder.rename(CACHE)
    except OSError:
        shutil.rmtree(folder)
    return CACHE


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
