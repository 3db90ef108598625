"""The first door: without a sign-in, only this machine is served, wherever the server listens.

Everybody who reaches the dashboard can write, so whoever lets others reach it says so in the settings.
"""

from collections.abc import Callable
from http import HTTPStatus
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from components.shell.door import probe_paths, refusal

_REFUSAL = (
    "Nobody signs in here, so this dashboard serves its own machine only. Nothing was read or changed.\n"
    "Whoever runs it can serve everyone who reaches it: README.md, ITEM_VISIBILITY_OPEN.\n"
)


class OwnMachineOnly:
    """ASGI middleware that refuses other machines unless `is_open` says that everyone may write.

    The address is the one that the server gives: the peer, or the one that a proxy on this machine names.
    Probes come from anywhere.
    """

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool], base_path: str = "") -> None:
        self._app = app
        self._is_open = is_open
        self._probes = probe_paths(base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve this machine, or everyone, as ASGI does, and refuse others."""
        is_knock = scope["type"] in {"http", "websocket"} and scope["path"] not in self._probes
        if not is_knock or is_here(scope) or self._is_open():
            await self._app(scope, receive, send)
        else:
            await refusal(scope, HTTPStatus.FORBIDDEN, _REFUSAL)(scope, receive, send)


def is_here(scope: Scope) -> bool:
    """True for a peer on this machine, and for a Unix socket, which has no address."""
    if scope.get("client") is None:
        return True
    try:
        address = ip_address(scope["client"][0])
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
