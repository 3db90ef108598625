"""The service's log of exchanges: method, status, how long it took, and the id that the request carried."""

import logging
import time
from collections.abc import Awaitable
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from item_visibility_service.http.exchange_counts import ExchangeCounts

logger = logging.getLogger(__name__)

_METHODS = frozenset({"GET", "PUT", "DELETE", "POST"})
_REQUEST_ID = b"x-request-id"
_LONGEST_ID = 64


class ExchangeLog:
    """ASGI middleware that counts each exchange, and tells each change and each fault.

    Paths hold ids, so none is told.
    """

    def __init__(self, app: ASGIApp, counts: ExchangeCounts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI does."""
        started_s = time.perf_counter()

        def send_and_tell(message: Message) -> Awaitable[None]:  # not async: it waits for nothing itself
            if message["type"] == "http.response.start":
                method, status = scope["method"], message["status"]
                took_s = time.perf_counter() - started_s
                self._counts.count(method if method in _METHODS else "other", status, took_s)
                level = _level(method, status)
                if logger.isEnabledFor(level):
                    facts = {"request_id": _request_id(scope), "took_ms": round(took_s * 1000)}
                    logger.log(level, "%s: %d", method, status, extra=facts)
            return send(message)

        await self._app(scope, receive, send_and_tell)


def _level(method: str, status: int) -> int:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return logging.WARNING
    return logging.DEBUG if method == "GET" else logging.INFO


def _request_id(scope: Scope) -> str:
    """Return the first id that the request carries, cut; empty when it carries none."""
    sent = (value for name, value in scope["headers"] if name == _REQUEST_ID)
    return next(sent, b"")[:_LONGEST_ID].decode("latin-1")
