"""The only contact with the HTTP library: everything sent and received passes here.

httpx is named here and in `connections` only, so moving to httpx2, which has the same names, changes
two lines. Every answer is read here, to its end or to a limit. Nothing is decompressed or
remembered, and no redirect is followed.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus

import httpx

from item_visibility import errors
from item_visibility.api.answers import Answer, Failure
from item_visibility.api.dates import read_date
from item_visibility.api.http.connections import open_connections
from item_visibility.api.observing import CallRecord, Observer
from item_visibility.api.requests import Request
from item_visibility.api.token.single_flight import AccessToken, TokenSource

logger = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
BaseTransport = httpx.BaseTransport

_HEADERS = (("Accept-Encoding", "identity"), ("Connection", "keep-alive"), ("User-Agent", "item-visibility"))
_MASK = b"[access token]"
_UNIT = re.compile(rb"\\u00[0-9A-Fa-f]{2}|\\.|%[0-9A-Fa-f]{2}|.", re.DOTALL)
"""One character of an error's body, escaped or not."""
_SHORTEST_ORIGIN = len("https://")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds: for a connection, for the next piece of an answer, and for the whole answer.

    `answer_s` counts from the start of an exchange to the last byte, whatever is slow: the request, the
    head of the answer, or its body.
    """

    connect_s: float = 5.0
    read_s: float = 10.0
    write_s: float = 10.0
    pool_s: float = 10.0
    answer_s: float = 60.0


STANDARD_TIMEOUTS = Timeouts()


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
        timeouts: Timeouts,
        max_connections: int,
        clock: Callable[[], float],
        on_call: Observer,
    ) -> None:
        quiet_http_logs()
        self._clock = clock
        self._on_call = on_call
        self._transport = transport or open_connections(max_connections, clock=clock)
        self._answer_s = timeouts.answer_s
        self._waits_s = {
            "connect": timeouts.connect_s,
            "read": timeouts.read_s,
            "write": timeouts.write_s,
            "pool": timeouts.pool_s,
        }
        self._is_closed = False

    def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        self._transport.close()

    def exchange(
        self, request: Request, *, auth: "BearerAuth | None" = None, attempt: int = 1
    ) -> Answer | Failure:
        """Send the request once, read its answer, and tell the observer.

        Raises TokenError when it needs a token and there is none, and IdentifierError, before
        anything is sent, when the HTTP library would change the path.
        """
        if self._is_closed:
            raise ClosedError("This client was closed; it makes no more calls.")
        prepared = self._prepare(request)
        started_s = self._clock()
        exchanged: Answer | Failure
        try:
            exchanged = auth.send(prepared, self._send) if auth else self._send(prepared)
        except httpx.HTTPError as error:
            exchanged = _as_failure(error)
        self._tell(request, exchanged, attempt=attempt, duration_s=self._clock() - started_s)
        return exchanged

    def _prepare(self, request: Request) -> httpx.Request:
        """Return the request to send; its operationId is attached to it, but not sent."""
        prepared = httpx.Request(
            request.operation.method,
            request.url,
            headers=_headers(request.headers),
            content=request.body,
            extensions={"operation": request.operation.name, "timeout": dict(self._waits_s)},
        )
        if prepared.url.raw_path != _raw_path(request.url):
            raise errors.IdentifierError(
                "These ids cannot be addressed: the path would be changed on its way.",
                advice="Check the ids.",
            )
        return prepared

    def _send(self, prepared: httpx.Request) -> Answer:
        """Return the answer, read within limits, so that none can fill the memory or hold a thread."""
        deadline_s = self._clock() + self._answer_s
        prepared.extensions["ends_at_s"] = deadline_s
        response = self._transport.handle_request(prepared)
        try:
            body, is_cut = self._read(response, deadline_s)
        finally:
            response.close()
        if body and response.status_code != HTTPStatus.OK:
            body = _without_token(prepared, body)
        return Answer(
            response.status_code,
            content_type=response.headers.get("content-type", ""),
            retry_after=response.headers.get("retry-after", ""),
            date=response.headers.get("date", ""),
            body=body,
            is_cut=is_cut,
        )

    def _read(self, response: httpx.Response, deadline_s: float) -> tuple[bytes, bool]:
        """Return the body, and True when it was cut.

        A 204 that announces a body is left unread and its connection closed. Otherwise the rest of that
        body could be taken for the answer to the next request.
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
                raise httpx.ReadTimeout("the answer does not end")
        return bytes(body), False

    def _tell(
        self, request: Request, exchanged: Answer | Failure, *, attempt: int, duration_s: float
    ) -> None:
        record = CallRecord(
            operation=request.operation.name,
            item=request.item,
            recipient_id=request.recipient_id,
            attempt=attempt,
            status=exchanged.status if isinstance(exchanged, Answer) else None,
            failure="" if isinstance(exchanged, Answer) else exchanged.fact,
            duration_s=duration_s,
            server_date=read_date(exchanged.date) if isinstance(exchanged, Answer) else None,
            has_content=isinstance(exchanged, Answer) and exchanged.has_content,
        )
        logger.debug("%s, attempt %d: %s", record.operation, attempt, record.failure or record.status)
        self._on_call(record)


