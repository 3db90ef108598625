"""ASGI middleware in front of Streamlit.

It checks requests, and corrects the base path, the security headers and the cookies.

Streamlit 1.67 accepts requests from every program on this machine. To check the Origin
of a foreign request, it looks up the machine's public address on the internet, which
blocks all windows. Therefore foreign requests are refused before Streamlit sees them.
"""

import base64
import hashlib
import logging
import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import runtime

from item_visibility.access.access_log import Event, log_access
from item_visibility.client.addresses import STANDARD_PORTS

OWN_NAMES = ("localhost", "127.0.0.1", "::1")

_Address = tuple[str, int | None]
"""A host name, without brackets if it is an IPv6 address, and a port.

None means the standard port.
"""
_AUTHORITY = (
    r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^\s\[\]/?#@:\\]+))(?::(?P<port>[0-9]{1,5}))?"
)
_HOST = re.compile(_AUTHORITY, re.IGNORECASE)
_ORIGIN = re.compile(rf"(?P<scheme>https?)://(?P<host>{_AUTHORITY})", re.IGNORECASE)
_UNKNOWN_NAME = (
    "This dashboard does not answer to the host name in this address. Nothing was "
    "read or changed.\n"
    "Use the address that you were given. The operator of this dashboard can allow "
    "this name with item-visibility dashboard --allowed-host NAME, or "
    "server.allowedHosts.\n"
)
_FOREIGN = (
    "This request came from a page outside the dashboard. Nothing was read or "
    "changed.\n"
    "Open the dashboard itself. A proxy in front of it must pass on the Host header "
    "unchanged.\n"
)
_OTHER_MACHINE = (
    "Without a sign-in, this dashboard answers only on its own machine. Nothing was "
    "read or changed.\n"
    "Its operator can open it to everyone who can reach it: see ITEM_VISIBILITY_OPEN "
    "in README.md.\n"
)
_UPLOADS = "_stcore/upload_file/"
_OTHER_WINDOW = (
    "This file belongs to a window of another process. It was not accepted.\n"
    "The proxy must try the next process, or keep each browser on one process: see "
    "deploy/README.md.\n"
)

_PROBES = ("healthz", "readyz", "_stcore/health")
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
RETURN_COOKIE = "item_visibility_return"
_RETURN_LASTS_S = 600
"""A sign-in that takes longer returns to the first page."""
_CALLBACK = "oauth2callback"
_LOGIN = "auth/login"
_SIGNED_IN = "_streamlit_user="
"""The beginning of the cookie that Streamlit sets when a person has signed in."""

SIGN_IN_FAILED = ("sign_in", "failed")
"""The query parameter in the address to which a failed sign-in returns."""

_AS_THEY_ARE = "/?&=%+:@"
"""Characters that are not encoded in the cookie, so that a long address fits."""
_LOG = logging.getLogger(__name__)


def first_path(base_path: str) -> str:
    """Return the path of the first page, with a slash at both ends."""
    name = base_path.strip("/")
    return f"/{name}/" if name else "/"


def paths_of(name: str, base_path: str) -> frozenset[str]:
    """Return the paths of this probe, at the root and below the base path."""
    return frozenset(f"{root}{name}" for root in ("/", first_path(base_path)))


def probe_paths(base_path: str) -> frozenset[str]:
    """Return the paths of the liveness and readiness probes."""
    paths = [paths_of(probe, base_path) for probe in _PROBES]
    return frozenset[str]().union(*paths)


class BasePath:
    """ASGI middleware that adds a missing base path, by a redirect."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._base = first_path(base_path)
        self._at_root = probe_paths(base_path) | paths_of("metrics", base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Redirect the request, or pass it on."""
        is_look = scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}
        if (
            not is_look
            or scope["path"].startswith(self._base)
            or scope["path"] in self._at_root
        ):
            await self._app(scope, receive, send)
            return

        address = self._base
        if f"{scope['path']}/" != self._base:
            address += quote(scope["path"].lstrip("/"))
        query = scope.get("query_string", b"").decode("latin-1")
        if query:
            address += f"?{query}"
        await RedirectResponse(address)(scope, receive, send)


