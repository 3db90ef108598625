"""Answers at addresses that nothing stands at, and where files and probes belong."""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import app as launcher
from components.middleware import BasePath, SecurityHeaders, paths_of
from tests.screens.asgi import answer_of


async def answer_page(request: Request) -> Response:
    """Return a page for any address."""
    return PlainTextResponse(request.url.path)


def ask(middleware: Middleware, method: str, path: str) -> httpx.Response:
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
    assert ask(Middleware(BasePath, base_path=base_path), method, path).headers.get("location") == expected


@pytest.mark.parametrize("base_path", ["", "tools"])
def test_probes_stand_at_the_root_and_below_the_base_path(base_path: str) -> None:
    paths = paths_of("healthz", base_path)
    assert set(paths) == {"/healthz", f"/{base_path}/healthz".replace("//", "/")}
    server = Starlette(routes=[Route(path, launcher.answer_alive) for path in paths])
    assert [answer_of(server, path).text for path in paths] == ["alive\n"] * len(paths)


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
@pytest.mark.parametrize(
    "middleware", [lambda app: BasePath(app, "tools"), lambda app: SecurityHeaders(app, policy="x")]
)
def test_what_is_no_request_passes_as_it_is(kind: str, middleware: Callable[[ASGIApp], ASGIApp]) -> None:
    sent: list[Message] = []

    async def accept(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": f"{kind}.accept"})

    async def receive() -> Message:
        return {"type": f"{kind}.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(middleware(accept)({"type": kind, "path": "/", "headers": []}, receive, send))
    assert sent == [{"type": f"{kind}.accept"}]
