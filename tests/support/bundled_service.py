"""The bundled service for tests, on its own database file, called over real HTTP.

Every test compares each operation that the service runs with the path that was sent: no
call may turn into a different one.
"""

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest

from item_visibility.client.operations import GET_VISIBILITIES
from item_visibility_service.application import ReceivedCall
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import Item
from item_visibility_service.switches import Switches
from tests.support.waiting import HeldCalls

CLIENT_ID = "bundled client"
CLIENT_SECRET = "bundled&s%cret=+never-shown"
TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"
ITEMS_PATH = "/v1/itemvisibilities"
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""TLS settings for `http://` addresses, which need none: the usual ones take 15 ms for
each client.
"""


def is_what_the_path_says(call: ReceivedCall) -> bool:
    path = call.raw_path.decode("ascii")
    segments = path.split(f"{ITEMS_PATH}/", 1)[-1].split("/")
    expected = [call.item.supplier, call.item.supplier_item_id]
    if call.recipient_id is not None:
        expected += ["recipient", call.recipient_id]

    has_recipient = call.operation_id in {"addVisibility", "removeVisibility"}
    if has_recipient != (call.recipient_id is not None):
        return False
    return [unquote(segment) for segment in segments] == expected


def is_change(call: ReceivedCall) -> bool:
    return call.operation_id != GET_VISIBILITIES.name


@dataclass(slots=True)
class OperationLog:
    """The calls of operations of the services under test, in order.

    Can hold back the changes of one item.
    """

    operations: list[ReceivedCall] = field(default_factory=list)
    _held: HeldCalls = field(default_factory=HeldCalls)
    _held_item: Item | None = None

    def __call__(self, call: ReceivedCall) -> None:
        self.operations.append(call)
        if call.item == self._held_item and is_change(call):
            self._held(call)

    def hold(self, item: Item) -> None:
        self._held = HeldCalls()
        self._held_item = item

    def wait_for_change(self) -> None:
        self._held.wait()

    def release(self) -> None:
        self._held.let_go()
        self._held_item = None

    def changes(self, item: Item) -> list[tuple[str, str | None]]:
        return [
            (call.operation_id, call.recipient_id)
            for call in self.operations
            if call.item == item and is_change(call)
        ]

    def assert_as_asked(self) -> None:
        others = [call for call in self.operations if not is_what_the_path_says(call)]
        assert others == []


class SharedServices:
    """One service for the whole session, because starting one takes longer than most
    tests.
    """

    def __init__(self, folder: Path) -> None:
        self.log = OperationLog()
        self._folder = folder
        self._stack = ExitStack()
        self._running: EmbeddedService | None = None

    def fresh(self, *, switches: Switches | None = None) -> EmbeddedService:
        """Return the service, empty, with these switches or the default ones."""
        if self._running is None:
            self._running = self._stack.enter_context(
                run_bundled(sqlite_url(self._folder), self.log)
            )
        self._running.service.switches = switches or Switches()
        self._running.service.store.clear()
        return self._running

    def stop(self) -> None:
        self._stack.close()


@pytest.fixture(scope="session")
def shared_services(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[SharedServices]:
    services = SharedServices(tmp_path_factory.mktemp("services"))
    yield services
    services.stop()


@pytest.fixture
def operation_log(shared_services: SharedServices) -> Iterator[OperationLog]:
    """Yield the log of this test's operations.

    At the end, compare them with the paths that were sent.
    """
    shared_services.log.operations.clear()
    yield shared_services.log
    shared_services.log.assert_as_asked()


@pytest.fixture
def service(
    shared_services: SharedServices,
    operation_log: OperationLog,  # noqa: ARG001  (it checks at the end)
) -> EmbeddedService:
    return shared_services.fresh()


@contextmanager
def run_bundled(
    database_url: str,
    operation_log: OperationLog | None = None,
    *,
    switches: Switches | None = None,
) -> Iterator[EmbeddedService]:
    log = operation_log or OperationLog()
    settings = ServiceSettings(database_url, CLIENT_ID, CLIENT_SECRET)
    with EmbeddedService(settings, on_operation=log) as running:
        running.service.switches = switches or Switches()
        yield running
    log.assert_as_asked()


def sqlite_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'service.sqlite'}"


def ask_for_token(auth_url: str, **fields: str) -> httpx.Response:
    """Send a valid token request, with `fields` replacing its fields, and return the
    answer.
    """
    form = {
        "grant_type": "client_credentials",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
    }
    return httpx.post(
        f"{auth_url}{TOKEN_PATH}", data=form | fields, trust_env=False, verify=NO_TLS
    )


def fetch_token(running: EmbeddedService) -> str:
    token: str = (
        ask_for_token(running.auth_url).raise_for_status().json()["access_token"]
    )
    return token


@contextmanager
def open_client(running: EmbeddedService) -> Iterator[httpx.Client]:
    """Yield an HTTP client with a token.

    Paths that begin with `/` are relative to `/v1/itemvisibilities`.
    """
    headers = {"Authorization": f"Bearer {fetch_token(running)}"}
    address = f"{running.auth_url}{ITEMS_PATH}"
    with httpx.Client(
        base_url=address, headers=headers, trust_env=False, verify=NO_TLS
    ) as client:
        yield client
