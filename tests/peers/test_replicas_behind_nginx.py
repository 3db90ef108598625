"""Two replicas on one PostgreSQL behind a real nginx with our configuration.

People can always continue.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Browser

from item_visibility import __version__
from item_visibility_service.sample_data import with_check_digit
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.browser.windows import Windows
from tests.peers.nginx import BASE_PATH, Nginx, find_nginx, run_nginx
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import SUPPLIER, variables_for
from tests.support.desk import wait_until
from tests.support.light_windows import light_windows
from tests.support.listening import free_port
from tests.support.pages import Person
from tests.support.postgres import PostgresServer
from tests.support.program import Program
from tests.support.screen_states import ANNA, BERTA, CLARA
from tests.support.thorough import how_many, this_is_thorough

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(
        find_nginx() is None, reason="no nginx here: apt-get install nginx"
    ),
]


WINDOWS = how_many(usual=60, thorough=400, variable="WINDOWS")
SOFT_LIMIT = 200 if WINDOWS < 300 else 1024
"""The soft limit of open files with which a replica starts: too few for all windows."""


class Replica(Program):
    """A replica of the dashboard that can be killed and started again on its port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        options = ["--port", str(self.port), "--base-path", BASE_PATH, "--no-browser"]
        with_few_files = [
            "/bin/sh",
            "-c",
            f'ulimit -Sn {SOFT_LIMIT} && exec "$@"',
            "sh",
        ]
        super().__init__(
            [
                *with_few_files,
                sys.executable,
                "-m",
                "item_visibility",
                "dashboard",
                *options,
            ],
            log=folder / f"replica-{self.port}.log",
            ready_url=f"http://127.0.0.1:{self.port}/readyz",
            variables={"XDG_DATA_HOME": str(folder)},
        )


REPLICA = "item_visibility_replica"
COOKIES = "0123456789abcdef"
"""Cookies of which some lead to each replica."""
TRUSTING = {"verify": False, "trust_env": False}
"""For requests to an address with a certificate that was made for this test."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The running programs, and the log of the service."""

    nginx: Nginx
    replicas: tuple[Replica, Replica]
    service: EmbeddedService
    log: OperationLog

    def address(self, item: Item) -> str:
        parts = {"supplier": item.supplier, "item": item.supplier_item_id}
        return f"{self.nginx.url}{BASE_PATH}/?{urlencode(parts)}"

    def fill(self, number: int, *recipients: str) -> Item:
        item = Item(SUPPLIER, f"{with_check_digit(f'0952188{number:06}')}:276")
        self.service.service.store.replace(item, frozenset(recipients))
        return item

    def recipients(self, item: Item) -> set[str]:
        return set(self.service.service.store.recipients(item))

    def of_window(self) -> Replica:
        """Return the replica that serves the window which was opened or moved last."""
        return self._last_replica("/_stcore/host-config", " 200 ")

    def replica_for(self, cookie: str) -> Replica:
        """Return the replica to which nginx sends requests with this cookie."""
        path = f"{BASE_PATH}/healthz"
        before = len(self.nginx.log_lines(path, " 200 "))
        httpx.get(f"{self.nginx.url}{path}", cookies={REPLICA: cookie}, **TRUSTING)
        # nginx answers before it logs.
        wait_until(lambda: len(self.nginx.log_lines(path, " 200 ")) > before)
        return self._last_replica(path, " 200 ")

    def _last_replica(self, *parts: str) -> Replica:
        port = self.nginx.log_lines(*parts)[-1].rsplit(":", 1)[1]
        return next(replica for replica in self.replicas if str(replica.port) == port)


