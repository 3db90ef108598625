"""HTTP: the only module that knows httpx and httpcore. It uses their public interfaces only.

`Http` sends requests through one `httpx.Client`, `BearerAuth` adds the access token, and `Network` is the
client's transport. httpx's own transport has no deadline for a whole exchange: its timeouts count for one
piece, so a service that sends a byte a second holds a call for ever. And its pool is searched under one lock
for each call, which is slow with many threads.
"""

import logging
import math
import random
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import httpcore
import httpx

from item_visibility import timeouts
from item_visibility.client.addresses import STRAIGHT, Route, is_loopback
from item_visibility.client.answers import (
    BAD_CERTIFICATE,
    BROKEN,
    NO_CONNECTION,
    NO_WAY_THROUGH,
    NONE_FREE,
    NOT_TRUSTED,
    TOO_LATE,
    Answer,
    Failure,
    NoAnswer,
)
from item_visibility.client.operations import Request
from item_visibility.client.secrets import SecretBytes, without_token
from item_visibility.client.token import TokenSource
from item_visibility.errors import IdentifierError
from item_visibility.timeouts import KEEP_CONNECTION_S

REQUEST_ID = "X-Request-ID"
"""Our own header: each request has an id. It is in our log, and in the service's if it writes one."""

MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
NAME_NOT_FOUND = "The name has no address"
BaseTransport = httpx.BaseTransport

_HEADERS = (("Accept-Encoding", "identity"), ("Connection", "keep-alive"), ("User-Agent", "item-visibility"))
_HEADERS_KEPT = (b"content-type", b"date", b"retry-after")
_PIECE_BYTES = 4_096
"""A request is written in pieces of this size, so that the time left is checked before each one."""


class ClosedError(RuntimeError):
    """A call on a closed client: nothing was sent."""