class AllowedRequests:
    """ASGI middleware that refuses four kinds of foreign requests.

    - Requests from another machine, unless `is_open()` returns True. Behind a proxy on
      this machine, the client's address is the one in the proxy's headers.
    - Requests with a Host that is not in `allowed_hosts`, a list of names without a
      port. `*.example.com` allows all names below example.com, and `*` any name. If the
      list is empty, this machine's own names are allowed. X-Forwarded-Host is ignored,
      because anybody can send it.
    - Requests with an Origin that differs from the Host. Browsers send an Origin with
      every web socket and with every request from another page, but not when a person
      follows a link.
    - Uploads from a window that belongs to another process. They are answered 404, so
      that a proxy can try the next process, as the nginx in `deploy/` does. Streamlit
      1.67 alone would answer 400.

    Probes are answered from any machine and with any Host.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        is_open: Callable[[], bool],
        allowed_hosts: Iterable[str],
        base_path: str = "",
    ) -> None:
        self._app = app
        self._is_open = is_open
        names = [_bare(host.strip("[] ")) for host in allowed_hosts]
        self._allowed = names or list(OWN_NAMES)
        self._probes = probe_paths(base_path)
        self._uploads = first_path(base_path) + _UPLOADS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return

        refused = self._refused(scope)
        if refused is None:
            await self._app(_as_browser_says(scope), receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            status, reason = refused
            answer = PlainTextResponse(reason, status_code=status)
            await answer(scope, receive, send)

    def _refused(self, scope: Scope) -> tuple[HTTPStatus, str] | None:
        """Return the status and the reason of a refusal, or None."""
        # The client.
        is_probe = scope["path"] in self._probes
        if not (is_probe or is_here(scope) or self._is_open()):
            return HTTPStatus.FORBIDDEN, _OTHER_MACHINE

        # The Host.
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None:
            return HTTPStatus.BAD_REQUEST, _UNKNOWN_NAME
        host = _address(match)
        if not (is_probe or self._answers_to(host[0])):
            return HTTPStatus.BAD_REQUEST, _UNKNOWN_NAME

        # The Origin.
        origins = headers.getlist("origin")
        is_encrypted = scope["scheme"] in {"https", "wss"}
        if origins and not _is_own(origins, host, is_encrypted=is_encrypted):
            return HTTPStatus.FORBIDDEN, _FOREIGN

        # The window of an upload.
        if self._is_for_other_window(scope):
            _LOG.info(
                "A file was sent to this process, but its window belongs to another "
                "process."
            )
            return HTTPStatus.NOT_FOUND, _OTHER_WINDOW
        return None

    def _answers_to(self, name: str) -> bool:
        for allowed in self._allowed:
            if allowed in {"*", name}:
                return True
            if allowed.startswith("*.") and name.endswith(allowed[1:]):
                return True
        return False

    def _is_for_other_window(self, scope: Scope) -> bool:
        if scope["type"] != "http" or not scope["path"].startswith(self._uploads):
            return False
        if scope["method"] not in {"PUT", "DELETE"}:
            return False

        window = scope["path"].removeprefix(self._uploads).partition("/")[0]
        return not runtime.get_instance().is_active_session(window)


def is_here(scope: Scope) -> bool:
    """Return True if the client is on this machine.

    A client without an address uses a Unix socket.
    """
    if scope.get("client") is None:
        return True
    try:
        address = ip_address(scope["client"][0])
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _is_own(origins: list[str], host: _Address, *, is_encrypted: bool) -> bool:
    # Behind a proxy the Origin can be https although the request arrives unencrypted.
    match = _ORIGIN.fullmatch(origins[0]) if len(origins) == 1 else None
    if match is None:
        return False

    scheme = match["scheme"].lower()
    if is_encrypted and scheme != "https":
        return False

    standard_port = STANDARD_PORTS[scheme]
    name, port = _address(match)
    own_name, own_port = host
    return name == own_name and (port or standard_port) == (own_port or standard_port)


def _address(match: re.Match[str]) -> _Address:
    port = int(match["port"]) if match["port"] else None
    return _bare(match["v6"] or match["name"]), port


def _bare(name: str) -> str:
    return name.lower().rstrip(".")


def _as_browser_says(scope: Scope) -> Scope:
    """Return the request with its Host spelled as in its Origin.

    Streamlit compares the two as texts.
    """
    origin = Headers(scope=scope).get("origin")
    if origin is None:
        return scope

    host = origin.partition("://")[2].encode("latin-1")
    headers = [
        (name, host if name == b"host" else value) for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


def content_security_policy() -> str:
    """Return a Content-Security-Policy that forbids pages to load from other servers.

    In Streamlit 1.67, inline components need `blob:` and styles need `unsafe-inline`.
    """
    index = Path(st.__file__).parent / "static" / "index.html"
    scripts = _INLINE_SCRIPT.findall(index.read_text("utf-8"))
    hashes = " ".join(_hash_source(script) for script in scripts)
    directives = (
        "default-src 'self'",
        f"script-src 'self' {hashes} blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "object-src 'none'",
    )
    return "; ".join(directives)


def _hash_source(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


class SecurityHeaders:
    """ASGI middleware that adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Cross-Origin-Opener-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class SignInCookies:
    """ASGI middleware that corrects the return from a sign-in and its cookies.

    Streamlit 1.67 always returns to the first page, and sets its cookies without
    `Secure`. When a sign-in begins, this class stores the page (the Referer) in a
    cookie, and returns to it later. After a failed sign-in, the address of that page
    also contains SIGN_IN_FAILED. Over https, all cookies become `Secure`.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._first = first_path(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Correct the cookies and the location of the answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_cookies(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._correct(scope, message)
            await send(message)

        await self._app(scope, receive, send_with_cookies)

    def _correct(self, scope: Scope, start: Message) -> None:
        name = scope["path"].removeprefix(self._first)
        if name == _LOGIN:
            self._begin_sign_in(scope, start)
        elif name == _CALLBACK:
            self._end_sign_in(scope, start)

        # The browser may have used https even if a proxy in front of us decrypted the
        # request.
        headers = Headers(scope=scope)
        forwarded = headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
        if "https" in {scope.get("scheme"), forwarded}:
            start["headers"] = [_secured(header) for header in start["headers"]]

    def _begin_sign_in(self, scope: Scope, start: Message) -> None:
        headers = MutableHeaders(scope=start)
        page = self._page(scope)
        headers.append("set-cookie", self._return_cookie(page))
        if start["status"] >= HTTPStatus.BAD_REQUEST:  # the provider is out of reach
            start["status"] = HTTPStatus.FOUND
            self._return_failed(headers, page or self._first)

    def _end_sign_in(self, scope: Scope, start: Message) -> None:
        headers = MutableHeaders(scope=start)
        return_to = self._return_to(scope) or self._first
        if _has_signed_in(headers.getlist("set-cookie")):
            headers["location"] = return_to
        else:
            self._return_failed(headers, return_to)
        headers.append("set-cookie", self._return_cookie(""))

    def _return_failed(self, headers: MutableHeaders, page: str) -> None:
        log_access(Event.SIGN_IN_REFUSED, None)
        sign = "&" if "?" in page else "?"
        headers["location"] = f"{page}{sign}{'='.join(SIGN_IN_FAILED)}"

    def _page(self, scope: Scope) -> str:
        """Return the page on which this sign-in begins, if it is a page of ours."""
        headers = Headers(scope=scope)
        try:
            page = urlsplit(headers.get("referer", ""))
        except ValueError:
            return ""
        if page.netloc != headers.get("host") or not self._is_page(page.path):
            return ""

        ignored = {"", "=".join(SIGN_IN_FAILED)}
        params = [param for param in page.query.split("&") if param not in ignored]
        return f"{page.path}?{'&'.join(params)}" if params else page.path

    def _return_to(self, scope: Scope) -> str:
        """Return the page in the cookie, or nothing if it is missing or forged."""
        cookies = cookie_parser("; ".join(Headers(scope=scope).getlist("cookie")))
        page = cookies.get(RETURN_COOKIE, "")
        is_plain = page.isascii() and page.isprintable() and "\\" not in page
        is_ours = is_plain and self._is_page(page.partition("?")[0])
        return page if is_ours else ""

    def _is_page(self, path: str) -> bool:
        if not path.startswith(self._first):
            return False
        return "/" not in path.removeprefix(self._first)

    def _return_cookie(self, page: str) -> str:
        """Return a cookie that keeps the page, or that ends if there is no page."""
        value = quote(page, safe=_AS_THEY_ARE)
        lasts_s = _RETURN_LASTS_S if page else 0
        return (
            f"{RETURN_COOKIE}={value}; Path={self._first}; Max-Age={lasts_s}; "
            "HttpOnly; SameSite=Lax"
        )


def _has_signed_in(cookies: Iterable[str]) -> bool:
    return any(
        cookie.startswith(_SIGNED_IN) and "max-age=0" not in cookie.lower()
        for cookie in cookies
    )


def _secured(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, value = header
    if name == b"set-cookie" and b"; secure" not in value.lower():
        return name, value + b"; Secure"
    return header
