"""Sends requests over HTTP. This is the only module that uses httpx and httpcore.

`Http` sends requests through one `httpx.Client` and records each request. `BearerAuth` adds the access token.
`Network` replaces the transport of httpx for two reasons. httpx has no timeout for a whole exchange, so a
service that sends one byte a second can hold a call for ever. The connection pool of httpx has one lock for
all calls, which is slow with many threads.
"""

import logging
import random
import socket
import ssl
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from threading import Semaphore

import httpcore
import httpx

from item_visibility import timeouts
from item_visibility.client.addresses import Route, is_loopback
from item_visibility.client.answers import (
    Answer,
    Failure,
    NoAnswer,
    Result,
    read_answer,
)
from item_visibility.client.call_records import CallRecord, Observer, ignore, observe
from item_visibility.client.operations import Request
from item_visibility.client.retry import clock_ahead_s
from item_visibility.client.token import TokenSource, spellings
from item_visibility.errors import IdentifierError

REQUEST_ID = "X-Request-ID"
"""The header with the id that we give to a request, to find it in our log and in the log of the service."""

MAX_CONNECTIONS = 32
MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""The client does not read longer lists. A list of 100,000 GS1 numbers has less than 2 MiB. Note N12."""
MAX_ERROR_BYTES = 64 * 1024
BaseTransport = httpx.BaseTransport

_NO_ANSWER = 0
"""The status that a response gets when no answer came."""

_HEADERS = (("Accept-Encoding", "identity"), ("Connection", "keep-alive"), ("User-Agent", "item-visibility"))
_NEEDED_HEADERS = (b"content-type", b"date", b"retry-after")
_CHUNK_BYTES = 4_096
"""A request is sent in chunks of this size. The deadline is checked before each chunk."""
_ERRORS = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class ClosedError(RuntimeError):
    """The client was closed before the call. Nothing was sent."""


class BearerAuth(httpx.Auth):
    """Adds the access token, and tries a new token after a 401. Spec: "Authentication"; Note N7."""

    def __init__(self, tokens: TokenSource) -> None:
        self._tokens = tokens

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Yield the request with a token, and with a new token after a 401. Raises TokenError."""
        token = self._tokens.current()
        request.headers["Authorization"] = f"Bearer {token.value}"
        may_renew = request.extensions["may_renew"] = self._tokens.may_replace(token)
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED and may_renew:
            token = self._tokens.other_than(token)
            request.headers["Authorization"] = f"Bearer {token.value}"
            request.extensions["may_renew"] = False
            response = yield request
        if response.status_code not in {HTTPStatus.UNAUTHORIZED, _NO_ANSWER}:
            self._tokens.accepted = token


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Do nothing: the search for cookies would take a tenth of the time of a call."""


class _Client(httpx.Client):
    cookies = _NoCookies()  # type: ignore[override]  # no cookie is ever set


@dataclass(eq=False)
class Http(httpx.BaseTransport):
    """Sends requests over connections that all threads share. Thread-safe.

    It is also the transport of its `httpx.Client`, so that each request is recorded, even the repetition
    after a 401. `transport` must raise ConnectError or ConnectTimeout only if it could not connect, because
    these errors mean that nothing was sent.
    """

    transport: httpx.BaseTransport
    observer: Observer = ignore
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = utc_now

    def __post_init__(self) -> None:
        for name in ("httpx", "httpcore"):  # lower levels log whole addresses, which contain ids
            logging.getLogger(name).setLevel(logging.WARNING)
        self._is_closed = False
        limit = httpx.Timeout(timeouts.NEXT_BYTES_S, connect=timeouts.CONNECT_S)
        self._client = _Client(transport=self, trust_env=False, timeout=limit)

    def close(self) -> None:
        """Close all connections. A running exchange fails soon, at the latest at its next timeout."""
        self._is_closed = True
        self.transport.close()

    def send(self, request: Request, auth: BearerAuth | None = None, *, attempt: int = 1) -> Result:
        """Send the request once and return its result. `auth` adds the token.

        Raises ClosedError after `close`, TokenError when there is no token, and IdentifierError when httpx
        would change the path. Nothing was sent in these cases.
        """
        if self._is_closed:
            raise ClosedError("This client is closed, so it cannot make calls.")
        url = httpx.URL(request.url)
        if url.raw_path != request.path.encode("ascii"):
            raise IdentifierError(
                "These ids cannot be sent, because they would change the path of the request.",
                advice="Check the ids.",
            )
        to_send = httpx.Request(
            request.operation.method,
            url,
            headers=[*request.headers, *_HEADERS],
            content=request.body,
            extensions={"call": request, "attempt": attempt},
        )
        result: Result = self._client.send(to_send, auth=auth).extensions["result"]
        return result

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, record it, and store its result in the extension `result` of the response.

        If no answer came, the status of the response is _NO_ANSWER.
        """
        call: Request = request.extensions["call"]
        request_id = request.headers[REQUEST_ID] = f"{random.getrandbits(64):016x}"
        sent_at, started_s = self.now(), self.clock()
        result: Result
        try:
            response = self.transport.handle_request(request)
            response.read()
        except httpx.HTTPError as error:
            response, result = httpx.Response(_NO_ANSWER), _reason(error).value
        else:
            answer = _as_answer(response, request, request_id)
            result = read_answer(call.operation, answer)
        is_401 = response.status_code == HTTPStatus.UNAUTHORIZED
        record = CallRecord(
            call.operation.name,
            None if result.answer is None else result.answer.status,
            failure=result.unusable_because if isinstance(result, Failure) else "",
            has_content=result.answer is not None and result.answer.has_content,
            request_id=request_id,
            took_s=self.clock() - started_s,
            method=call.operation.method,
            path=call.path,
            problem=result.problem if isinstance(result, Failure) else None,
            attempt=request.extensions["attempt"],
            is_renewed=is_401 and request.extensions.get("may_renew", False),
            clock_ahead_s=None if result.answer is None else clock_ahead_s(result.answer, now=self.now()),
            sent_at=sent_at,
        )
        observe(record, self.observer)
        response.extensions["result"] = result
        return response


