"""Only windows of the dashboard itself are let in, by a name that it answers to."""

import asyncio
from dataclasses import dataclass, field

import pytest
from starlette.types import Message, Receive, Scope, Send

from components.middleware.allowed_requests import AllowedRequests

ALLOWED = ("localhost", "127.0.0.1", "[::1]", "Dash.example.com", "*.inside.example")
LET_IN = 200


@dataclass
class Behind:
    """The application behind the door; it keeps the Host of all that was let in."""

    hosts: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer, or accept."""
        self.hosts += [value.decode() for name, value in scope["headers"] if name == b"host"]
        await send({"type": "websocket.accept"})
        await send({"type": "http.response.start", "status": LET_IN, "headers": []})


def scope_of(*headers: tuple[str, str], kind: str = "http", path: str = "/", scheme: str = "http") -> Scope:
    """A request as ASGI gives it."""
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    return {"type": kind, "scheme": scheme, "path": path, "headers": pairs, "method": "GET"}


def knock(scope: Scope, behind: Behind, *, allowed: tuple[str, ...] = ALLOWED) -> list[Message]:
    """The messages of the answer."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    door = AllowedRequests(behind, is_open=lambda: True, allowed_hosts=allowed, base_path="/tools/")
    asyncio.run(door(scope, receive, send))
    return sent


def statuses(sent: list[Message]) -> list[int]:
    """The status of each answer."""
    return [message["status"] for message in sent if message["type"] == "http.response.start"]


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8501", "localhost:8501"),
        ("http://127.0.0.1:8501", "127.0.0.1:8501"),
        ("http://[::1]:8501", "[::1]:8501"),
        ("http://localhost", "localhost"),
        ("https://dash.example.com", "dash.example.com"),
        ("https://dash.example.com", "dash.example.com:443"),
        ("https://dash.example.com:443", "DASH.example.com."),
        ("http://dash.example.com", "dash.example.com:80"),
        ("https://a.b.inside.example", "a.b.inside.example"),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_window_of_the_dashboard_is_let_in(kind: str, origin: str, host: str) -> None:
    """Its Origin is its Host, and Streamlit, which compares the two as texts, is told the same one."""
    behind = Behind()
    knock(scope_of(("host", host), ("origin", origin), kind=kind), behind)
    assert behind.hosts == [origin.partition("://")[2]]


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:3000", "localhost:8501"),
        ("http://localhost", "localhost:8501"),
        ("http://127.0.0.1:8501", "localhost:8501"),
        ("http://[::1]:8501", "127.0.0.1:8501"),
        ("http://0.0.0.0:8501", "127.0.0.1:8501"),
        ("https://evil.example", "localhost:8501"),
        ("https://localhost", "localhost:80"),
        ("http://localhost:8501.evil.example", "localhost:8501"),
        ("http://localhost:8501@evil.example", "localhost:8501"),
        ("http://localhost:8501/", "localhost:8501"),
        ("ftp://localhost:8501", "localhost:8501"),
        ("chrome-extension://localhost", "localhost"),
        ("localhost:8501", "localhost:8501"),
        ("null", "localhost:8501"),
        ("", "localhost:8501"),
    ],
)
def test_a_page_from_elsewhere_is_refused(origin: str, host: str) -> None:
    """Before Streamlit sees it: over HTTP in words, and as a web socket without a connection."""
    behind = Behind()
    answered = knock(scope_of(("host", host), ("origin", origin)), behind)
    hung_up = knock(scope_of(("host", host), ("origin", origin), kind="websocket"), behind)
    assert (behind.hosts, statuses(answered)) == ([], [403])
    assert [message["type"] for message in hung_up] == ["websocket.close"]


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("",),
        ("evil.example",),
        ("evil.example:8501",),
        ("localhost.evil.example",),
        ("inside.example",),
        ("localhost:port",),
        ("localhost@evil.example",),
        ("evil.example/localhost",),
        ("[::2]:8501",),
        ("0.0.0.0:8501",),
        ("localhost", "localhost"),
        ("localhost", "evil.example"),
    ],
)
@pytest.mark.parametrize("origin", [(), ("http://evil.example:8501",)])
def test_a_host_that_is_not_allowed_is_refused(hosts: tuple[str, ...], origin: tuple[str, ...]) -> None:
    """Also with an Origin that fits: a name of a stranger can lead to this machine."""
    behind = Behind()
    headers = [*(("host", host) for host in hosts), *(("origin", one) for one in origin)]
    answered = knock(scope_of(*headers), behind)
    hung_up = knock(scope_of(*headers, kind="websocket"), behind)
    assert (behind.hosts, statuses(answered)) == ([], [400])
    assert [message["type"] for message in hung_up] == ["websocket.close"]


@pytest.mark.parametrize("header", ["x-forwarded-host", "forwarded", "x-forwarded-proto"])
def test_what_a_proxy_could_add_counts_for_nothing(header: str) -> None:
    """Anybody can add it."""
    behind = Behind()
    headers = (("host", "localhost:8501"), ("origin", "https://evil.example"), (header, "evil.example"))
    assert statuses(knock(scope_of(*headers), behind)) == [403]
    assert behind.hosts == []


def test_two_origins_are_none() -> None:
    """It does not matter which Streamlit would take."""
    behind = Behind()
    origins = (("origin", "http://localhost:8501"), ("origin", "https://evil.example"))
    assert statuses(knock(scope_of(("host", "localhost:8501"), *origins), behind)) == [403]
    assert behind.hosts == []


@pytest.mark.parametrize(("origin", "expected"), [("http://localhost", 403), ("https://localhost", LET_IN)])
def test_a_page_in_the_clear_does_not_get_into_an_encrypted_one(origin: str, expected: int) -> None:
    """This process itself has the certificate."""
    scope = scope_of(("host", "localhost"), ("origin", origin), scheme="https")
    assert statuses(knock(scope, Behind())) == [expected]


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_program_that_names_no_origin_is_let_in(kind: str) -> None:
    """A browser always names one for a web socket; a program could name any."""
    behind = Behind()
    knock(scope_of(("host", "localhost:8501"), kind=kind), behind)
    assert behind.hosts == ["localhost:8501"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/readyz", LET_IN),
        ("/_stcore/health", LET_IN),
        ("/tools/_stcore/health", LET_IN),
        ("/_stcore/stream", 400),
        ("/x/readyz", 400),
    ],
)
def test_a_probe_comes_by_any_name(path: str, expected: int) -> None:
    """As machines ask by address; nothing else does."""
    assert statuses(knock(scope_of(("host", "10.1.2.3:8501"), path=path), Behind())) == [expected]


@pytest.mark.parametrize(
    ("allowed", "expected"), [((), 400), (("*",), LET_IN), (("localhost",), 400), (("10.1.2.3",), LET_IN)]
)
def test_no_list_of_names_means_this_machine(allowed: tuple[str, ...], expected: int) -> None:
    """Any name only where somebody says so."""
    scope = scope_of(("host", "10.1.2.3:8501"), ("origin", "http://10.1.2.3:8501"))
    assert statuses(knock(scope, Behind(), allowed=allowed)) == [expected]


def test_the_start_of_the_program_passes() -> None:
    """It has no Host."""
    behind = Behind()
    assert knock({"type": "lifespan", "headers": []}, behind) != []
