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

import httpcore
import httpx

from item_visibility.api.http.sockets import Deadline, Sockets

KEEPALIVE_S = 4.0
"""Shorter than the 5 s of common servers, so that no request meets a connection that is being closed."""


class Connection(httpx.BaseTransport):
    """A transport for one connection."""

    def cut(self) -> None:
        """End what is under way on it now, for whoever uses it to close it. Any thread may call this."""


class Connections(httpx.BaseTransport):
    """Up to `most` connections; a call that finds none free waits for the time of its `pool` time-out.

    The connection that was used last is used next, and one that was not used for a while is closed.
    Thread-safe. `open_one` makes a transport for one connection.
    """

    def __init__(
        self,
        most: int,
        open_one: Callable[[], Connection],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_one = open_one
        self._clock = clock
        self._room = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._free: deque[tuple[float, Connection]] = deque()
        self._in_use: set[Connection] = set()
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
        """Close all connections; what is under way on one ends now, and fails."""
        with self._lock:
            self._is_closed = True
            free = [one for _, one in self._free]
            self._free.clear()
            for one in self._in_use:
                one.cut()
        for one in free:
            one.close()

    def _take(self) -> Connection:
        with self._lock:
            one = self._free.pop()[1] if self._free else self._open_one()
            self._in_use.add(one)
            if self._is_closed:
                one.cut()
            return one

    def _give_back(self, one: Connection) -> None:
        useless = None
        now_s = self._clock()
        with self._lock:
            self._in_use.discard(one)
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


def open_connections(most: int, *, clock: Callable[[], float] = time.monotonic) -> httpx.BaseTransport:
    """The network, over so many connections at most; it opens none before the first request.

    A request's extension `ends_at_s` says when, by the clock, its answer must have been read.
    """
    return Connections(most, partial(_OneConnection, clock), clock=clock)


class _OneConnection(httpx.HTTPTransport, Connection):
    """httpx's transport, on sockets that keep to the deadline of the exchange."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(verify=_tls_context(), trust_env=False)
        self._deadline = Deadline(clock)
        self._pool = httpcore.ConnectionPool(  # httpx 0.28 takes no sockets of others
            ssl_context=_tls_context(),
            max_connections=1,
            max_keepalive_connections=1,
            keepalive_expiry=KEEPALIVE_S,
            network_backend=Sockets(self._deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer; its body is still to be read, by the same deadline."""
        self._deadline.begin(request.extensions["ends_at_s"])
        return super().handle_request(request)

    def cut(self) -> None:
        self._deadline.cut()


@cache
def _tls_context() -> ssl.SSLContext:
    """The certificates that are trusted: read once for all clients, as it takes 30 ms."""
    return httpx.create_ssl_context(trust_env=False)
