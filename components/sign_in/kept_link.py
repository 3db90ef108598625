"""Cookies of a sign-in: `Secure` behind TLS, and back to the address that somebody came for.

Streamlit 1.67 always returns to the first page after a sign-in, and sets its cookies without `Secure`.
"""

from collections.abc import Callable
from urllib.parse import quote, unquote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.shell.browser_cookie import came_by_https
from components.shell.door import first_path

COOKIE = "item_visibility_return"
_LASTS_S = 600
"""A sign-in that takes longer ends on the first page."""

_CALLBACK = "oauth2callback"
SIGNED_IN = "_streamlit_user="
"""The beginning of the cookie that Streamlit sets for a person who signs in."""

_NO_PAGES = ("_stcore/", "auth/", "media/", _CALLBACK)


class SignInCookies:
    """ASGI middleware that remembers the page that was asked for, until the provider has answered.

    Nothing is remembered unless `has_provider`: elsewhere nobody leaves the dashboard to sign in.
    """

    def __init__(self, app: ASGIApp, has_provider: Callable[[], bool], base_path: str) -> None:
        self._app = app
        self._has_provider = has_provider
        self._first = first_path(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with the cookies and the redirect put right."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wanted = self._page(scope)
        return_to = self._return_to(scope)

        async def send_with_cookies(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if return_to and any(SIGNED_IN in one for one in headers.getlist("set-cookie")):
                    headers["location"] = return_to
                if wanted:
                    headers.append("set-cookie", self._cookie(wanted, lasts_s=_LASTS_S))
                if return_to:
                    headers.append("set-cookie", self._cookie("", lasts_s=0))
                if came_by_https(scope):
                    _secure(message)
            await send(message)

        await self._app(scope, receive, send_with_cookies)

    def _page(self, scope: Scope) -> str:
        """Return the address of a page with something open in it; nothing for any other request."""
        path, query = scope["path"], scope["query_string"].decode("latin-1")
        name = path.removeprefix(self._first)
        is_page = "text/html" in Headers(scope=scope).get("accept", "") and not name.startswith(_NO_PAGES)
        is_ours = is_page and scope["method"] == "GET" and path.startswith(self._first) and "/" not in name
        if not is_ours or not (query or name) or not self._has_provider():
            return ""
        return f"{path}?{query}" if query else path

    def _return_to(self, scope: Scope) -> str:
        """Return the remembered page when the provider answers, if it is a page of this dashboard."""
        if scope["path"] != self._first + _CALLBACK:
            return ""
        sent = cookie_parser(Headers(scope=scope).get("cookie", "")).get(COOKIE, "")
        page = unquote(sent)
        is_safe = page.startswith(self._first) and not page.startswith("//") and page.isprintable()
        return page if is_safe and page.isascii() and "\\" not in page else ""

    def _cookie(self, page: str, *, lasts_s: int) -> str:
        return (
            f"{COOKIE}={quote(page, safe='')}; Path={self._first}; Max-Age={lasts_s}; HttpOnly; SameSite=Lax"
        )


def _secure(message: Message) -> None:
    """Add `Secure` to every cookie without it."""
    message["headers"] = [
        (name, value + b"; Secure" if name == b"set-cookie" and b"secure" not in value.lower() else value)
        for name, value in message["headers"]
    ]
