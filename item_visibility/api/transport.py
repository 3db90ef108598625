"""The one seam to the HTTP library: all that is sent and received passes here.

httpx is named nowhere else, so that a move to httpx2, which has the same names, is one line. Every
answer is read here, to its end or to a limit; nothing is decompressed, followed or remembered.
"""

import logging
import ssl
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx

from item_visibility import errors
from item_visibility.api.answers import Answer, Failure
from item_visibility.api.dates import read_date
from item_visibility.api.observing import CallRecord, Observer
from item_visibility.api.requests import Request
from item_visibility.api.token import TokenSource

logger = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
KEEPALIVE_S = 4.0
"""Shorter than the 5 s of common servers, so that no request meets a connection that is being closed."""

_DROPPED_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie"})
BaseTransport = httpx.BaseTransport

_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "item-visibility"}


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait for a connection, for a next piece of an answer, and for all of one, in seconds."""

    connect_s: float = 5.0
    read_s: float = 10.0
    write_s: float = 10.0
    pool_s: float = 10.0
    answer_s: float = 60.0


STANDARD_TIMEOUTS = Timeouts()


def quiet_http_logs() -> None:
    """Keep the HTTP library's logs, which hold whole addresses and so ids, to warnings."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)


@cache
def _tls_context() -> ssl.SSLContext:
    """The certificates that are trusted: read once for all clients, as it takes 30 ms."""
    return httpx.create_ssl_context(trust_env=False)


