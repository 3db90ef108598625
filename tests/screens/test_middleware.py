"""What the launcher adds around the pages.

Allowed requests, headers, the base path, and probes.
"""

import asyncio
import base64
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send
from streamlit import runtime

import app as launcher
from components.middleware import (
    AllowedRequests,
    BasePath,
    SecurityHeaders,
    content_security_policy,
    paths_of,
)
from tests.screens.conftest import answer_of


async def answer_page(request: Request) -> Response:
    """Return a page for any address, with a header that allows more than ours."""
    return PlainTextResponse(
        request.url.path, headers={"X-Frame-Options": "SAMEORIGIN"}
    )


def ask(middleware: Middleware, method: str, path: str) -> httpx.Response:
    server = Starlette(
        routes=[
            Route(
                "/{rest:path}", answer_page, methods=["GET", "PUT", "DELETE", "OPTIONS"]
            )
        ],
        middleware=[middleware],
    )
    return answer_of(server, path, method=method)


def test_every_answer_has_the_headers() -> None:
    headers = Middleware(SecurityHeaders, policy=content_security_policy())
    hello = ask(headers, "GET", "/hello")
    missing = ask(headers, "POST", "/hello")
    names = (
        "content-security-policy",
        "x-content-type-options",
        "x-frame-options",
        "referrer-policy",
        "permissions-policy",
        "cross-origin-opener-policy",
    )
    assert [hello.headers[name] for name in names] == [
        missing.headers[name] for name in names
    ]
    assert hello.headers.get_list("x-frame-options") == ["DENY"]
    assert hello.text == "/hello"
    assert missing.status_code == 405


def test_nothing_is_loaded_from_anywhere_else() -> None:
    policy = dict(part.split(" ", 1) for part in content_security_policy().split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert re.search(r"https?:|\*|unsafe-eval", content_security_policy()) is None
    assert "unsafe-inline" not in policy["script-src"]


def test_the_inline_script_of_streamlit_is_allowed_by_its_hash() -> None:
    index = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    scripts = [part.split("</script>")[0] for part in index.split("<script>")[1:]]
    digests = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in scripts
    ]
    assert digests
    assert [
        digest
        for digest in digests
        if f"'sha256-{digest}'" not in content_security_policy()
    ] == []


@pytest.mark.parametrize(
    ("base_path", "method", "path", "expected"),
    [
        ("tools", "GET", "/", "/tools/"),
        ("tools", "HEAD", "/tools", "/tools/"),
        (
            "tools",
            "GET",
            "/bulk?supplier=A%26B&item=%2F",
            "/tools/bulk?supplier=A%26B&item=%2F",
        ),
        ("tools", "GET", "/toolsmith", "/tools/toolsmith"),
        ("tools", "GET", "/%2Fevil.example", "/tools/evil.example"),
        ("tools", "GET", "/a%3Fb%0d%0ac", "/tools/a%3Fb%0D%0Ac"),
        ("a/b", "GET", "/a", "/a/b/a"),
        ("tools", "GET", "/tools/", None),
        ("tools", "GET", "/tools/bulk", None),
        ("tools", "GET", "/readyz", None),
        ("tools", "GET", "/healthz", None),
        ("tools", "GET", "/metrics", None),
        ("tools", "PUT", "/bulk", None),
        ("", "GET", "/bulk", None),
    ],
)
def test_an_address_outside_the_base_path_leads_below_it(
    base_path: str, method: str, path: str, expected: str | None
) -> None:
    assert (
        ask(Middleware(BasePath, base_path=base_path), method, path).headers.get(
            "location"
        )
        == expected
    )


@pytest.mark.parametrize("base_path", ["", "tools"])
def test_probes_work_at_the_root_and_below_the_base_path(base_path: str) -> None:
    paths = paths_of("healthz", base_path)
    assert set(paths) == {"/healthz", f"/{base_path}/healthz".replace("//", "/")}
    server = Starlette(routes=[Route(path, launcher.answer_alive) for path in paths])
    assert [answer_of(server, path).text for path in paths] == ["alive\n"] * len(paths)


ALLOWED = ("localhost", "127.0.0.1", "[::1]", "Dash.example.com", "*.inside.example")
HERE = "localhost:8501"
LET_IN = 200


