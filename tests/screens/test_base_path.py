"""Answers at addresses that nothing stands at, and where files and probes belong."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

import app as launcher
from components.middleware.base_path import BasePath, paths_of
from tests.screens.asgi import answer_of


async def answer_page(request: Request) -> Response:
    """Return a page for any address."""
    return PlainTextResponse(request.url.path)


def ask(middleware: Middleware, method: str, path: str) -> httpx.Response:
    """The answer behind this middleware."""
    server = Starlette(
        routes=[Route("/{rest:path}", answer_page, methods=["GET", "PUT", "DELETE", "OPTIONS"])],
        middleware=[middleware],
    )
    return answer_of(server, path, method=method)


@pytest.mark.parametrize(
    ("base_path", "method", "path", "expected"),
    [
        ("tools", "GET", "/", "/tools/"),
        ("tools", "HEAD", "/tools", "/tools/"),
        ("tools", "GET", "/bulk?supplier=A%26B&item=%2F", "/tools/bulk?supplier=A%26B&item=%2F"),
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
    """The rest of it stays, and it never leads to another machine; probes of a load balancer stay."""
    assert ask(Middleware(BasePath, base_path=base_path), method, path).headers.get("location") == expected


@pytest.mark.parametrize("base_path", ["", "tools"])
def test_probes_stand_at_the_root_and_below_the_base_path(base_path: str) -> None:
    """Through a proxy only the second is reached."""
    paths = {path for name in ("healthz", "readyz") for path in paths_of(name, base_path)}
    below = f"/{base_path}/" if base_path else "/"
    assert paths == {"/healthz", "/readyz", f"{below}healthz", f"{below}readyz"}


def test_a_process_that_answers_says_that_it_lives() -> None:
    """Its database and its configuration do not matter."""
    server = Starlette(routes=[Route("/healthz", launcher.answer_alive)])
    answered = answer_of(server, "/healthz")
    assert (answered.status_code, answered.text) == (200, "alive\n")


def test_what_is_no_request_passes() -> None:
    """A web socket, and the start of the program."""
    passed: list[str] = []

    async def keep(scope: Scope, _receive: Receive, _send: Send) -> None:
        passed.append(scope["type"])

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(_: Message) -> None:
        """Send nothing."""

    async def knock() -> None:
        await BasePath(keep, "tools")({"type": "websocket", "path": "/", "headers": []}, receive, send)
        await BasePath(keep, "tools")({"type": "lifespan"}, receive, send)

    asyncio.run(knock())
    assert passed == ["websocket", "lifespan"]