@pytest.fixture(scope="module")
def installation(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[Installation]:
    """Two replicas, and a service that they reach through nginx with a company's own
    certificate.
    """
    folder = tmp_path_factory.mktemp("installation")
    log = OperationLog()
    first = Replica(folder)
    second = Replica(folder)
    with ExitStack() as stack:
        service = stack.enter_context(run_bundled(sqlite_url(folder), log))
        service_port = int(service.auth_url.rpartition(":")[2])
        ports = {
            "8501": first.port,
            "8502": second.port,
            "8000": service_port,
            "8080": service_port,
        }
        nginx = stack.enter_context(run_nginx(folder / "nginx", ports))

        stack.callback(first.stop)
        stack.callback(second.stop)
        variables = variables_for(service) | {
            "ITEM_VISIBILITY_BASE_URL": f"{nginx.url}/v1",
            "ITEM_VISIBILITY_AUTH_URL": nginx.url,
            "ITEM_VISIBILITY_CA_FILE": str(nginx.ca_file),
            "ITEM_VISIBILITY_DATABASE_URL": postgres_server.create_database(),
        }
        first.variables.update(variables)
        second.variables.update(variables)
        yield Installation(nginx, (first, second), service, log)


@pytest.fixture(scope="module")
def trusting(chromium: Browser) -> Windows:
    return Windows(chromium, ignore_https_errors=True)


@pytest.fixture
def person(trusting: Windows) -> Iterator[Person]:
    """Somebody whose browser trusts these certificates, and may see that a server does
    not run.
    """
    with trusting.lend() as person:
        person.watch.allow_dead_server()
        # While no replica runs, nginx answers with an error.
        person.watch.allow("Failed to load resource")
        yield person


@pytest.fixture(autouse=True)
def all_is_there(installation: Installation) -> None:
    """Start replicas that an earlier test ended, and release calls that the service
    holds back.
    """
    installation.log.release()
    for replica in installation.replicas:
        replica.begin()
    for replica in installation.replicas:
        replica.wait()


def moves_on(installation: Installation, left: Replica) -> None:
    wait_until(lambda: installation.of_window() is not left)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/visibility/readyz", (200, f"ready {__version__}\n")),
        ("/visibility/healthz", (200, "alive\n")),
        ("/visibility/metrics", (404, None)),
        ("/visibility/_stcore/metrics", (404, None)),
        ("/", (302, None)),
        ("/auth/admin/", (404, None)),
        ("/auth/realms/master/protocol/openid-connect/auth", (404, None)),
        ("/auth/realms/platform-api/../master/account", (404, None)),
    ],
)
def test_the_proxy_passes_on_only_public_paths(
    installation: Installation, path: str, expected: tuple[int, str | None]
) -> None:
    answer = httpx.get(f"{installation.nginx.url}{path}", **TRUSTING)
    status, text = expected
    assert answer.status_code == status
    assert text is None or answer.text == text
    assert "strict-transport-security" in answer.headers


def test_the_surviving_replica_takes_over_all_windows(
    installation: Installation,
) -> None:
    first, second = installation.replicas
    with light_windows(f"{installation.nginx.url}{BASE_PATH}") as windows:
        assert windows.open(WINDOWS, is_patient=True) == WINDOWS
        first.kill()
        assert windows.reopen() == WINDOWS
        assert (
            httpx.get(second.ready_url, trust_env=False).text
            == f"ready {__version__}\n"
        )
        assert windows.open(5) == 5
        assert (
            httpx.get(
                f"{installation.nginx.url}{BASE_PATH}/readyz", **TRUSTING
            ).status_code
            == 200
        )


def test_one_address_cannot_fill_a_replica(
    installation: Installation, tmp_path: Path
) -> None:
    ports = {
        "8501": installation.replicas[0].port,
        "8502": installation.replicas[1].port,
    }
    limit = how_many(usual=30, thorough=1000, variable="WINDOWS_OF_ONE_ADDRESS")
    with (
        run_nginx(tmp_path, ports, windows_per_address=limit) as nginx,
        light_windows(f"{nginx.url}{BASE_PATH}") as windows,
        light_windows(f"{nginx.url}{BASE_PATH}", from_address="127.0.0.2") as others,
    ):
        assert windows.open(limit, cookie="a", is_patient=True) == limit
        assert windows.open(5, cookie="a") == 0
        assert windows.refused[-5:] == [429] * 5
        assert others.open(5, cookie="a") == 5


@pytest.mark.parametrize(
    ("path", "expected"), [("/_stcore/stream", 101), ("/", 200), ("/bulk", 200)]
)
def test_web_sockets_are_opened_only_where_their_number_is_limited(
    installation: Installation, path: str, expected: int
) -> None:
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Origin": installation.nginx.url,
    }
    address = f"{installation.nginx.url}{BASE_PATH}{path}"
    with (
        httpx.Client(**TRUSTING) as client,
        client.stream("GET", address, headers=headers) as answer,
    ):
        assert answer.status_code == expected