@dataclass
class Behind:
    """The application behind the middleware.

    It records the Host of each request that gets through.
    """

    hosts: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer a request, or accept a web socket."""
        self.hosts += [
            value.decode() for name, value in scope["headers"] if name == b"host"
        ]
        is_socket = scope["type"] == "websocket"
        start = {"type": "http.response.start", "status": LET_IN, "headers": []}
        await send({"type": "websocket.accept"} if is_socket else start)


def knock(
    *headers: tuple[str, str],
    behind: Behind | None = None,
    allowed: tuple[str, ...] = ALLOWED,
    is_open: bool = True,
    **scope: object,
) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    request: Scope = {
        "type": "http",
        "scheme": "http",
        "path": "/",
        "method": "GET",
        "client": None,
        **scope,
    }
    request["headers"] = [
        (name.encode(), value.encode("latin-1")) for name, value in headers
    ]
    middleware = AllowedRequests(
        behind or Behind(),
        is_open=lambda: is_open,
        allowed_hosts=allowed,
        base_path="/tools/",
    )
    asyncio.run(middleware(request, receive, send))
    return sent


def answer(*headers: tuple[str, str], **scope: object) -> int:
    """Return the status of the answer.

    Check that a web socket with these headers is treated alike.
    """
    behind = Behind()
    status = int(knock(*headers, behind=behind, **scope)[0]["status"])  # type: ignore[arg-type]  (the same)
    (opened,) = knock(*headers, behind=behind, **scope | {"type": "websocket"})  # type: ignore[arg-type]
    assert opened["type"] == (
        "websocket.accept" if status == LET_IN else "websocket.close"
    )
    assert len(behind.hosts) == (2 if status == LET_IN else 0)
    return status


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8501", HERE),
        ("http://127.0.0.1:8501", "127.0.0.1:8501"),
        ("http://[::1]:8501", "[::1]:8501"),
        ("http://localhost", "localhost"),
        ("https://dash.example.com", "dash.example.com:443"),
        ("https://dash.example.com:443", "DASH.example.com."),
        ("http://dash.example.com", "dash.example.com:80"),
        ("https://a.b.inside.example", "a.b.inside.example"),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_requests_of_the_dashboard_s_own_pages_are_allowed(
    kind: str, origin: str, host: str
) -> None:
    behind = Behind()
    knock(("host", host), ("origin", origin), behind=behind, type=kind)
    assert behind.hosts == [origin.partition("://")[2]]


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:3000", HERE),
        ("http://localhost", HERE),
        ("http://127.0.0.1:8501", HERE),
        ("http://0.0.0.0:8501", "127.0.0.1:8501"),
        ("https://evil.example", HERE),
        ("https://localhost", "localhost:80"),
        ("http://localhost:8501.evil.example", HERE),
        ("http://localhost:8501@evil.example", HERE),
        ("http://localhost:8501/", HERE),
        ("ftp://localhost:8501", HERE),
        ("chrome-extension://localhost", "localhost"),
        (HERE, HERE),
        ("null", HERE),
        ("", HERE),
    ],
)
def test_requests_of_other_websites_are_refused(origin: str, host: str) -> None:
    assert answer(("host", host), ("origin", origin)) == 403
    forwarded = [
        (name, "evil.example")
        for name in ("x-forwarded-host", "forwarded", "x-forwarded-proto")
    ]
    assert (
        answer(
            ("host", host), ("origin", origin), ("origin", f"http://{host}"), *forwarded
        )
        == 403
    )


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("",),
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
def test_a_host_that_is_not_allowed_is_refused(
    hosts: tuple[str, ...], origin: tuple[str, ...]
) -> None:
    assert (
        answer(
            *(("host", host) for host in hosts),
            *(("origin", value) for value in origin),
        )
        == 400
    )


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [((), 400), (("*",), LET_IN), (("localhost",), 400), (("10.1.2.3",), LET_IN)],
)
def test_without_allowed_hosts_only_names_of_this_machine_are_allowed(
    allowed: tuple[str, ...], expected: int
) -> None:
    headers = (("host", "10.1.2.3:8501"), ("origin", "http://10.1.2.3:8501"))
    assert answer(*headers, allowed=allowed) == expected


@pytest.mark.parametrize(
    ("origin", "expected"), [("http://localhost", 403), ("https://localhost", LET_IN)]
)
def test_an_http_page_cannot_send_requests_to_an_https_dashboard(
    origin: str, expected: int
) -> None:
    assert answer(("host", "localhost"), ("origin", origin), scheme="https") == expected


@pytest.mark.parametrize(
    ("client", "is_open", "expected"),
    [
        (None, False, LET_IN),
        (("127.8.9.10", 1), False, LET_IN),
        (("::1", 1), False, LET_IN),
        (("::ffff:127.0.0.1", 1), False, LET_IN),
        (("203.0.113.7", 1), True, LET_IN),
        *(
            ((address, 1), False, 403)
            for address in (
                "10.1.2.3",
                "0.0.0.0",
                "fe80::1",
                "::ffff:10.1.2.3",
                "testclient",
                "",
            )
        ),
    ],
)
def test_without_a_sign_in_only_this_machine_is_served(
    *, client: tuple[str, int] | None, is_open: bool, expected: int
) -> None:
    assert answer(("host", HERE), client=client, is_open=is_open) == expected


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
def test_a_probe_is_answered_for_any_host_and_from_anywhere(
    path: str, *, is_let_in: bool, is_open: bool
) -> None:
    sent = knock(
        ("host", "10.1.2.3:8501"), path=path, client=("10.1.2.3", 1), is_open=is_open
    )
    assert (sent[0]["status"] == LET_IN) is is_let_in


def test_startup_events_are_passed_on() -> None:
    assert knock(type="lifespan", is_open=False) != []


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
def test_an_upload_for_another_process_is_a_404(
    monkeypatch: pytest.MonkeyPatch, method: str, window: str, expected: int
) -> None:
    here = Mock(is_active_session=lambda window: window == "here")
    monkeypatch.setattr(runtime, "get_instance", lambda: here)
    path = f"/tools/_stcore/upload_file/{window}/1"
    assert (
        knock(("host", "localhost"), method=method, path=path)[0]["status"] == expected
    )
