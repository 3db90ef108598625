"""Only windows of the dashboard itself are let in, from machines and by names that it serves."""

import asyncio
from dataclasses import dataclass, field
from unittest.mock import Mock

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit import runtime

from components.middleware.allowed_requests import AllowedRequests

ALLOWED = ("localhost", "127.0.0.1", "[::1]", "Dash.example.com", "*.inside.example")
LET_IN = 200
CLOSED = "websocket.close"
UPLOAD = "/tools/_stcore/upload_file"
ELSEWHERE = ["10.1.2.3", "203.0.113.7", "0.0.0.0", "fe80::1", "::ffff:10.1.2.3", "testclient", ""]


@dataclass
class Behind:
    """The application behind the middleware; it keeps the Host of each request that was let in."""

    hosts: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer, or accept."""
        self.hosts += [value.decode() for name, value in scope["headers"] if name == b"host"]
        await send({"type": "websocket.accept"})
        await send({"type": "http.response.start", "status": LET_IN, "headers": []})


def scope_of(
    *headers: tuple[str, str],
    kind: str = "http",
    path: str = "/",
    method: str = "GET",
    client: tuple[str, int] | None = None,
    is_encrypted: bool = False,
) -> Scope:
    """A request as ASGI gives it."""
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    scheme = "https" if is_encrypted else "http"
    scope = {"type": kind, "scheme": scheme, "path": path, "headers": pairs, "method": method}
    return scope | {"client": client}


def knock(
    scope: Scope,
    behind: Behind | None = None,
    *,
    allowed: tuple[str, ...] = ALLOWED,
    is_open: bool = True,
) -> list[Message]:
    """The messages of the answer."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    door = AllowedRequests(
        behind or Behind(), is_open=lambda: is_open, allowed_hosts=allowed, base_path="/tools/"
    )
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
    assert [message["type"] for message in hung_up] == [CLOSED]


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
    assert [message["type"] for message in hung_up] == [CLOSED]


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
    scope = scope_of(("host", "localhost"), ("origin", origin), is_encrypted=True)
    assert statuses(knock(scope)) == [expected]


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_program_that_names_no_origin_is_let_in(kind: str) -> None:
    """A browser always names one for a web socket; a program could name any."""
    behind = Behind()
    knock(scope_of(("host", "localhost:8501"), kind=kind), behind)
    assert behind.hosts == ["localhost:8501"]


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    ("path", "is_let_in"),
    [
        ("/readyz", True),
        ("/_stcore/health", True),
        ("/tools/_stcore/health", True),
        ("/_stcore/stream", False),
        ("/x/readyz", False),
    ],
)
def test_a_probe_comes_by_any_name_and_from_anywhere(path: str, *, is_let_in: bool, is_open: bool) -> None:
    """As machines ask by address; nothing else does."""
    scope = scope_of(("host", "10.1.2.3:8501"), path=path, client=("10.1.2.3", 1))
    assert (statuses(knock(scope, is_open=is_open)) == [LET_IN]) is is_let_in


@pytest.mark.parametrize(
    ("allowed", "expected"), [((), 400), (("*",), LET_IN), (("localhost",), 400), (("10.1.2.3",), LET_IN)]
)
def test_no_list_of_names_means_this_machine(allowed: tuple[str, ...], expected: int) -> None:
    """Any name only where somebody says so."""
    scope = scope_of(("host", "10.1.2.3:8501"), ("origin", "http://10.1.2.3:8501"))
    assert statuses(knock(scope, allowed=allowed)) == [expected]


def test_the_start_of_the_program_passes() -> None:
    """It has no Host."""
    assert knock({"type": "lifespan", "headers": []}, is_open=False) != []


@pytest.mark.parametrize(
    "client", [None, ("127.0.0.1", 1), ("127.8.9.10", 1), ("::1", 1), ("::ffff:127.0.0.1", 1)]
)
def test_without_a_sign_in_this_machine_is_served(client: tuple[str, int] | None) -> None:
    """By any of its own addresses, and through a Unix socket."""
    scope = scope_of(("host", "localhost:8501"), client=client)
    assert statuses(knock(scope, is_open=False)) == [LET_IN]


@pytest.mark.parametrize("host", ELSEWHERE)
def test_without_a_sign_in_another_machine_is_refused(host: str) -> None:
    """In words, and a web socket is closed; nothing of the dashboard is asked."""
    behind, client = Behind(), (host, 1)
    name = ("host", "localhost:8501")
    start, body = knock(scope_of(name, client=client), behind, is_open=False)
    assert (start["status"], body["body"][:24]) == (403, b"Without a sign-in, this ")
    closed = knock(
        scope_of(("host", "localhost:8501"), kind="websocket", client=client), behind, is_open=False
    )
    assert ([message["type"] for message in closed], behind.hosts) == ([CLOSED], [])


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_everyone_is_served_where_the_settings_say_so(kind: str) -> None:
    """Or where people sign in."""
    behind = Behind()
    knock(scope_of(("host", "localhost:8501"), kind=kind, client=("203.0.113.7", 1)), behind)
    assert behind.hosts == ["localhost:8501"]


@pytest.mark.parametrize(
    ("method", "window", "expected"),
    [
        ("PUT", "here", LET_IN),
        ("DELETE", "here", LET_IN),
        ("PUT", "elsewhere", 404),
        ("DELETE", "elsewhere", 404),
        ("OPTIONS", "elsewhere", LET_IN),
    ],
)
def test_a_file_for_the_window_of_another_process_is_not_found(
    monkeypatch: pytest.MonkeyPatch, method: str, window: str, expected: int
) -> None:
    """So that a proxy asks the next process."""
    here = Mock(is_active_session=lambda window: window == "here")
    monkeypatch.setattr(runtime, "get_instance", lambda: here)
    scope = scope_of(("host", "localhost"), method=method, path=f"{UPLOAD}/{window}/1")
    assert statuses(knock(scope)) == [expected]
