"""The cookie with the id of a browser."""

import asyncio
import re
from http.cookies import SimpleCookie

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as some
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from components.shell.browser_cookie import COOKIE, is_an_id
from components.sign_in.cookies import SignInCookies

AN_ID = "A-_9" * 10 + "abc"
FIRST_REQUEST = "/_stcore/host-config"


def ask(path: str = FIRST_REQUEST, *, scheme: str = "http", base: str = "", **headers: str) -> httpx.Response:
    """The response to a browser that sends these headers."""

    async def answer(_: Request) -> Response:
        return PlainTextResponse("{}")

    cookies = Middleware(SignInCookies, has_provider=lambda: False, base_path=base)
    server = Starlette(routes=[Route("/{path:path}", answer)], middleware=[cookies])

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(app=server)
        async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://127.0.0.1") as client:
            return await client.get(
                path, headers={name.replace("_", "-"): text for name, text in headers.items()}
            )

    return asyncio.run(get())


def test_a_browser_gets_an_id_that_no_script_and_no_other_site_can_use() -> None:
    """Another one each time, for this dashboard's addresses alone."""
    first, second = (ask().headers["set-cookie"] for _ in range(2))
    assert re.fullmatch(
        rf"{COOKIE}=[A-Za-z0-9_-]{{43}}; Path=/; Max-Age=[0-9]+; HttpOnly; SameSite=Strict", first
    )
    assert first != second


def test_the_cookie_belongs_to_the_dashboards_path() -> None:
    """Below a base path, too."""
    sent = ask("/desk" + FIRST_REQUEST, base="/desk/").headers["set-cookie"]
    assert SimpleCookie(sent)[COOKIE]["path"] == "/desk/"


@pytest.mark.parametrize(("scheme", "forwarded"), [("https", ""), ("http", "https"), ("http", "HTTPS, http")])
def test_over_https_it_is_sent_over_https_only(scheme: str, forwarded: str) -> None:
    """Also behind a proxy."""
    sent = ask(scheme=scheme, x_forwarded_proto=forwarded).headers["set-cookie"]
    assert sent.endswith("; Secure")


def test_an_id_that_is_there_stays() -> None:
    """Among others."""
    assert "set-cookie" not in ask(cookie=f"other=1; {COOKIE}={AN_ID}").headers


@given(some.text(some.characters(min_codepoint=33, max_codepoint=126, exclude_characters=";")))
def test_a_value_that_was_never_set_here_is_replaced(value: str) -> None:
    """Its form does not matter."""
    assert ("set-cookie" in ask(cookie=f"{COOKIE}={value}").headers) is not is_an_id(value)


@pytest.mark.parametrize("path", ["/", "/bulk", "/readyz", "/x" + FIRST_REQUEST])
def test_no_page_sets_it(path: str) -> None:
    """A browser that follows a link from another site holds a strict cookie back: it must not lose it so."""
    assert "set-cookie" not in ask(path).headers
