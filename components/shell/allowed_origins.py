"""The gate in front of Streamlit: it admits only windows of this dashboard, at allowed addresses.

Streamlit 1.67 lets in every program on this machine. It decides about any other Origin by asking the internet
for the machine's public address, in the loop that serves everybody. So everything but our own windows is
refused before Streamlit sees it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from components.shell.door import probe_paths, refusal
from item_visibility.api.address_checks import STANDARD_PORTS

OWN_NAMES = ("localhost", "127.0.0.1", "::1")

_AUTHORITY = r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^\s\[\]/?#@:\\]+))(?::(?P<port>[0-9]{1,5}))?"
_HOST = re.compile(_AUTHORITY, re.IGNORECASE)
_ORIGIN = re.compile(rf"(?P<scheme>https?)://(?P<host>{_AUTHORITY})", re.IGNORECASE)
_UNKNOWN_NAME = (
    "This dashboard does not answer to the name in this address. Nothing was read or changed.\n"
    "Open it by the name that you were given. Whoever runs it can add this one:"
    " item-visibility dashboard --allowed-host NAME, or server.allowedHosts.\n"
)
_FOREIGN = (
    "This came from a page that is not the dashboard's. Nothing was read or changed.\n"
    "Open the dashboard itself. Behind a proxy, the proxy must pass the Host header on as it came.\n"
)


@dataclass(frozen=True, slots=True)
class _Address:
    """A host name without the brackets of IPv6, and a port; None for the standard port of its scheme."""

    name: str
    port: int | None

    def is_at(self, other: "_Address", *, standard_port: int) -> bool:
        """True when both are the same origin, given the standard port of the scheme."""
        return (self.name, self.port or standard_port) == (other.name, other.port or standard_port)


class OwnWindowsOnly:
    """ASGI middleware that refuses a Host not allowed, and an Origin that is not the Host's.

    `allowed_hosts` are those of `server.allowedHosts`: names without a port, `*.example.com` for all below
    one, `*` for any. An empty list means this machine's own names. The Host is the one the browser asked for.
    Headers a proxy adds, such as X-Forwarded-Host, count for nothing, because anybody could send them. A
    browser names the Origin of every web socket and of all that another page sends. Only programs and links
    come without one. They are let in, as a program could name any. Probes come by any name.
    """

    def __init__(self, app: ASGIApp, allowed_hosts: Iterable[str], base_path: str = "") -> None:
        self._app = app
        self._allowed = [_bare(one.strip("[] ")) for one in allowed_hosts] or list(OWN_NAMES)
        self._probes = probe_paths(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve requests from our own windows as ASGI does, and refuse others."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = _read_host(headers.getlist("host"))
        if host is None or not (self._answers_to(host.name) or scope["path"] in self._probes):
            await refusal(scope, HTTPStatus.BAD_REQUEST, _UNKNOWN_NAME)(scope, receive, send)
        elif not (origins := headers.getlist("origin")):
            await self._app(scope, receive, send)
        elif not _is_own(origins, host, is_encrypted=scope["scheme"] in {"https", "wss"}):
            await refusal(scope, HTTPStatus.FORBIDDEN, _FOREIGN)(scope, receive, send)
        else:
            await self._app(_as_browser_says(scope, origins[0]), receive, send)

    def _answers_to(self, name: str) -> bool:
        return any(
            one in {"*", name} or (one.startswith("*.") and name.endswith(one[1:])) for one in self._allowed
        )


def _read_host(values: list[str]) -> _Address | None:
    """Return the one Host of a request; None when it is missing, repeated or unreadable."""
    found = _HOST.fullmatch(values[0]) if len(values) == 1 else None
    return None if found is None else _address(found)


def _is_own(origins: list[str], host: _Address, *, is_encrypted: bool) -> bool:
    """True when the one Origin leads to the Host. Behind a proxy, encrypted requests arrive in the clear."""
    found = _ORIGIN.fullmatch(origins[0]) if len(origins) == 1 else None
    if found is None:
        return False
    scheme = found["scheme"].lower()
    if is_encrypted and scheme != "https":
        return False
    return _address(found).is_at(host, standard_port=STANDARD_PORTS[scheme])


def _address(found: re.Match[str]) -> _Address:
    return _Address(_bare(found["v6"] or found["name"]), int(found["port"]) if found["port"] else None)


def _bare(name: str) -> str:
    return name.lower().rstrip(".")


def _as_browser_says(scope: Scope, origin: str) -> Scope:
    """Return the request with the Host spelled as in the Origin: Streamlit compares them as texts."""
    host = origin.partition("://")[2].encode("latin-1")
    return {
        **scope,
        "headers": [(name, host if name == b"host" else value) for name, value in scope["headers"]],
    }
