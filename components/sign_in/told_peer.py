"""Notes which connection brought an authenticating proxy's headers about who asks, and when.

Streamlit's own `server.trustedUserHeaders` believes those headers from everybody. Here the address at the
other end of the connection goes with them, under names that no request can bring along.
"""

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from item_visibility.people.true_peer import BELIEVED, true_peers

_PEERS = "x-item-visibility-peers"
_ASKED_AT = "x-item-visibility-asked-at"
_OURS = frozenset({_PEERS.encode(), _ASKED_AT.encode()})


class TellPeer:
    """ASGI middleware that adds to each request who is at the other end, and the time."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve as ASGI does, with the two headers of ours and without those that came by these names."""
        if scope["type"] in {"http", "websocket"}:
            sent = [(name, value) for name, value in scope["headers"] if name not in _OURS]
            said = ((_PEERS, " ".join(_peers(scope))), (_ASKED_AT, str(int(time.time()))))
            ours = [(name.encode(), value.encode()) for name, value in said]
            scope = {**scope, "headers": sent + ours}
        await self._app(scope, receive, send)


def peers_of(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the addresses of which one opened this window's connection."""
    return tuple(_lower(headers).get(_PEERS, "").split())


def asked_at(headers: Mapping[str, str]) -> datetime:
    """Return when this window's connection was opened; long ago where it cannot be known."""
    return datetime.fromtimestamp(int(_lower(headers).get(_ASKED_AT, "0")), UTC)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _peers(scope: Scope) -> tuple[str, ...]:
    client, port = scope.get("client") or ("", 0)
    forwarded_for = ", ".join(Headers(scope=scope).getlist("x-forwarded-for"))
    believed = os.environ.get("FORWARDED_ALLOW_IPS", BELIEVED)
    return true_peers(client, port, forwarded_for=forwarded_for, believed=believed)