def quiet_http_logs() -> None:
    """Limit the HTTP library's logs to warnings: the rest holds whole addresses and so ids."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)


class BearerAuth(httpx.Auth):
    """Adds the access token, and answers a 401 once with a new one. Spec: "Authentication"; Note N7."""

    def __init__(self, tokens: TokenSource) -> None:
        self._tokens = tokens

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Yield the request with a token, perhaps twice; raise TokenError when there is no token."""
        token = self._tokens.current()
        request.headers["Authorization"] = f"Bearer {token.value}"
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED and self._tokens.may_replace(token):
            response.read()
            request.extensions["on_renewal"](response)
            token = self._tokens.newer_than(token)
            request.headers["Authorization"] = f"Bearer {token.value}"
            response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            self._tokens.refused(token)
        else:
            self._tokens.accepted(token)


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Keep none: looking for them takes a fifth of the time of a call."""


class _Client(httpx.Client):
    cookies = _NoCookies()  # type: ignore[override]  # never set


class Http:
    """Sends one request at a time per thread, over connections that all threads share. Thread-safe.

    `transport` replaces the network, for tests or for another way to connect. It must raise
    ConnectError or ConnectTimeout when a connection could not be made, and in no other case.
    """

    def __init__(
        self,
        *,
        transport: httpx.BaseTransport | None,
        max_connections: int,
        clock: Callable[[], float],
        route: Route = STRAIGHT,
    ) -> None:
        quiet_http_logs()
        self._clock = clock
        self._is_closed = False
        open_one = partial(Connection, route, clock)
        self._transport = transport or Network(Connections(max_connections, open_one, clock=clock))
        self._client = _Client(
            transport=self._transport,
            trust_env=False,
            event_hooks={"request": [self._begin]},
            timeout=httpx.Timeout(
                timeouts.NEXT_PIECE_S,
                connect=timeouts.CONNECT_S,
                pool=timeouts.FREE_CONNECTION_S,
            ),
        )

    def close(self) -> None:
        """Close all connections. An exchange in progress ends now, and fails."""
        self._is_closed = True
        self._transport.close()

    def send(
        self,
        request: Request,
        auth: BearerAuth | None = None,
        *,
        on_renewal: Callable[[Answer], object] | None = None,
    ) -> Answer | Failure:
        """Send the request once and read its answer within limits, so that none can hold a thread.

        `auth` adds the token; it calls `on_renewal` with a 401 before it asks for a new token to send the
        request again. Raises ClosedError after `close`, TokenError when there is no token, and
        IdentifierError, before anything is sent, when the HTTP library would change the path.
        """
        if self._is_closed:
            raise ClosedError("This client was closed; it makes no more calls.")
        prepared = self._prepare(request, on_renewal)
        try:
            return self._as_answer(self._client.send(prepared, auth=auth))
        except httpx.HTTPError as error:
            failure = _as_failure(error)
        took_s = self._clock() - prepared.extensions["started_s"]
        return replace(failure, request_id=prepared.headers[REQUEST_ID], took_s=took_s)

    def _prepare(self, request: Request, on_renewal: Callable[[Answer], object] | None) -> httpx.Request:
        """Return the request for httpx. The extensions are not sent."""
        url = httpx.URL(request.url)
        if url.raw_path != request.path.encode("ascii"):
            raise IdentifierError(
                "These ids cannot be addressed: the path would be changed on its way.",
                advice="Check the ids.",
            )
        extensions: dict[str, object] = {"operation": request.operation.name}
        if on_renewal is not None:
            extensions["on_renewal"] = lambda response: on_renewal(self._as_answer(response))
        return httpx.Request(
            request.operation.method,
            url,
            headers=[*request.headers, *_HEADERS],
            content=request.body,
            extensions=extensions,
        )

    def _begin(self, request: httpx.Request) -> None:
        """Give each sending an id and a start of its own; httpx calls this also for a repeated request."""
        request.headers[REQUEST_ID] = f"{random.getrandbits(64):016x}"
        request.extensions["started_s"] = self._clock()

    def _as_answer(self, response: httpx.Response) -> Answer:
        request, headers, body = response.request, response.headers, response.content
        if response.status_code != HTTPStatus.OK:
            body = without_token(body, request.headers.get("Authorization", "").removeprefix("Bearer "))
        return Answer(
            response.status_code,
            content_type=headers.get("content-type", ""),
            retry_after=headers.get("retry-after", ""),
            date=headers.get("date", ""),
            body=body,
            is_cut=response.extensions.get("is_cut", False),
            request_id=request.headers[REQUEST_ID],
            took_s=self._clock() - request.extensions["started_s"],
        )


class Network(httpx.BaseTransport):
    """The transport of httpx's client: each exchange has a connection of its own. Thread-safe."""

    def __init__(self, connections: "Connections[Connection]") -> None:
        self._connections = connections

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, read to its end or to a limit."""
        try:
            with self._connections.lend(timeouts.FREE_CONNECTION_S) as connection:
                return connection.exchange(request)
        except NoneFreeError:
            raise httpx.PoolTimeout("all connections stayed in use") from None

    def close(self) -> None:
        """Close all connections. An exchange in progress ends now, and fails."""
        self._connections.close()


class Connection:
    """One connection, kept between exchanges, straight or through the proxy of the route."""

    def __init__(self, route: Route, clock: Callable[[], float]) -> None:
        self._sockets = Sockets(clock)
        self._context = _tls_context(route.ca_file)
        self._straight: httpcore.HTTPConnection | None = None
        self._proxy: httpcore.ConnectionPool | None = None
        if route.proxy:
            self._proxy = httpcore.ConnectionPool(
                ssl_context=self._context,
                proxy=_as_proxy(route.proxy, self._context),
                max_connections=1,
                keepalive_expiry=timeouts.KEEP_CONNECTION_S,
                network_backend=self._sockets,
            )

    def cut(self) -> None:
        """Abort the exchange in progress; its caller then closes the connection. Any thread may call this."""
        self._sockets.cut()

    def exchange(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return the answer. Everything has to end within WHOLE_ANSWER_S."""
        self._sockets.begin(timeouts.WHOLE_ANSWER_S)
        url = request.url
        to_send = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        proxy = None if is_loopback(url.host) else self._proxy
        way = proxy or self._straight_to(to_send.url.origin)
        try:
            with closing(way.handle_request(to_send)) as answer:
                return read_within_limits(answer)
        except tuple(_ERRORS) as error:
            raise _as_httpx(error, is_through_proxy=proxy is not None) from None

    def close(self) -> None:
        """Close what is open: the connection to this machine, and the one to elsewhere."""
        for way in (self._straight, self._proxy):
            if way is not None:
                way.close()

    def _straight_to(self, origin: httpcore.Origin) -> httpcore.HTTPConnection:
        """Return the connection of the last exchange if it can be used again, or a new one."""
        one = self._straight
        if one is None or not one.can_handle_request(origin) or not one.is_available() or one.has_expired():
            if one is not None:
                one.close()
            one = self._straight = httpcore.HTTPConnection(
                origin,
                ssl_context=self._context,
                keepalive_expiry=timeouts.KEEP_CONNECTION_S,
                network_backend=self._sockets,
            )
        return one


