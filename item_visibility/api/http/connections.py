"""The network: a limited number of connections, each used by one call at a time.

httpx keeps all connections in one pool and searches it for every call, so many simultaneous calls
wait for each other. Here each connection has its own pool. A call takes one from a stack and returns it.
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
        """Abort the exchange in progress; its caller then closes the connection. Any thread may call this."""


class Connections(httpx.BaseTransport):
    """Up to `most` connections. A call that finds none free waits up to its `pool` timeout.

    The most recently used connection is used next, and one that stays idle for a while is closed.
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
        """Return the answer, with its body unread. The connection is in use until the answer is closed."""
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
        """Close all connections. An exchange in progress ends now, and fails."""
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
    """The body of an answer. Closing it returns its connection."""

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
    """Return the network with at most this many connections; none is opened before the first request.

    A request's extension `ends_at_s` is the clock time by which its answer must have been read.
    """
    return Connections(most, partial(_OneConnection, clock), clock=clock)


class _OneConnection(httpx.HTTPTransport, Connection):
    """httpx's transport, on sockets that keep the deadline of the exchange."""

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
        """Return the answer, with its body unread. The same deadline holds for the body."""
        self._deadline.begin(request.extensions["ends_at_s"])
        return super().handle_request(request)

    def cut(self) -> None:
        self._deadline.cut()


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the trusted certificates, read once for all clients because that takes 30 ms."""
    return httpx.create_ssl_context(trust_env=False)
