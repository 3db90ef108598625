"""The service's log of exchanges: method, status, how long it took, and the id that the request carried."""

import logging
import time
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

_REQUEST_ID = b"x-request-id"
_LONGEST_ID = 64


class ExchangeLog:
    """ASGI middleware that tells each change and each fault. Paths hold ids, so none is told."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI does."""
        started_s = time.perf_counter()

        async def send_and_tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                level = _level(scope["method"], message["status"])
                if logger.isEnabledFor(level):
                    took_ms = round((time.perf_counter() - started_s) * 1000)
                    facts = {"request_id": _request_id(scope), "took_ms": took_ms}
                    logger.log(level, "%s: %d", scope["method"], message["status"], extra=facts)
            await send(message)

        await self._app(scope, receive, send_and_tell)


def _level(method: str, status: int) -> int:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return logging.WARNING
    return logging.DEBUG if method == "GET" else logging.INFO


def _request_id(scope: Scope) -> str:
    """Return the first id that the request carries, cut; empty when it carries none."""
    sent = (value for name, value in scope["headers"] if name == _REQUEST_ID)
    return next(sent, b"")[:_LONGEST_ID].decode("latin-1")
