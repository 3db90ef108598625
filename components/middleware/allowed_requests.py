"""Which requests reach Streamlit: those from our own windows, for an allowed host, from allowed machines.

Streamlit 1.67 accepts every program on this machine. To decide about any other Origin it asks the internet
for the machine's public address, in the loop that serves everybody. So everything but our own windows is
refused before Streamlit sees it.
"""

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from components.middleware.base_path import first_path, probe_paths, refusal
from item_visibility.client.addresses import STANDARD_PORTS

OWN_NAMES = ("localhost", "127.0.0.1", "::1")

_AUTHORITY = r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^\s\[\]/?#@:\\]+))(?::(?P<port>[0-9]{1,5}))?"
_HOST = re.compile(_AUTHORITY, re.IGNORECASE)
_ORIGIN = re.compile(rf"(?P<scheme>https?)://(?P<host>{_AUTHORITY})", re.IGNORECASE)
_UNKNOWN_NAME = (
    "This dashboard does not serve the host name in this address. Nothing was read or changed.\n"
    "Open it at the address that you were given. Its operator can add this name:"
    " item-visibility dashboard --allowed-host NAME, or server.allowedHosts.\n"
)
_FOREIGN = (
    "This request came from a page outside the dashboard. Nothing was read or changed.\n"
    "Open the dashboard itself. A proxy in front of it must pass on the Host header unchanged.\n"
)
_OTHER_MACHINE = (
    "Without a sign-in, this dashboard serves its own machine only. Nothing was read or changed.\n"
    "Its operator can open it to everyone who can reach it: see ITEM_VISIBILITY_OPEN in README.md.\n"
)
_UPLOADS = "_stcore/upload_file/"
_OTHER_WINDOW = (
    "This file is for a window that another process serves. It was not accepted.\n"
    "The proxy must ask the next process, or keep a browser at one: deploy/README.md.\n"
)

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Address:
    """A host name without the brackets of IPv6, and a port; None for the standard port of its scheme."""

    name: str
    port: int | None

    def is_at(self, other: "_Address", *, standard_port: int) -> bool:
        """True when both are the same origin, given the standard port of the scheme."""
        return (self.name, self.port or standard_port) == (other.name, other.port or standard_port)


class AllowedRequests:
    """ASGI middleware that refuses all other requests.

    - Another machine, unless `is_open` says that others are served: people sign in, or everyone may write.
      The address is the one that the server gives: the peer, or the one that a proxy on this machine names.
    - A Host that is not allowed. `allowed_hosts` are those of `server.allowedHosts`: names without a port,
      `*.example.com` for all below one, `*` for any; an empty list means this machine's own names. Headers
      that a proxy adds, such as X-Forwarded-Host, are ignored, because anybody could send them.
    - An Origin that is not the Host's. A browser names the Origin of every web socket and of everything that
      another page sends. A request without one comes from a program or a link: a program could name any.
    - A file for a window of another process. Streamlit 1.67 answers 400, and the window says "AxiosError".
      With 404 a proxy can ask the next process, and the nginx of `deploy/` does.

    Probes come from any machine and by any name.
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
        self._allowed = [_bare(one.strip("[] ")) for one in allowed_hosts] or list(OWN_NAMES)
        self._probes = probe_paths(base_path)
        self._uploads = first_path(base_path) + _UPLOADS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve allowed requests as ASGI does, and refuse others."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
        elif refused := self._refused(scope):
            await refusal(scope, *refused)(scope, receive, send)
        else:
            await self._app(_as_browser_says(scope), receive, send)

    def _refused(self, scope: Scope) -> tuple[HTTPStatus, str] | None:
        """Return why the request is refused; None for one that is allowed."""
        is_probe = scope["path"] in self._probes
        if not (is_probe or is_here(scope) or self._is_open()):
            return HTTPStatus.FORBIDDEN, _OTHER_MACHINE
        headers = Headers(scope=scope)
        host = _read_host(headers.getlist("host"))
        if host is None or not (is_probe or self._answers_to(host.name)):
            return HTTPStatus.BAD_REQUEST, _UNKNOWN_NAME
        origins = headers.getlist("origin")
        if origins and not _is_own(origins, host, is_encrypted=scope["scheme"] in {"https", "wss"}):
            return HTTPStatus.FORBIDDEN, _FOREIGN
        if self._is_for_other_window(scope):
            _LOG.info("A file arrived for a window that another process serves.")
            return HTTPStatus.NOT_FOUND, _OTHER_WINDOW
        return None

    def _answers_to(self, name: str) -> bool:
        return any(
            one in {"*", name} or (one.startswith("*.") and name.endswith(one[1:])) for one in self._allowed
        )

    def _is_for_other_window(self, scope: Scope) -> bool:
        if scope["type"] != "http" or not scope["path"].startswith(self._uploads):
            return False
        window = scope["path"].removeprefix(self._uploads).partition("/")[0]
        return scope["method"] in {"PUT", "DELETE"} and not runtime.get_instance().is_active_session(window)


def is_here(scope: Scope) -> bool:
    """True for a peer on this machine, and for a Unix socket, which has no address."""
    if scope.get("client") is None:
        return True
    try:
        address = ip_address(scope["client"][0])
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


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


def _as_browser_says(scope: Scope) -> Scope:
    """Return the request with the Host spelled as in the Origin: Streamlit compares them as texts."""
    origin = Headers(scope=scope).get("origin")
    if origin is None:
        return scope
    host = origin.partition("://")[2].encode("latin-1")
    return {
        **scope,
        "headers": [(name, host if name == b"host" else value) for name, value in scope["headers"]],
    }