class Http:
    """Sends one request at a time a thread over a shared pool of connections. Thread-safe.

    `transport` replaces the network, for tests or for another HTTP library; it must report a
    connection that could not be made, and only that, as a ConnectError or a ConnectTimeout.
    """

    def __init__(
        self,
        *,
        transport: httpx.BaseTransport | None,
        timeouts: Timeouts,
        max_connections: int,
        clock: Callable[[], float],
        on_call: Observer,
    ) -> None:
        self._clock = clock
        self._on_call = on_call
        limits = httpx.Limits(
            max_connections=max_connections,
            max_keepalive_connections=max_connections,
            keepalive_expiry=KEEPALIVE_S,
        )
        inner = transport or httpx.HTTPTransport(verify=_tls_context(), limits=limits, trust_env=False)
        self._client = httpx.Client(
            transport=_BoundedTransport(inner, timeouts.answer_s, clock),
            timeout=httpx.Timeout(
                connect=timeouts.connect_s, read=timeouts.read_s, write=timeouts.write_s, pool=timeouts.pool_s
            ),
            headers=_HEADERS,
            follow_redirects=False,
            trust_env=False,
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def exchange(
        self, request: Request, *, auth: "BearerAuth | None" = None, attempt: int = 1
    ) -> Answer | Failure:
        """Send the request once, read its answer, and tell the observer.

        Raises TokenError when it needs a token and there is none, and IdentifierError, before
        anything is sent, when the HTTP library would change the path.
        """
        prepared = self._prepare(request)
        started_s = self._clock()
        exchanged: Answer | Failure
        try:
            exchanged = _as_answer(self._client.send(prepared, auth=auth))
        except httpx.HTTPError as error:
            exchanged = _as_failure(error)
        self._tell(request, exchanged, attempt=attempt, duration_s=self._clock() - started_s)
        return exchanged

    def _prepare(self, request: Request) -> httpx.Request:
        """The request as it goes out; its operationId travels beside it, not in it."""
        prepared = self._client.build_request(
            request.operation.method,
            request.url,
            headers=request.headers,
            content=request.body,
            extensions={"operation": request.operation.operation_id},
        )
        if prepared.url.raw_path != urlsplit(request.url).path.encode("ascii"):
            raise errors.IdentifierError(
                "These ids cannot be addressed: the path would be changed on its way.",
                advice="Check the ids.",
            )
        return prepared

    def _tell(
        self, request: Request, exchanged: Answer | Failure, *, attempt: int, duration_s: float
    ) -> None:
        record = CallRecord(
            operation=request.operation.operation_id,
            item=request.item,
            recipient_id=request.recipient_id,
            attempt=attempt,
            status=exchanged.status if isinstance(exchanged, Answer) else None,
            failure="" if isinstance(exchanged, Answer) else exchanged.fact,
            duration_s=duration_s,
            server_date=read_date(exchanged.date) if isinstance(exchanged, Answer) else None,
        )
        logger.debug("%s, attempt %d: %s", record.operation, attempt, record.failure or record.status)
        self._on_call(record)


class BearerAuth(httpx.Auth):
    """Puts a token on a request; answers one 401 with one new token. Spec: "Authentication"; Note N7."""

    def __init__(self, source: TokenSource) -> None:
        self._source = source

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """The request with a token; after a 401 once more, with another one."""
        token = self._source.current()
        request.headers["Authorization"] = f"Bearer {token.value}"
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            replacement = self._source.replacing(token)
            if replacement is None:
                return
            token = replacement
            request.headers["Authorization"] = f"Bearer {token.value}"
            response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            self._source.refused(token)
        else:
            self._source.accepted(token)


class _BoundedTransport(httpx.BaseTransport):
    """Reads each answer whole within limits, so that no answer can fill the memory or hold a thread."""

    def __init__(self, inner: httpx.BaseTransport, answer_s: float, clock: Callable[[], float]) -> None:
        self._inner = inner
        self._answer_s = answer_s
        self._clock = clock

    def close(self) -> None:
        self._inner.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        deadline_s = self._clock() + self._answer_s
        response = self._inner.handle_request(request)
        try:
            body, is_cut = self._read(request, response, deadline_s)
        finally:
            response.close()
        if response.status_code != HTTPStatus.OK:
            body = _without_token(request, body)
        headers = [(name, value) for name, value in response.headers.raw if _is_kept(name)]
        return httpx.Response(
            response.status_code, headers=headers, content=body, extensions={"is_cut": is_cut}
        )

    def _read(
        self, request: httpx.Request, response: httpx.Response, deadline_s: float
    ) -> tuple[bytes, bool]:
        """The body, and whether it was cut.

        A 204 that announces a body is left unread: its connection is then closed, and what it still
        holds cannot be taken for the answer to the next request.
        """
        if response.status_code == HTTPStatus.NO_CONTENT and _announces_body(response.headers):
            return b"", False
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            return b"", True
        limit = MAX_ANSWER_BYTES if response.status_code == HTTPStatus.OK else MAX_ERROR_BYTES
        body = bytearray()
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101  (a sync transport gives no other)
        for chunk in response.stream:
            body += chunk
            if len(body) > limit:
                return bytes(body[:limit]), True
            if self._clock() > deadline_s:
                raise httpx.ReadTimeout("the answer does not end", request=request)
        return bytes(body), False


def _without_token(request: httpx.Request, body: bytes) -> bytes:
    """The body of an error, which is shown and kept, without the token that some gateways repeat in it."""
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    return body.replace(token.encode("ascii"), b"[access token]") if token else body


def _announces_body(headers: httpx.Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _is_kept(header: bytes) -> bool:
    return header.decode("latin-1").lower() not in _DROPPED_HEADERS


def _as_answer(response: httpx.Response) -> Answer:
    return Answer(
        response.status_code,
        content_type=response.headers.get("content-type", ""),
        retry_after=response.headers.get("retry-after", ""),
        date=response.headers.get("date", ""),
        body=response.content,
        is_cut=bool(response.extensions["is_cut"]),
    )


def _as_failure(error: httpx.HTTPError) -> Failure:
    """What a failed exchange means; only a connection that was never made proves "not applied". Note N7."""
    if isinstance(error, httpx.ConnectError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        fact = "the service's certificate is not trusted"
        return Failure(errors.NotSentError, fact, may_be_applied=False, is_temporary=False)
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        fact = "no connection could be made"
        return Failure(errors.NotSentError, fact, may_be_applied=False, is_temporary=True)
    is_timeout = isinstance(error, httpx.TimeoutException)
    fact = "no answer came in time" if is_timeout else "the connection broke"
    return Failure(
        errors.UnknownOutcomeError, fact, may_be_applied=True, is_temporary=True, is_timeout=is_timeout
    )