@pytest.mark.parametrize(
    ("size_kb", "expected"),
    [(8, 200), (16, 200), (31, 200), (32, 200), (33, 431), (70, 431), (300, 431)],
)
def test_the_proxy_accepts_32_kb_of_headers(
    installation: Installation, size_kb: int, expected: int
) -> None:
    cookies = {"Cookie": "large=" + "x" * (size_kb * 1024 - 500)}
    answer = httpx.get(
        f"{installation.nginx.url}{BASE_PATH}/", headers=cookies, **TRUSTING
    )
    assert answer.status_code == expected
    assert ("delete the cookies of" in answer.text) is (expected == 431)
    assert "strict-transport-security" in answer.headers


def test_a_person_with_many_cookies_can_work(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(5, ANNA)
    person.fill_with_cookies(installation.nginx.url, 31_000)
    person.open(installation.address(item)).reads("1 recipient can see this item")
    person.waits_until_idle()
    person.add(BERTA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {BERTA}")


def test_a_person_with_too_many_cookies_reads_what_to_do(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(6, ANNA)
    person.fill_with_cookies(installation.nginx.url, 34_000)
    person.open(installation.address(item)).reads("delete the cookies of 127.0.0.1")
    person.page.context.clear_cookies()
    person.open(installation.address(item)).reads("1 recipient can see this item")


def test_a_page_explains_that_no_replica_is_running(tmp_path: Path) -> None:
    with run_nginx(tmp_path, {"8501": free_port(), "8502": free_port()}) as nginx:
        answer = httpx.get(f"{nginx.url}{BASE_PATH}/", **TRUSTING)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert answer.text.startswith(
        "The dashboard does not answer. Running saves and jobs are not lost.\nTry"
    )


@contextmanager
def answering(port: int) -> Iterator[None]:
    """Run a server that answers 501 to every request."""
    with ThreadingHTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield
        server.shutdown()
        thread.join()


def test_every_request_is_answered_when_one_replica_is_stopped_after_the_other(
    tmp_path: Path,
) -> None:
    first = free_port()
    second = free_port()
    with run_nginx(tmp_path, {"8501": first, "8502": second}) as nginx:

        def statuses() -> set[int]:
            answers = [
                httpx.get(
                    f"{nginx.url}{BASE_PATH}/", cookies={REPLICA: cookie}, **TRUSTING
                )
                for cookie in COOKIES
            ]
            return {answer.status_code for answer in answers}

        with answering(first):
            assert statuses() == {501}
        with answering(second):
            assert statuses() == {501}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    ports = {port: free_port() for port in ("8501", "8502", "8000", "8080")}
    with run_nginx(tmp_path_factory.mktemp("alone"), ports) as nginx:
        yield nginx


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/visibility/",
        "/visibility/metrics",
        "/v1/x",
        "/auth/realms/platform-api/x",
        "/auth/x",
    ],
)
def test_browsers_use_only_https_after_the_first_visit(alone: Nginx, path: str) -> None:
    answer = httpx.get(f"{alone.url}{path}", **TRUSTING)
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_a_callback_that_cannot_be_answered_leads_to_the_sign_in(alone: Nginx) -> None:
    answer = httpx.get(
        f"{alone.url}{BASE_PATH}/oauth2callback?state=stale&code=secret", **TRUSTING
    )
    assert answer.status_code == 302
    assert answer.headers["location"] == f"{BASE_PATH}/?sign_in=failed"
    assert "secret" not in (alone.folder / "item-visibility-error.log").read_text(
        "utf-8"
    )


@pytest.mark.parametrize(
    ("path", "at_once"),
    [
        ("/auth/realms/platform-api/protocol/openid-connect/token", 50),
        (f"{BASE_PATH}/auth/login", 20),
        (f"{BASE_PATH}/_stcore/stream", 200),
        # The callback shares the limit of the login, which is used up.
        (f"{BASE_PATH}/oauth2callback", 0),
        ("/auth/realms/platform-api/login-actions/authenticate", 0),
    ],
)
def test_one_address_cannot_flood(alone: Nginx, path: str, at_once: int) -> None:
    with httpx.Client(**TRUSTING) as client:
        answers = [
            client.get(f"{alone.url}{path}").status_code
            for _ in range(2 * at_once + 40)
        ]
    assert 429 not in answers[:at_once]
    assert 429 in answers


def test_the_log_names_the_replica_and_holds_no_ids_and_no_codes(
    installation: Installation,
) -> None:
    nginx = installation.nginx
    hidden = "9520000000017"
    httpx.get(f"{nginx.url}/v1/itemvisibilities/{hidden}/{hidden}", **TRUSTING)
    httpx.get(f"{nginx.url}{BASE_PATH}/healthz?supplier={hidden}", **TRUSTING)
    log = nginx.folder / "item-visibility.log"
    wait_until(lambda: " GET /visibility/healthz 200 " in log.read_text("utf-8"))
    text = log.read_text("utf-8")
    addresses = [f" 127.0.0.1:{replica.port} " for replica in installation.replicas]
    assert any(address in text for address in addresses)
    assert " GET /v1/itemvisibilities 401 " in text
    assert hidden not in text


def test_cookies_are_sent_only_over_https(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(0, ANNA)
    person.open(installation.address(item)).reads("1 recipient can see this")
    cookies = {
        cookie.get("name"): cookie.get("secure")
        for cookie in person.page.context.cookies()
    }
    assert cookies.keys() >= {REPLICA, "_streamlit_xsrf"}
    assert set(cookies.values()) == {True}


def test_a_person_continues_when_their_replica_is_killed(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(1, ANNA, BERTA)
    person.open(installation.address(item)).reads("2 recipients can see this item")
    person.waits_until_idle()
    first = installation.of_window()
    first.kill()
    moves_on(installation, first)
    person.press("Reload")
    person.waits_until_idle()
    person.add(CLARA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {CLARA}")
    assert installation.recipients(item) == {ANNA, BERTA, CLARA}


def save_that_is_held(installation: Installation, person: Person, item: Item) -> None:
    installation.log.hold(item)
    person.open(installation.address(item)).reads("1 recipient can see this item")
    person.add(BERTA)
    person.reads_chips(1)
    person.press("Save")
    installation.log.wait_for_change()


def test_a_save_of_a_killed_replica_is_reported_truthfully(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(2, ANNA)
    save_that_is_held(installation, person, item)
    first = installation.of_window()
    first.kill()
    installation.log.release()
    wait_until(lambda: installation.recipients(item) == {ANNA, BERTA})
    moves_on(installation, first)
    person.press("Reload")
    person.reads("2 recipients can see this item")
    person.reads_saved(f"Added {BERTA}")
    assert installation.log.changes(item) == [("addVisibility", BERTA)]


def test_a_replica_finishes_its_saves_before_it_stops(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(3, ANNA)
    save_that_is_held(installation, person, item)
    first = installation.of_window()
    first.ask_to_end()
    moves_on(installation, first)
    installation.log.release()
    assert first.ended() == 0
    person.press("Reload")
    person.reads("2 recipients can see this item")


@pytest.mark.parametrize(
    "end", [Replica.kill, *([Replica.ask_to_end] if this_is_thorough() else [])]
)
def test_a_job_continues_when_its_replica_stops(
    installation: Installation, person: Person, end: Callable[[Replica], None]
) -> None:
    items = [installation.fill(number, ANNA) for number in range(100, 112)]
    rows = ["Supplier,Item,Recipient"]
    rows += [f"{item.supplier},{item.supplier_item_id},{BERTA}" for item in items]
    person.open(f"{installation.nginx.url}{BASE_PATH}/bulk").reads("Or paste rows")
    first = installation.of_window()
    (other,) = set(installation.replicas) - {first}
    other.kill()
    person.drop("Upload", "\n".join(rows).encode())
    person.reads("12 items · 0 unchanged")
    installation.log.hold(items[5])
    person.press("Apply")
    installation.log.wait_for_change()
    other.begin()
    other.wait()
    end(first)
    installation.log.release()
    person.reads("12 verified", timeout_s=120)
    assert [installation.recipients(item) for item in items] == [{ANNA, BERTA}] * 12


def test_an_upload_reaches_its_window_on_another_replica(
    installation: Installation, person: Person
) -> None:
    item = installation.fill(4, ANNA)
    person.open(f"{installation.nginx.url}{BASE_PATH}/bulk").reads("Or paste rows")
    own = installation.of_window()
    other = next(
        cookie for cookie in COOKIES if installation.replica_for(cookie) is not own
    )
    cookie = {
        "name": REPLICA,
        "value": other,
        "url": f"{installation.nginx.url}{BASE_PATH}/",
    }
    person.page.context.add_cookies([cookie])
    row = f"{item.supplier},{item.supplier_item_id},{BERTA}"
    person.drop("Upload", f"Supplier,Item,Recipient\n{row}".encode())
    person.reads("1 item · 0 unchanged")
    uploads = installation.nginx.log_lines(
        "PUT ", " 204 127.0.0.1:", f", 127.0.0.1:{own.port}"
    )
    assert uploads != []
