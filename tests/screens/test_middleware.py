"""What the launcher puts around every answer: security headers, the base path, and probes at the root."""

import base64
import hashlib
import re
from pathlib import Path

import httpx
import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

import app as launcher
from components.middleware import BasePath, SecurityHeaders, content_security_policy, paths_of
from tests.screens.asgi import answer_of


async def answer_page(request: Request) -> Response:
    """Return a page for any address, with a header that says less than ours."""
    return PlainTextResponse(request.url.path, headers={"X-Frame-Options": "SAMEORIGIN"})


def ask(middleware: Middleware, method: str, path: str) -> httpx.Response:
    server = Starlette(
        routes=[Route("/{rest:path}", answer_page, methods=["GET", "PUT", "DELETE", "OPTIONS"])],
        middleware=[middleware],
    )
    return answer_of(server, path, method=method)


def test_every_answer_has_the_headers() -> None:
    headers = Middleware(SecurityHeaders, policy=content_security_policy())
    hello, missing = ask(headers, "GET", "/hello"), ask(headers, "POST", "/hello")
    names = (
        "content-security-policy",
        "x-content-type-options",
        "x-frame-options",
        "referrer-policy",
        "permissions-policy",
        "cross-origin-opener-policy",
    )
    assert [hello.headers[name] for name in names] == [missing.headers[name] for name in names]
    assert hello.headers.get_list("x-frame-options") == ["DENY"]
    assert (hello.text, missing.status_code) == ("/hello", 405)


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
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert digests
    assert [digest for digest in digests if f"'sha256-{digest}'" not in content_security_policy()] == []


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
