"""The browser's identity: where nobody signs in, drafts belong to a browser, not to a machine's user.

It is a random id in a cookie that no script can read and no other site can have sent. Records hold only its
digest.
"""

import hashlib
import re
import secrets

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.shell.door import first_path
from components.wiring import person_here, sign_in_rules

COOKIE = "item_visibility_browser"
NO_BROWSER = "no browser"
"""The owner where there is no browser: the command line, and screens run without one."""

_ID_BYTES = 32
_FORM = re.compile(r"[A-Za-z0-9_-]{43}")
_LASTS_S = 400 * 24 * 60 * 60  # no browser keeps a cookie longer
_ASKED_FIRST = "_stcore/host-config"


def this_browser() -> str:
    """Return the owner of what is staged in this window: the person who signed in, else the browser.

    For a browser without cookies, the owner lasts as long as its window.
    """
    if sign_in_rules() is not None:
        return person_here().owner
    if not st.context.headers:
        return NO_BROWSER
    sent = st.context.cookies.get(COOKIE, "")
    context = get_script_run_ctx()
    window = context.session_id if context is not None else ""
    return _digest(f"browser {sent}" if is_an_id(sent) else f"window {window}")


def is_an_id(value: str) -> bool:
    """True when the value has the form of our ids. Any other value was never set here."""
    return _FORM.fullmatch(value) is not None


class BrowserCookie:
    """ASGI middleware that gives each browser its id, and replaces a value of another form.

    Only the page's own first request, before its websocket, sets the cookie. A browser holds back a strict
    cookie on a link followed from another site: a new one there would replace its own.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._path = first_path(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, and set the cookie where one is missing."""
        if scope["type"] != "http" or scope["path"] != self._path + _ASKED_FIRST or _has_id(scope):
            await self._app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("Set-Cookie", self._new_cookie(scope))
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _new_cookie(self, scope: Scope) -> str:
        new_id = secrets.token_urlsafe(_ID_BYTES)
        parts = [
            f"{COOKIE}={new_id}",
            f"Path={self._path}",
            f"Max-Age={_LASTS_S}",
            "HttpOnly",
            "SameSite=Strict",
        ]
        return "; ".join([*parts, "Secure"] if came_by_https(scope) else parts)


def _has_id(scope: Scope) -> bool:
    cookies = cookie_parser(_header(scope, b"cookie"))
    return is_an_id(cookies.get(COOKIE, ""))


def came_by_https(scope: Scope) -> bool:
    """True when the browser used https, even if a proxy in front of us decrypted it."""
    forwarded = _header(scope, b"x-forwarded-proto").split(",")[0].strip().lower()
    return scope.get("scheme") == "https" or forwarded == "https"


def _header(scope: Scope, name: bytes) -> str:
    values = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return "; ".join(values)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
