"""The network below `httpx.Client`: connections, deadlines and limits.

`Network` replaces the transport of httpx for two reasons. httpx has no timeout for a
whole exchange, so a service that sends one byte a second can hold a call for ever. The
connection pool of httpx has one lock for all calls, which is slow with many threads.

This is the only module that uses httpcore. Each `Connection` is an httpcore pool with a
single connection, whose `Backend` limits every wait to the deadline of the exchange.
"""

import ssl
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from pathlib import Path
from threading import Semaphore

import httpcore
import httpx

from item_visibility import timeouts
from item_visibility.client.addresses import Route, is_loopback

MAX_CONNECTIONS = 32
MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""Longer lists are not read. 100,000 GS1 numbers have less than 2 MiB. Note N12."""

MAX_ERROR_BYTES = 64 * 1024

_NEEDED_HEADERS = (b"content-type", b"date", b"retry-after")
_CHUNK_BYTES = 4_096
"""The size of the chunks of a request. The deadline is checked before each chunk."""

_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
)


class Network(httpx.BaseTransport):
    """Opens at most `limit` connections. Thread-safe.

    Each connection is used for one request at a time. A call waits while all of them
    are in use. The connection that became idle last is used first.
    """

    def __init__(self, route: Route, limit: int, clock: Callable[[], float]) -> None:
        self.route = route
        self.clock = clock
        self.is_closed = False
        self._room = Semaphore(limit)
        self._idle: defaultdict[str, list[Connection]] = defaultdict(list)
        """The idle connections through each proxy. Append and pop are atomic."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return its answer. Fails after WHOLE_ANSWER_S."""
        proxy = "" if is_loopback(request.url.host) else self.route.proxy
        idle = self._idle[proxy]
        with self._room:
            try:
                connection = idle.pop()
            except IndexError:
                connection = Connection(self, proxy)
            try:
                return connection.exchange(request)
            finally:
                idle.append(connection)
                if self.is_closed:
                    self.close()

    def close(self) -> None:
        """Close the idle connections now, and the others when their exchanges end."""
        self.is_closed = True
        for idle in tuple(self._idle.values()):
            with suppress(IndexError):  # another thread took the last connection
                while idle:
                    idle.pop().close()


class Connection:
    """One connection to the service or to the proxy, which stays open while idle."""

    def __init__(self, network: Network, proxy: str) -> None:
        self._has_proxy = bool(proxy)
        self._backend = Backend(network)
        core_proxy = None
        if proxy:
            parts = httpx.Proxy(proxy)  # splits off the user name and password
            core_proxy = httpcore.Proxy(str(parts.url), auth=parts.raw_auth)
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls_context(network.route.ca_file),
            proxy=core_proxy,
            max_connections=1,
            keepalive_expiry=timeouts.KEEP_CONNECTION_S,
            network_backend=self._backend,
        )

    def exchange(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return its answer.

        The deadline does not apply to the DNS lookup.
        """
        self._backend.begin()
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        try:
            with self._pool.stream(
                request.method,
                url,
                headers=request.headers.raw,
                content=request.read(),
                extensions={"timeout": request.extensions["timeout"]},
            ) as answer:
                return read_within_limits(answer)
        except _ERRORS as error:
            # httpx gives its errors the same names.
            kind = getattr(httpx, type(error).__name__)
            # With a proxy, only the proxy is connected directly.
            is_tls = isinstance(error.__context__, ssl.SSLError)
            if self._has_proxy and kind is httpx.ConnectError and not is_tls:
                kind = httpx.ProxyError
            raise kind(str(error)) from error.__context__

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()


class Backend(httpcore.SyncBackend):
    """The network backend of one connection, which limits waits to the deadline."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._ends_at_s = 0.0

    def begin(self) -> None:
        """Begin an exchange, which may take WHOLE_ANSWER_S."""
        self._ends_at_s = self._network.clock() + timeouts.WHOLE_ANSWER_S

    def left_s(self, wait_s: float | None, too_late: type[Exception]) -> float:
        """Limit a wait to the time that is left.

        Raise `too_late` after the deadline or after `close`.
        """
        left_s = self._ends_at_s - self._network.clock()
        if left_s <= 0 or self._network.is_closed:
            raise too_late("the exchange took longer than allowed")
        return left_s if wait_s is None else min(wait_s, left_s)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host that accepts a connection."""
        wait_s = self.left_s(timeout, httpcore.ConnectTimeout)
        stream = super().connect_tcp(host, port, wait_s, local_address, socket_options)
        return Stream(stream, self)


class Stream(httpcore.NetworkStream):
    """A stream that limits every wait to the deadline of its backend."""

    def __init__(self, system: httpcore.NetworkStream, backend: Backend) -> None:
        self._system = system
        self._backend = backend
        # These two methods are the system's.
        self.close = system.close  # type: ignore[method-assign]
        self.get_extra_info = system.get_extra_info  # type: ignore[method-assign]

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the next bytes."""
        wait_s = self._backend.left_s(timeout, httpcore.ReadTimeout)
        return self._system.read(max_bytes, wait_s)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all bytes before the deadline."""
        for start in range(0, len(buffer), _CHUNK_BYTES):
            wait_s = self._backend.left_s(timeout, httpcore.WriteTimeout)
            self._system.write(buffer[start : start + _CHUNK_BYTES], wait_s)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Start TLS and return the encrypted stream."""
        wait_s = self._backend.left_s(timeout, httpcore.ConnectTimeout)
        stream = self._system.start_tls(ssl_context, server_hostname, wait_s)
        return Stream(stream, self._backend)


@cache
def _tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return a context that trusts this file's certificates, httpx's and the system's.

    The system's are those in `SSL_CERT_FILE`, if this variable is set. The result is
    cached, because reading the certificates takes 30 ms.
    """
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def read_within_limits(answer: httpcore.Response) -> httpx.Response:
    """Read the answer.

    The extension `is_cut` is True when a part of the body was not read. Only headers
    that we need are kept, so httpx sees no cookie, redirect or compression. If a 204
    announces a body, the body is not read and the connection is closed, because the
    body could be taken for the answer to the next request.
    """
    headers = {name.lower(): value for name, value in answer.headers}
    length = headers.get(b"content-length", b"0")
    announces_body = length != b"0" or b"transfer-encoding" in headers
    body = b""
    is_cut = False
    if answer.status == HTTPStatus.NO_CONTENT and announces_body:
        pass
    elif headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        is_cut = True
    else:
        limit = MAX_ANSWER_BYTES if answer.status == HTTPStatus.OK else MAX_ERROR_BYTES
        body, is_cut = _read_body(answer.iter_stream(), limit)

    needed = [(name, headers[name]) for name in _NEEDED_HEADERS if name in headers]
    return httpx.Response(
        answer.status, headers=needed, content=body, extensions={"is_cut": is_cut}
    )


def _read_body(chunks: Iterable[bytes], limit: int) -> tuple[bytes, bool]:
    """Return the body, cut at the limit, and whether it was cut."""
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False
