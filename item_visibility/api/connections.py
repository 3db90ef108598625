"""The network: so many connections at most, each used by one call at a time.

httpx keeps all connections in one pool and looks through it for every call, so that many calls at
once wait for each other. Here each connection is a pool of its own, taken from a stack and put back.
"""

import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial

import httpx

KEEPALIVE_S = 4.0
"""Shorter than the 5 s of common servers, so that no request meets a connection that is being closed."""

_ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=KEEPALIVE_S)


class Connections(httpx.BaseTransport):
    """Up to `most` connections; a call that finds none free waits for the time of its `pool` time-out.

    The connection that was used last is used next, and one that was not used for a while is closed.
    Thread-safe. `open_one` makes a transport for one connection.
    """

    def __init__(
        self,
        most: int,
        open_one: Callable[[], httpx.BaseTransport],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_one = open_one
        self._clock = clock
        self._room = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._free: deque[tuple[float, httpx.BaseTransport]] = deque()
        self._is_closed = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer; its body is still to be read. Its connection is in use until it is closed."""
        if not self._room.acquire(timeout=request.extensions["timeout"]["pool"]):
            raise httpx.PoolTimeout("all connections are in use")
        try:
            one = self._take()
        except BaseException:
            self._room.release()
            raise
        try:
            response = one.handle_request(request)
        except BaseException:
            self._give_back(one)
            raise
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101  (a sync transport gives no other)
        response.stream = _Body(response.stream, partial(self._give_back, one))
        return response

    def close(self) -> None:
        """Close all connections; those in use as soon as they are not."""
        with self._lock:
            self._is_closed = True
            free = [one for _, one in self._free]
            self._free.clear()
        for one in free:
            one.close()

    def _take(self) -> httpx.BaseTransport:
        with self._lock:
            if self._free:
                return self._free.pop()[1]
        return self._open_one()

    def _give_back(self, one: httpx.BaseTransport) -> None:
        useless = None
        now_s = self._clock()
        with self._lock:
            if self._is_closed:
                useless = one
            else:
                self._free.append((now_s, one))
                if now_s - self._free[0][0] > KEEPALIVE_S:
                    useless = self._free.popleft()[1]
        if useless is not None:
            useless.close()
        self._room.release()


class _Body(httpx.SyncByteStream):
    """The body of an answer, which gives its connection back when it is closed."""

    def __init__(self, inner: httpx.SyncByteStream, give_back: Callable[[], None]) -> None:
        self._inner = inner
        self._give_back = give_back

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            self._give_back()


def open_connections(most: int) -> httpx.BaseTransport:
    """The network, over so many connections at most; it opens none before the first request."""
    return Connections(most, _open_one)


def _open_one() -> httpx.BaseTransport:
    return httpx.HTTPTransport(verify=_tls_context(), limits=_ONE, trust_env=False)


@cache
def _tls_context() -> ssl.SSLContext:
    """The certificates that are trusted: read once for all clients, as it takes 30 ms."""
    return httpx.create_ssl_context(trust_env=False)