class Sockets(httpcore.NetworkBackend):
    """Connects, and keeps the deadline of the exchange on a connection. `clock` counts seconds.

    One thread exchanges at a time; any thread may call `cut`, which shuts down `socket`. The deadline does
    not limit the DNS look-up: only the system's resolver does.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._system = httpcore.SyncBackend()
        self._ends_at = math.inf
        self.socket: socket.socket | None = None
        self._is_cut = False

    def begin(self, limit_s: float) -> None:
        """Begin an exchange that must end within this time."""
        self._ends_at = self._clock() + limit_s

    def cut(self) -> None:
        """Abort the exchange now. The thread that waits for the socket wakes up and closes it."""
        self._is_cut = True
        if self.socket is not None:
            with suppress(OSError):  # it is closed already, or was never connected
                socket.socket.shutdown(self.socket, socket.SHUT_RDWR)  # TLS's own changes its state

    def left_s(self, wait_s: float | None, too_late: type[Exception]) -> float:
        """Return the seconds to wait for the next piece; raise `too_late` when the deadline has passed."""
        left_s = -1.0 if self._is_cut else self._ends_at - self._clock()
        if left_s <= 0:
            raise too_late("the exchange takes longer than it may")
        return left_s if wait_s is None else min(wait_s, left_s)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that accepts."""
        failure: Exception = httpcore.ConnectError(NAME_NOT_FOUND)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{NAME_NOT_FOUND}: {error}") from error
        for address in [str(found_at[0]) for *_, found_at in found]:
            wait_s = self.left_s(timeout, httpcore.ConnectTimeout)
            try:
                made = self._system.connect_tcp(address, port, wait_s, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return Stream(made, self)
        raise failure


class Stream(httpcore.NetworkStream):
    """A connection on which every wait is limited to the time left for the exchange."""

    def __init__(self, system: httpcore.NetworkStream, sockets: Sockets) -> None:
        self._system = system
        self._sockets = sockets
        sockets.socket = system.get_extra_info("socket")

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what comes next."""
        return self._system.read(max_bytes, self._sockets.left_s(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send everything. The other side may accept it slowly, but not for ever."""
        buffer = SecretBytes(buffer)  # it holds the token, and a traceback can show local variables
        for start in range(0, len(buffer), _PIECE_BYTES):
            wait_s = self._sockets.left_s(timeout, httpcore.WriteTimeout)
            self._system.write(buffer[start : start + _PIECE_BYTES], wait_s)

    def close(self) -> None:
        """Close the connection."""
        self._system.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Return the connection with TLS on it."""
        wait_s = self._sockets.left_s(timeout, httpcore.ConnectTimeout)
        return Stream(self._system.start_tls(ssl_context, server_hostname, wait_s), self._sockets)

    def get_extra_info(self, info: str) -> object:
        """Return what httpcore knows about the connection."""
        return self._system.get_extra_info(info)


@cache
def _tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return the trusted certificates, read once for all clients because that takes 30 ms.

    The HTTP library's own, the system's (also `SSL_CERT_FILE`), and those of the file.
    """
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def _as_proxy(address: str, context: ssl.SSLContext) -> httpcore.Proxy:
    """Return the proxy with its user name and password apart from its address."""
    proxy = httpx.Proxy(address)
    is_secure = proxy.url.scheme == "https"
    return httpcore.Proxy(str(proxy.url), auth=proxy.raw_auth, ssl_context=context if is_secure else None)


def read_within_limits(answer: httpcore.Response) -> httpx.Response:
    """Return the answer with its body; the extension `is_cut` is True when not all of it was read.

    Only the headers that are needed are passed on, so httpx finds no cookie, redirect or compression. A 204
    that announces a body is left unread and its connection closed: the rest of that body could be taken for
    the answer to the next request.
    """
    headers = {name.lower(): value for name, value in answer.headers}
    announces_body = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
    body, is_cut = bytearray(), False
    if answer.status == HTTPStatus.NO_CONTENT and announces_body:
        pass
    elif headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        is_cut = True
    else:
        limit = MAX_ANSWER_BYTES if answer.status == HTTPStatus.OK else MAX_ERROR_BYTES
        for chunk in answer.iter_stream():
            body += chunk
            if is_cut := len(body) > limit:
                del body[limit:]
                break
    kept = [(name, headers[name]) for name in _HEADERS_KEPT if name in headers]
    return httpx.Response(answer.status, headers=kept, content=bytes(body), extensions={"is_cut": is_cut})


_ERRORS: dict[type[Exception], type[httpx.TransportError]] = {
    httpcore.ProxyError: httpx.ProxyError,
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.TimeoutException: httpx.ReadTimeout,
    httpcore.NetworkError: httpx.ReadError,
    httpcore.ProtocolError: httpx.RemoteProtocolError,
}
"""The error of httpx for each of httpcore; the first that matches counts."""


def _as_httpx(error: Exception, *, is_through_proxy: bool) -> httpx.TransportError:
    """Return the error of httpx for one of httpcore. Through a proxy, only the proxy is connected to."""
    said = str(error)
    if is_through_proxy and isinstance(error, httpcore.ConnectError) and "SSL" not in said:
        return httpx.ProxyError(said)
    return next(ours(said) for theirs, ours in _ERRORS.items() if isinstance(error, theirs))


def _as_failure(error: httpx.HTTPError) -> Failure:
    """Return the failure for an error; only a connection never made proves "not applied". Note N7."""
    match error:
        case httpx.ProxyError():
            return Failure(NO_WAY_THROUGH, NoAnswer.PROXY)
        case httpx.PoolTimeout():
            return Failure(NONE_FREE, NoAnswer.NONE_FREE)
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return _as_not_connected(str(error))
        case httpx.TimeoutException():
            return Failure(TOO_LATE, NoAnswer.LATE)
    return Failure(BROKEN, NoAnswer.BROKEN)


def _as_not_connected(said: str) -> Failure:
    """Return the failure for a connection that could not be made, from the system's and OpenSSL's words."""
    if "CERTIFICATE_VERIFY_FAILED" not in said:
        return Failure(NO_CONNECTION, NoAnswer.NAME if NAME_NOT_FOUND in said else NoAnswer.CONNECTION)
    if "certificate has expired" in said:
        return Failure(BAD_CERTIFICATE, NoAnswer.EXPIRED)
    if "ismatch, certificate is not valid for" in said:
        return Failure(BAD_CERTIFICATE, NoAnswer.OTHER_HOST)
    return Failure(NOT_TRUSTED, NoAnswer.CERTIFICATE)


class Link(Protocol):
    """A connection of the HTTP library, which no module but `transport` knows."""

    def cut(self) -> None:
        """Abort the exchange in progress; its caller then closes the connection. Any thread may call this."""

    def close(self) -> None:
        """Close the connection."""


_Kind = TypeVar("_Kind", bound=Link)


class NoneFreeError(Exception):
    """All connections stayed in use: nothing was sent."""


class Connections(Generic[_Kind]):
    """Up to `limit` connections, each opened by `open_one` when it is first needed. Thread-safe.

    The most recently used connection is used next, and one that stays idle for a while is closed.
    """

    def __init__(self, limit: int, open_one: Callable[[], _Kind], *, clock: Callable[[], float]) -> None:
        self._open_one = open_one
        self._clock = clock
        self._room = threading.Semaphore(limit)
        self._lock = threading.Lock()
        self._free: deque[tuple[float, _Kind]] = deque()
        self._in_use: set[_Kind] = set()
        self._is_closed = False

    @contextmanager
    def lend(self, wait_s: float) -> Iterator[_Kind]:
        """Give the block a connection of its own; raise NoneFreeError when none is free in time."""
        if not self._room.acquire(timeout=wait_s):
            raise NoneFreeError
        try:
            one = self._take()
            try:
                yield one
            finally:
                self._give_back(one)
        finally:
            self._room.release()

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

    def _take(self) -> _Kind:
        with self._lock:
            one = self._free.pop()[1] if self._free else self._open_one()
            self._in_use.add(one)
            if self._is_closed:
                one.cut()
            return one

    def _give_back(self, one: _Kind) -> None:
        useless = None
        now_s = self._clock()
        with self._lock:
            self._in_use.discard(one)
            if self._is_closed:
                useless = one
            else:
                self._free.append((now_s, one))
                if now_s - self._free[0][0] > KEEP_CONNECTION_S:
                    useless = self._free.popleft()[1]
        if useless is not None:
            useless.close()
