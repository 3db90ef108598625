"""Limits of the server: the size of request headers, and the number of open files.

uvicorn and websockets accept fewer bytes than a sign-in with many roles needs.
Streamlit 1.67 does not set their limits, so this module changes the defaults that both
read for each new connection.
"""

import logging
import math
import sys
from contextlib import suppress
from html import escape
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from uvicorn.protocols.http import h11_impl
from websockets import http11

from components.middleware import first_path

if sys.platform != "win32":
    import resource

_KB: Final = 1024
_FROM_BROWSER_BYTES: Final = 32 * _KB
_ADDED_BY_PROXY_BYTES: Final = 512
_ADDED_BY_PAGE_BYTES: Final = 8 * _KB
"""What an open page adds to its requests.

A Referer of up to 4 KB, an Origin, and the headers of a web socket.
"""

MAX_PAGE_BYTES: Final = _FROM_BROWSER_BYTES + _ADDED_BY_PROXY_BYTES
"""The largest headers with which a page is opened."""

MAX_OTHER_BYTES: Final = MAX_PAGE_BYTES + _ADDED_BY_PAGE_BYTES
"""The largest headers of everything that an open page loads.

Also the limit of its web socket.
"""

_READ_BYTES: Final = _KB * _KB
"""How much is read before uvicorn gives up.

It is more than all cookies that a browser stores for one host.
"""

MAX_OPEN_FILES: Final = 10_240
"""Enough for 2,500 windows, which need four each.

The units in `deploy/` have the same number.
"""

_LONGEST_NAME: Final = 40
_LOG = logging.getLogger(__name__)
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Too many cookies</title>
<body style="font-family: sans-serif; max-width: 40em; margin: 4em auto; \
padding: 0 1em">
<h1>Too many cookies</h1>
<p>Your browser sent {sent} KB of headers, which are mostly cookies, but the dashboard
accepts only {accepted} KB: delete the cookies of {host}, then open this page again.</p>
<p>Nothing was read or changed. If this page returns after you have signed in, show it
to the operator of the dashboard: your account may have too many roles.</p>
</html>
"""


def accept_long_headers() -> None:
    """Let uvicorn and websockets read all headers that `HeaderLimit` must answer.

    - uvicorn 0.54 answers 400 if the headers exceed 16 KB and do not arrive at once.
    - websockets 17.4 refuses a line of more than 8 KB and more than 128 headers.
      uvicorn never sends this refusal, so the page waits forever. Its environment
      variables come too late: `streamlit run` imports websockets before `app.py`.

    uvicorn reads up to 256 KB at once, so slightly more than its limit can reach
    websockets.
    """
    h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = _READ_BYTES  # type: ignore[attr-defined]
    http11.MAX_LINE_LENGTH = 2 * _READ_BYTES
    http11.MAX_NUM_HEADERS = 2 * _READ_BYTES


def allow_many_windows() -> None:
    """Raise this process's soft limit of open files as far as needed and allowed.

    A window needs four.
    """
    if sys.platform == "win32":  # pragma: no cover
        return

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return

    # The system can allow less than the hard limit.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class HeaderLimit:
    """ASGI middleware that answers 431 to requests with too large headers.

    The answer is a page that says what to do.

    A page has a lower limit than what it loads, so an opened page never fails to load a
    part of itself.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app = app
        self._first = first_path(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return

        sizes = [
            (len(name) + len(value) + len(": \r\n"), name)
            for name, value in scope["headers"]
        ]
        sent = sum(size for size, _ in sizes)
        limit = MAX_PAGE_BYTES if self._is_page(scope) else MAX_OTHER_BYTES
        if sent <= limit:
            await self._app(scope, receive, send)
            return

        largest_size, largest = max(sizes)
        _LOG.warning(
            "Refused a request with %d bytes of headers, more than %d; the largest, "
            "%s, has %d. Delete the browser's cookies of this host, give the person "
            "fewer roles, or let the proxy send less.",
            sent,
            limit,
            largest.decode("latin-1")[:_LONGEST_NAME],
            largest_size,
        )
        if scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            await _explain(sent, scope)(scope, receive, send)

    def _is_page(self, scope: Scope) -> bool:
        """Return True for paths like `/bulk`.

        The web socket and all files have paths like `/static/x`.
        """
        return "/" not in scope["path"].removeprefix(self._first).lstrip("/")


def _explain(sent: int, scope: Scope) -> HTMLResponse:
    host = Headers(scope=scope).get("host", "this site")
    sent_kb = math.ceil(sent / _KB)
    page = _PAGE.format(
        sent=sent_kb, accepted=_FROM_BROWSER_BYTES // _KB, host=escape(host)
    )
    return HTMLResponse(
        page,
        status_code=HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        headers={"Cache-Control": "no-store"},
    )