class Network(httpx.BaseTransport):
    """Opens at most `limit` connections, and uses each connection for one request at a time. Thread-safe.

    A call waits while all connections are in use. The connection that became idle last is used first.
    """

    def __init__(self, route: Route, limit: int, clock: Callable[[], float]) -> None:
        self.route = route
        self.clock = clock
        self.is_closed = False
        self._room = Semaphore(limit)
        self._free: defaultdict[str, list[Connection]] = defaultdict(list)
        """Maps each proxy to the idle connections through it. Append and pop are atomic."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return its answer. Raises an error after WHOLE_ANSWER_S."""
        proxy = "" if is_loopback(request.url.host) else self.route.proxy
        free = self._free[proxy]
        with self._room:
            try:
                connection = free.pop()
            except IndexError:
                connection = Connection(self, proxy)
            try:
                return connection.exchange(request)
            finally:
                free.append(connection)
                if self.is_closed:
                    self.close()

    def close(self) -> None:
        """Close the idle connections now, and the others when their exchanges end."""
        self.is_closed = True
        for free in tuple(self._free.values()):
            with suppress(IndexError):  # another thread took the last connection
                while free:
                    free.pop().pool.close()


class Connection(httpcore.SyncBackend):
    """One connection to the service or to the proxy, which stays open between exchanges.

    It limits every wait to the deadline of the exchange. It can do so because it is the network backend of
    an httpcore pool with a single connection.
    """

    def __init__(self, network: Network, proxy: str) -> None:
        parts = httpx.Proxy(proxy) if proxy else None  # splits off the user name and password
        self._network, self._proxy = network, proxy
        self._ends_at = 0.0
        self.pool = httpcore.ConnectionPool(
            ssl_context=_tls_context(network.route.ca_file),
            proxy=None if parts is None else httpcore.Proxy(str(parts.url), auth=parts.raw_auth),
            max_connections=1,
            keepalive_expiry=timeouts.KEEP_CONNECTION_S,
            network_backend=self,
        )

    def exchange(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return its answer. The deadline does not apply to the DNS lookup."""
        self._ends_at = self._network.clock() + timeouts.WHOLE_ANSWER_S
        url = request.url
        try:
            with self.pool.stream(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.read(),
                extensions={"timeout": request.extensions["timeout"]},
            ) as answer:
                return read_within_limits(answer)
        except _ERRORS as error:
            kind = getattr(httpx, type(error).__name__)  # httpx gives its errors the same names
            is_tls = isinstance(error.__context__, ssl.SSLError)
            if self._proxy and kind is httpx.ConnectError and not is_tls:
                kind = httpx.ProxyError  # only the proxy is connected directly
            raise kind(str(error)) from error.__context__

    def left_s(self, wait_s: float | None, too_late: type[Exception]) -> float:
        """Limit a wait to the time that is left. Raise `too_late` after the deadline or after `close`."""
        left_s = self._ends_at - self._network.clock()
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
        return Stream(super().connect_tcp(host, port, wait_s, local_address, socket_options), self)


class Stream(httpcore.NetworkStream):
    """A stream that limits every wait to the deadline of its connection."""

    def __init__(self, system: httpcore.NetworkStream, connection: Connection) -> None:
        self._system = system
        self._connection = connection
        self.close = system.close  # type: ignore[method-assign]  # unchanged
        self.get_extra_info = system.get_extra_info  # type: ignore[method-assign]  # unchanged

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the next bytes."""
        return self._system.read(max_bytes, self._connection.left_s(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all bytes before the deadline."""
        for start in range(0, len(buffer), _CHUNK_BYTES):
            wait_s = self._connection.left_s(timeout, httpcore.WriteTimeout)
            self._system.write(buffer[start : start + _CHUNK_BYTES], wait_s)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Start TLS and return the encrypted stream."""
        wait_s = self._connection.left_s(timeout, httpcore.ConnectTimeout)
        return Stream(self._system.start_tls(ssl_context, server_hostname, wait_s), self._connection)


@cache
def _tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return a context that trusts the certificates of httpx, the system (`SSL_CERT_FILE`) and this file.

    The result is cached, because reading the certificates takes 30 ms.
    """
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def read_within_limits(answer: httpcore.Response) -> httpx.Response:
    """Read the answer. The extension `is_cut` is True when a part of the body was not read.

    Only the headers that we need are kept, so httpx sees no cookie, redirect or compression. If a 204
    announces a body, the body is not read and the connection is closed, because the body could be taken
    for the answer to the next request.
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
    needed = [(name, headers[name]) for name in _NEEDED_HEADERS if name in headers]
    return httpx.Response(answer.status, headers=needed, content=bytes(body), extensions={"is_cut": is_cut})


def _as_answer(response: httpx.Response, request: httpx.Request, request_id: str) -> Answer:
    headers, body = response.headers, response.content
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if response.status_code != HTTPStatus.OK and token and body:
        for spelling in spellings(token):  # some gateways repeat the token, and bodies are shown and stored
            body = body.replace(spelling.encode(), b"[access token]")
    return Answer(
        response.status_code,
        content_type=headers.get("content-type", ""),
        retry_after=headers.get("retry-after", ""),
        date=headers.get("date", ""),
        body=body,
        is_cut=response.extensions.get("is_cut", False),
        request_id=request_id,
    )


_UNTRUSTED = {10: NoAnswer.EXPIRED, 62: NoAnswer.OTHER_HOST, 64: NoAnswer.OTHER_HOST}
"""The codes are OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED, _HOSTNAME_MISMATCH and _IP_ADDRESS_MISMATCH."""


def _reason(error: httpx.HTTPError) -> NoAnswer:
    reason = NoAnswer.BROKEN
    match error, error.__cause__:
        case httpx.ProxyError(), _:
            reason = NoAnswer.PROXY
        case httpx.ConnectError(), socket.gaierror():
            reason = NoAnswer.NAME
        case httpx.ConnectError(), ssl.SSLCertVerificationError(verify_code=code):
            reason = _UNTRUSTED.get(code, NoAnswer.CERTIFICATE)
        case ((httpx.ConnectError() | httpx.ConnectTimeout()), _):
            reason = NoAnswer.CONNECTION
        case httpx.TimeoutException(), _:
            reason = NoAnswer.LATE
    return reason
