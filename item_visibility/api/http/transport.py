"""The only contact with the HTTP library: everything sent and received passes here.

httpx is named in this file only, so the move to httpx2, which has the same names, changes one import.
Every answer is read here, to its end or to a limit. Nothing is decompressed or remembered, and no
redirect is followed.
"""

import logging
import random
import ssl
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import cache, lru_cache, partial
from http import HTTPStatus
from pathlib import Path

import httpcore
import httpx

from item_visibility import errors, timings_and_retries
from item_visibility.api.address_checks import is_loopback
from item_visibility.api.answers import Answer, Failure
from item_visibility.api.http.certificates import SeenCertificates
from item_visibility.api.http.connections import Connections, NoneFreeError
from item_visibility.api.http.masking import SecretBytes, without_token
from item_visibility.api.http.one_origin import OneOrigin
from item_visibility.api.http.route import STRAIGHT, Route
from item_visibility.api.http.sockets import NAME_NOT_FOUND, Deadline, Sockets
from item_visibility.api.requests import Request
from item_visibility.api.statuses import (
    BAD_CERTIFICATE,
    BROKEN,
    NO_CONNECTION,
    NO_WAY_THROUGH,
    NONE_FREE,
    NOT_TRUSTED,
    TOO_LATE,
    NoAnswer,
)

REQUEST_ID = b"X-Request-ID"
"""Our own header: each request has an id, which stands in our log, and in the service's if it writes one."""

MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
BaseTransport = httpx.BaseTransport

_WITH_BODY = frozenset({"POST", "PUT"})
_HEADERS = (("Accept-Encoding", "identity"), ("Connection", "keep-alive"), ("User-Agent", "item-visibility"))
_HEADERS_READ = frozenset(
    {"content-encoding", "content-length", "content-type", "date", "retry-after", "transfer-encoding"}
)


class ClosedError(RuntimeError):
    """A call on a closed client: nothing was sent."""


def quiet_http_logs() -> None:
    """Limit the HTTP library's logs to warnings: the rest holds whole addresses and so ids."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)


class Http:
    """Sends one request at a time per thread, over connections that all threads share. Thread-safe.

    `transport` replaces the network, for tests or for another way to connect. It must raise
    ConnectError or ConnectTimeout when a connection could not be made, and in no other case.

    httpx's own client would parse and copy each request and look for cookies and redirects. None of
    that may happen here, so its requests and transports are used without it.
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
        self._given = transport
        self._connections = Connections(max_connections, partial(_OneConnection, route, clock), clock=clock)
        self._waits_s = {
            "connect": timings_and_retries.CONNECT_S,
            "read": timings_and_retries.NEXT_PIECE_S,
            "write": timings_and_retries.NEXT_PIECE_S,
            "pool": timings_and_retries.FREE_CONNECTION_S,
        }
        self.certificates = SeenCertificates(clock)
        self._is_closed = False

    def close(self) -> None:
        """Close all connections. An exchange in progress ends now, and fails."""
        self._is_closed = True
        (self._given or self._connections).close()

    def check_open(self) -> None:
        """Raise ClosedError after `close`."""
        if self._is_closed:
            raise ClosedError("This client was closed; it makes no more calls.")

    def send(self, request: Request, access_token: str = "") -> Answer | Failure:
        """Send the request once and read its answer within limits, so that none can hold a thread.

        Raises IdentifierError, before anything is sent, when the HTTP library would change the path.
        """
        self.check_open()
        started_s = self._clock()
        ends_at_s = started_s + timings_and_retries.WHOLE_ANSWER_S
        request_id = f"{random.getrandbits(64):016x}"
        prepared = self._prepare(request, request_id, access_token, ends_at_s)
        try:
            with self._connection() as connection, closing(connection.handle_request(prepared)) as response:
                if prepared.url.scheme == "https":
                    self.certificates.look(prepared.url.host, response.extensions.get("network_stream"))
                headers = _read_headers(response)
                body, is_cut = self._read(response, headers, ends_at_s)
        except (NoneFreeError, httpx.HTTPError) as error:
            failure = _as_failure(error)
            return replace(failure, request_id=request_id, took_s=self._clock() - started_s)
        return Answer(
            response.status_code,
            content_type=headers.get("content-type", ""),
            retry_after=headers.get("retry-after", ""),
            date=headers.get("date", ""),
            body=body if response.status_code == HTTPStatus.OK else without_token(body, access_token),
            is_cut=is_cut,
            request_id=request_id,
            took_s=self._clock() - started_s,
        )

    def _connection(self) -> AbstractContextManager[httpx.BaseTransport]:
        return (
            nullcontext(self._given)
            if self._given
            else self._connections.lend(timings_and_retries.FREE_CONNECTION_S)
        )

    def _prepare(
        self, request: Request, request_id: str, access_token: str, ends_at_s: float
    ) -> httpx.Request:
        """Return the request to send; its operation and deadline are attached to it, but not sent.

        All headers are given at once: httpx would look for those that it adds, and copy the others. The body
        is no variable here: that of a token request holds the client secret, and a traceback shows variables.
        The access token hides itself there.
        """
        url = httpx.URL(request.url)
        if url.raw_path != request.path.encode("ascii"):
            raise errors.IdentifierError(
                "These ids cannot be addressed: the path would be changed on its way.",
                advice="Check the ids.",
            )
        has_body = request.operation.method in _WITH_BODY
        length = ((b"Content-Length", b"%d" % len(request.body or b"")),) if has_body else ()
        token = ((b"Authorization", SecretBytes(f"Bearer {access_token}", "ascii")),) if access_token else ()
        return httpx.Request(
            request.operation.method,
            url,
            headers=[
                (b"Host", url.netloc),
                *_headers(request.headers),
                (REQUEST_ID, request_id.encode("ascii")),
                *length,
                *token,
            ],
            stream=httpx.ByteStream(request.body or b""),
            extensions={
                "operation": request.operation.name,
                "timeout": dict(self._waits_s),
                "ends_at_s": ends_at_s,
            },
        )

    def _read(
        self, response: httpx.Response, headers: Mapping[str, str], ends_at_s: float
    ) -> tuple[bytes, bool]:
        """Return the body, and True when it was cut.

        A 204 that announces a body is left unread and its connection closed. Otherwise the rest of that
        body could be taken for the answer to the next request.
        """
        if response.status_code == HTTPStatus.NO_CONTENT and _announces_body(headers):
            return b"", False
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            return b"", True
        limit = MAX_ANSWER_BYTES if response.status_code == HTTPStatus.OK else MAX_ERROR_BYTES
        body = bytearray()
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101  (a sync transport gives no other)
        for chunk in response.stream:
            body += chunk
            if len(body) > limit:
                return bytes(body[:limit]), True
            if self._clock() > ends_at_s:
                raise httpx.ReadTimeout("the answer does not end")
        return bytes(body), False


