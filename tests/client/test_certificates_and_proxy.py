"""Connections with a company's own certificates and through its proxy."""

import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from item_visibility import ItemKey, SettingsError, TokenError, VisibilityClient
from item_visibility.client import retry
from item_visibility.client.addresses import Route
from tests.support.listening import free_port, listening
from tests.support.own_authority import NAME, write_certificates

pytestmark = pytest.mark.contract
ITEM = ItemKey("S", "I")
LIST = frozenset("AB")
LIST_ANSWER = b'["B", "A"]'
TOKEN_ANSWER = b'{"access_token": "t", "expires_in": 3600}'
HEAD = (
    b"HTTP/1.1 200 OK\r\n"
    b"Connection: close\r\n"
    b"Content-Type: application/json\r\n"
    b"Content-Length: %d\r\n"
    b"\r\n"
)
CONNECTED = b"HTTP/1.1 200 OK\r\n\r\n"


@dataclass(slots=True)
class Listener:
    """A server with the heads of its requests, and the bytes that a proxy passed on."""

    port: int
    asked: list[bytes]
    passed: list[bytes] = field(default_factory=list)


@contextmanager
def run_tls_service(chain_file: Path) -> Iterator[Listener]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain_file)
    asked: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        with (
            suppress(ssl.SSLError),
            context.wrap_socket(connection, server_side=True) as secured,
        ):
            head = head_of(secured)
            asked.append(head)
            body = TOKEN_ANSWER if head.startswith(b"POST") else LIST_ANSWER
            secured.sendall(HEAD % len(body) + body)

    with listening(answer) as port:
        yield Listener(port, asked)


@contextmanager
def run_proxy(to_port: int, *, answer: bytes = CONNECTED) -> Iterator[Listener]:
    """Run a proxy that gives each CONNECT this answer. After a 200, it connects it."""
    asked: list[bytes] = []
    passed: list[bytes] = []

    def connect(connection: socket.socket) -> None:
        asked.append(head_of(connection))
        connection.sendall(answer)
        if answer == CONNECTED:
            with socket.create_connection(("127.0.0.1", to_port)) as onward:
                relay(connection, onward, passed)

    with listening(connect) as port:
        yield Listener(port, asked, passed)


def head_of(connection: socket.socket) -> bytes:
    """Return the head of a request.

    Also read the body: closing a connection with unread bytes resets it.
    """
    with connection.makefile("rb") as stream:
        lines = list(iter(stream.readline, b"\r\n"))
        sizes = [
            line.partition(b":")[2]
            for line in lines
            if line.lower().startswith(b"content-length:")
        ]
        stream.read(int(sizes[0]) if sizes else 0)
    return b"".join(lines)


def relay(one: socket.socket, other: socket.socket, passed: list[bytes]) -> None:
    while True:
        ready = select.select([one, other], [], [])[0]
        for source, target in ((one, other), (other, one)):
            if source in ready:
                piece = source.recv(65536)
                if not piece:
                    return
                passed.append(piece)
                target.sendall(piece)


@pytest.fixture(autouse=True)
def tries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "CALL_ATTEMPTS", 1)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def ca_file(certificates: tuple[Path, Path]) -> Path:
    return certificates[0]


@pytest.fixture
def service(certificates: tuple[Path, Path]) -> Iterator[Listener]:
    with run_tls_service(certificates[1]) as running:
        yield running


def client_to(host: str, port: int, route: Route) -> VisibilityClient:
    return VisibilityClient(
        f"https://{host}:{port}/v1",
        f"https://{host}:{port}",
        "id",
        "secret",
        route=route,
    )


def test_a_company_s_own_authority_is_trusted_when_it_is_named(
    service: Listener, ca_file: Path
) -> None:
    with client_to("127.0.0.1", service.port, Route(ca_file=ca_file)) as client:
        assert client.get_visibilities(ITEM) == LIST


def test_the_system_s_own_store_is_trusted(
    service: Listener, ca_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_file))
    route = Route(ca_file=write_certificates(tmp_path)[0])
    with client_to("127.0.0.1", service.port, route) as client:
        assert client.get_visibilities(ITEM) == LIST


def test_another_authority_is_not_trusted_and_the_advice_helps(
    service: Listener,
) -> None:
    with (
        client_to("127.0.0.1", service.port, Route()) as client,
        pytest.raises(TokenError) as caught,
    ):
        client.get_visibilities(ITEM)
    assert "certificate is not trusted" in str(caught.value)
    assert "ITEM_VISIBILITY_CA_FILE" in caught.value.advice
    assert service.asked == []


def test_a_proxy_gets_the_name_of_the_service(service: Listener, ca_file: Path) -> None:
    with run_proxy(service.port) as proxy:
        route = Route(ca_file=ca_file, proxy=f"http://anna:pass@127.0.0.1:{proxy.port}")
        assert "pass" not in repr(route)
        with client_to(NAME, 8443, route) as client:
            assert client.get_visibilities(ITEM) == LIST
    assert {head.partition(b"\r\n")[0] for head in proxy.asked} == {
        b"CONNECT service.example:8443 HTTP/1.1"
    }
    assert all(
        b"Proxy-Authorization: Basic YW5uYTpwYXNz" in head for head in proxy.asked
    )
    assert not any(b"Proxy-Authorization" in head for head in service.asked)
    assert any(b"Bearer" in head for head in service.asked)
    assert proxy.passed
    assert b"Bearer" not in b"".join(proxy.passed)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_proxy_that_does_not_connect_has_sent_nothing(
    service: Listener, ca_file: Path, *, is_there: bool
) -> None:
    with run_proxy(service.port, answer=b"HTTP/1.1 403 Forbidden\r\n\r\n") as proxy:
        route = Route(
            ca_file=ca_file,
            proxy=f"http://127.0.0.1:{proxy.port if is_there else free_port()}",
        )
        with (
            client_to(NAME, 8443, route) as client,
            pytest.raises(TokenError) as caught,
        ):
            client.get_visibilities(ITEM)
    assert "the proxy did not connect to it" in str(caught.value)
    assert "whether its proxy lets it reach" in caught.value.advice
    assert service.asked == []


def test_servers_on_this_machine_are_reached_without_the_proxy(
    service: Listener, ca_file: Path
) -> None:
    with run_proxy(service.port) as proxy:
        route = Route(ca_file=ca_file, proxy=f"http://127.0.0.1:{proxy.port}")
        with client_to("127.0.0.1", service.port, route) as client:
            assert client.get_visibilities(ITEM) == LIST
    assert proxy.asked == []


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), (b"no certificate", "contains no certificate")],
)
def test_a_file_without_certificates_is_refused(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "authority.pem"
    path.write_bytes(content or b"")
    path = path if content else tmp_path / "nothing.pem"
    with pytest.raises(
        SettingsError, match=f"The file of certificates {message}: .*{path.name}"
    ):
        Route(ca_file=path)


@pytest.mark.parametrize(
    "address",
    [
        "proxy:3128",
        "socks5://proxy:1080",
        "https://proxy:1",
        "http://",
        "http://pro xy:1",
        "http://p:1/x",
        "http://p:1?x",
    ],
)
def test_an_address_that_is_no_proxy_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match=r"^The address of the proxy ") as caught:
        Route(proxy=address)
    assert address not in str(caught.value)
