"""Requests with too large headers get an explanation, and many files may be open."""

import asyncio
import logging
import resource
from unittest.mock import Mock

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from components.server_limits import (
    MAX_OTHER_BYTES,
    MAX_PAGE_BYTES,
    HeaderLimit,
    allow_many_windows,
)
from tests.screens.conftest import answer_of

HOST = b"dash.example.com:8501"


async def accept(scope: Scope, _receive: Receive, send: Send) -> None:
    """Accept every request and every web socket."""
    start = {"type": "http.response.start", "status": 200, "headers": []}
    await send({"type": "websocket.accept"} if scope["type"] == "websocket" else start)


def send_headers(
    size: int, *, path: str = "/tools/", kind: str = "http", name: bytes = b"cookie"
) -> Message:
    """Return the beginning of the answer to a request with so many bytes of headers."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    rest = size - len(b"host: \r\n" + HOST) - len(name + b": \r\n")
    headers = [(b"host", HOST), (name, b"x" * rest)]
    scope = {"type": kind, "path": path, "headers": headers}
    asyncio.run(HeaderLimit(accept, base_path="/tools/")(scope, receive, send))
    return sent[0]


@pytest.mark.parametrize("path", ["/tools/", "/tools/bulk", "/tools", "/healthz", "/"])
def test_a_page_is_served_up_to_its_limit(path: str) -> None:
    assert send_headers(MAX_PAGE_BYTES, path=path)["status"] == 200
    assert send_headers(MAX_PAGE_BYTES + 1, path=path)["status"] == 431


@pytest.mark.parametrize(
    "path", ["/tools/static/js/index.js", "/tools/_stcore/health", "/tools/media/1.csv"]
)
def test_what_a_page_loads_may_have_a_longer_referer(path: str) -> None:
    assert send_headers(MAX_OTHER_BYTES, path=path)["status"] == 200
    assert send_headers(MAX_OTHER_BYTES + 1, path=path)["status"] == 431
    assert MAX_OTHER_BYTES - MAX_PAGE_BYTES == 8 * 1024


def test_a_web_socket_is_closed_above_the_limit() -> None:
    path = "/tools/_stcore/stream"
    assert (
        send_headers(MAX_OTHER_BYTES, path=path, kind="websocket")["type"]
        == "websocket.accept"
    )
    assert (
        send_headers(MAX_OTHER_BYTES + 1, path=path, kind="websocket")["type"]
        == "websocket.close"
    )


def test_a_browser_s_32_kb_fit_with_the_headers_of_a_proxy() -> None:
    assert 32 * 1024 + 300 < MAX_PAGE_BYTES < 33 * 1024


def test_startup_events_are_passed_on() -> None:
    assert send_headers(100, kind="lifespan")["status"] == 200


def test_the_log_names_the_largest_header_without_its_value(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        send_headers(50_000, name=b"x-roles")
    (record,) = caplog.records
    assert record.getMessage() == (
        "Refused a request with 50000 bytes of headers, more than 33280; the "
        "largest, x-roles, has 49971."
        " Delete the browser's cookies of this host, give the person fewer roles, or "
        "let the proxy send less."
    )


async def answer(_: Request) -> Response:
    """Return a page."""
    return PlainTextResponse("the page")


def ask(cookie: str) -> httpx.Response:
    server = Starlette(
        routes=[Route("/", answer)], middleware=[Middleware(HeaderLimit, base_path="")]
    )
    return answer_of(server, "/", headers={"Cookie": cookie})


def test_the_page_says_what_to_do() -> None:
    refused = ask("x" * 40_000)
    assert refused.status_code == 431
    assert refused.headers["content-type"] == "text/html; charset=utf-8"
    assert refused.headers["cache-control"] == "no-store"
    words = " ".join(refused.text.split())
    assert "Your browser sent 40 KB of headers, which are mostly cookies," in words
    assert (
        "accepts only 32 KB: delete the cookies of localhost, then open this page "
        "again." in words
    )
    assert ask("x" * 30_000).text == "the page"


@pytest.mark.parametrize(
    ("soft", "hard", "expected"),
    [
        (1_024, 524_288, [(10_240, 524_288)]),
        (1_024, 4_096, [(4_096, 4_096)]),
        (256, resource.RLIM_INFINITY, [(10_240, resource.RLIM_INFINITY)]),
        (4_096, 4_096, []),
        (20_000, 20_000, []),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, []),
    ],
)
def test_the_limit_of_open_files_is_raised_as_far_as_needed(
    monkeypatch: pytest.MonkeyPatch,
    soft: int,
    hard: int,
    expected: list[tuple[int, int]],
) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.append(wanted))
    allow_many_windows()
    assert limits == expected


def test_a_system_that_allows_no_more_files_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_limit = Mock(side_effect=ValueError("not allowed to raise maximum limit"))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 524_288))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    allow_many_windows()
    set_limit.assert_called_once()