class _OneConnection(httpx.HTTPTransport):
    """httpx's transport for one connection, on sockets that keep the deadline of the exchange."""

    def __init__(self, route: Route, clock: Callable[[], float]) -> None:
        context = _tls_context(route.ca_file)
        super().__init__(verify=context, trust_env=False)
        self._deadline = Deadline(clock)
        pool = partial(  # httpx 0.28 takes no sockets of others
            OneOrigin,
            ssl_context=context,
            keepalive_expiry=timings_and_retries.KEEP_CONNECTION_S,
            network_backend=Sockets(self._deadline),
        )
        self._straight = pool()
        self._through = pool(proxy=_as_proxy(route.proxy, context)) if route.proxy else self._straight

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, with its body unread. The same deadline holds for the body."""
        self._deadline.begin(request.extensions["ends_at_s"])
        self._pool = self._straight if is_loopback(request.url.host) else self._through
        try:
            return super().handle_request(request)
        except httpx.ConnectError as error:
            if self._pool is self._straight or "SSL" in str(error):
                raise
            raise httpx.ProxyError(str(error)) from None  # through a proxy, only that is connected to

    def close(self) -> None:
        """Close what is open: the connection to this machine, and the one to elsewhere."""
        self._straight.close()
        self._through.close()

    def cut(self) -> None:
        """Abort the exchange in progress; its caller then closes the connection. Any thread may call this."""
        self._deadline.cut()


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


@lru_cache(maxsize=16)
def _headers(of_request: tuple[tuple[str, str], ...]) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers that all such requests have, as they are sent."""
    return tuple((name.encode("ascii"), value.encode("ascii")) for name, value in (*of_request, *_HEADERS))


def _read_headers(response: httpx.Response) -> dict[str, str]:
    """Return the headers that are read here, and no others: a traceback shows variables."""
    return {name: value for name, value in response.headers.items() if name in _HEADERS_READ}


def _announces_body(headers: Mapping[str, str]) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _as_failure(error: Exception) -> Failure:
    """Return the failure for an error; only a connection never made proves "not applied". Note N7."""
    if isinstance(error, httpx.ProxyError):
        return Failure(NO_WAY_THROUGH, NoAnswer.PROXY)
    if isinstance(error, NoneFreeError | httpx.PoolTimeout):
        return Failure(NONE_FREE, NoAnswer.NONE_FREE)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return _as_not_connected(str(error))
    if isinstance(error, httpx.TimeoutException):
        return Failure(TOO_LATE, NoAnswer.LATE)
    return Failure(BROKEN, NoAnswer.BROKEN)


def _as_not_connected(said: str) -> Failure:
    """Return the failure for a connection that could not be made, from the system's and OpenSSL's words."""
    if "CERTIFICATE_VERIFY_FAILED" not in said:
        is_unknown = NAME_NOT_FOUND in said
        return Failure(NO_CONNECTION, NoAnswer.NAME if is_unknown else NoAnswer.CONNECTION)
    if "certificate has expired" in said:
        return Failure(BAD_CERTIFICATE, NoAnswer.EXPIRED)
    if "ismatch, certificate is not valid for" in said:
        return Failure(BAD_CERTIFICATE, NoAnswer.OTHER_HOST)
    return Failure(NOT_TRUSTED, NoAnswer.CERTIFICATE)
