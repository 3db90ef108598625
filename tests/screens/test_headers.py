"""The security headers of every answer."""

import base64
import hashlib
import re
from pathlib import Path

import httpx
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from components.middleware import SecurityHeaders, content_security_policy
from tests.screens.asgi import answer_of


async def answer(_: Request) -> Response:
    """An answer that says less than ours."""
    return PlainTextResponse("hello", headers={"X-Frame-Options": "SAMEORIGIN"})


def fetch(path: str) -> httpx.Response:
    server = Starlette(
        routes=[Route("/", answer)],
        middleware=[Middleware(SecurityHeaders, policy=content_security_policy())],
    )
    return answer_of(server, path)


def test_every_answer_has_the_headers() -> None:
    hello, missing = fetch("/"), fetch("/missing")
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
    assert hello.text == "hello"


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