class BearerAuth:
    """Adds a token to a request; answers a 401 once, with a new token. Spec: "Authentication"; Note N7."""

    def __init__(self, source: TokenSource) -> None:
        self._source = source

    def send(self, request: httpx.Request, send: Callable[[httpx.Request], Answer]) -> Answer:
        """Send the request with a token; after a 401, send it once more with another token."""
        token = self._source.current()
        answer = send(_with_token(request, token))
        if answer.status == HTTPStatus.UNAUTHORIZED:
            replacement = self._source.replacing(token)
            if replacement is None:
                return answer
            token = replacement
            answer = send(_with_token(request, token))
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self._source.refused(token)
        else:
            self._source.accepted(token)
        return answer


def _with_token(request: httpx.Request, token: AccessToken) -> httpx.Request:
    request.headers["Authorization"] = f"Bearer {token.value}"
    return request


def _without_token(request: httpx.Request, body: bytes) -> bytes:
    """Return the body of an error without the token, which some gateways repeat in it.

    Such bodies are shown and kept. The token is found even where JSON or URL escapes stand for its letters.
    """
    token = request.headers.get("authorization", "").removeprefix("Bearer ").encode("ascii")
    if not token:
        return body
    units = _UNIT.findall(body.replace(token, _MASK))
    meant = b"".join(map(_meant, units))
    pieces: list[bytes] = []
    read = 0
    while (found := meant.find(token, read)) >= 0:
        pieces += [*units[read:found], _MASK]
        read = found + len(token)
    return b"".join([*pieces, *units[read:]])


def _meant(unit: bytes) -> bytes:
    """Return the byte that an escape means; one that is in no token when it means another character."""
    if len(unit) > len(rb"\n"):
        return bytes((int(unit[-2:], 16),))
    escaped = unit[-1:]
    return escaped if len(unit) == 1 or escaped in b'"\\/' else b"\0"


@lru_cache(maxsize=16)
def _headers(of_request: tuple[tuple[str, str], ...]) -> httpx.Headers:
    """Return the headers of a request without its token; each httpx.Request takes a copy."""
    return httpx.Headers([*of_request, *_HEADERS])


def _raw_path(url: str) -> bytes:
    """Return the path of an address, unchanged and without a query, which none of our addresses has."""
    return url[url.index("/", _SHORTEST_ORIGIN) :].partition("?")[0].encode("ascii")


def _announces_body(headers: httpx.Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _as_failure(error: httpx.HTTPError) -> Failure:
    """Return the failure for an error; only a connection never made proves "not applied". Note N7."""
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
