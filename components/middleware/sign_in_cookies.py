"""Cookies of a sign-in.

Streamlit 1.67 always returns to the first page after a sign-in, and sets its cookies without `Secure`.
"""

from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from components.middleware.base_path import first_path

RETURN_COOKIE = "item_visibility_return"
_RETURN_LASTS_S = 600
"""A sign-in that takes longer ends on the first page."""

_CALLBACK = "oauth2callback"
_LOGIN = "auth/login"
_SIGNED_IN = "_streamlit_user="
"""The beginning of the cookie that Streamlit sets for a person who signs in."""

_AS_THEY_ARE = "/?&=%+:@"
"""An address is encoded already: encoded again, a long one would not fit into a cookie."""


class SignInCookies:
    """ASGI middleware that sets and corrects cookies.

    - The page on which a sign-in begins, until the provider has answered. The browser names it in the header
      Referer; our own policy lets it do so within this server.
    - Every cookie is `Secure` over https.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._first = first_path(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with the cookies and the redirect put right."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_cookies(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._put_right(scope, message)
            await send(message)

        await self._app(scope, receive, send_with_cookies)

    def _put_right(self, scope: Scope, start: Message) -> None:
        headers = MutableHeaders(scope=start)
        name = self._name(scope)
        if name == _LOGIN:
            headers.append("set-cookie", self._return_cookie(self._page(scope)))
        elif name == _CALLBACK:
            return_to = self._return_to(scope)
            if return_to and any(_SIGNED_IN in one for one in headers.getlist("set-cookie")):
                headers["location"] = return_to
            headers.append("set-cookie", self._return_cookie(""))
        if _came_by_https(scope):
            _secure(start)

    def _page(self, scope: Scope) -> str:
        """Return the page on which this sign-in begins; empty when it is not a page of this dashboard."""
        headers = Headers(scope=scope)
        try:
            page = urlsplit(headers.get("referer", ""))
        except ValueError:
            return ""
        if page.netloc != headers.get("host") or not self._is_page(page.path):
            return ""
        return f"{page.path}?{page.query}" if page.query else page.path

    def _return_to(self, scope: Scope) -> str:
        """Return the remembered page, if it is a page of this dashboard: others may set cookies, too."""
        page = _cookies(scope).get(RETURN_COOKIE, "")
        is_plain = page.isascii() and page.isprintable() and "\\" not in page
        return page if is_plain and self._is_page(page.partition("?")[0]) else ""

    def _is_page(self, path: str) -> bool:
        return path.startswith(self._first) and "/" not in path.removeprefix(self._first)

    def _return_cookie(self, page: str) -> str:
        """Return the cookie that remembers this page; for an empty page, a cookie that expires at once."""
        value, lasts_s = quote(page, safe=_AS_THEY_ARE), _RETURN_LASTS_S if page else 0
        return f"{RETURN_COOKIE}={value}; Path={self._first}; Max-Age={lasts_s}; HttpOnly; SameSite=Lax"

    def _name(self, scope: Scope) -> str:
        """Return the path below the base path; another path as it is, with its slash."""
        path: str = scope["path"]
        return path.removeprefix(self._first)


def _cookies(scope: Scope) -> dict[str, str]:
    return cookie_parser("; ".join(Headers(scope=scope).getlist("cookie")))


def _came_by_https(scope: Scope) -> bool:
    """True when the browser used https, even if a proxy in front of us decrypted it."""
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "").split(",")[0].strip().lower()
    return scope.get("scheme") == "https" or forwarded == "https"


def _secure(start: Message) -> None:
    """Add `Secure` to every cookie without it."""
    start["headers"] = [
        (name, value + b"; Secure" if name == b"set-cookie" and b"; secure" not in value.lower() else value)
        for name, value in start["headers"]
    ]
