"""Sends requests through one `httpx.Client`, and records each exchange.

`HttpCalls` builds the request, sends it and returns its result. `BearerAuth` adds the
access token. `RecordingTransport` is the transport of the client. It gives each request
an id, reads the answer and records both, so the repetition of a request after a 401 is
recorded too.
"""

import logging
import random
import socket
import ssl
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

import httpx

from item_visibility import timeouts
from item_visibility.client.answers import (
    Failure,
    HttpAnswer,
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
"""The header with our id of a request, which is in our log and the service's log."""

BaseTransport = httpx.BaseTransport

_HEADERS = (
    ("Accept-Encoding", "identity"),
    ("Connection", "keep-alive"),
    ("User-Agent", "item-visibility"),
)
_CALL = "call"
"""The extension of a request that contains its `SentCall`."""

_RESULT = "result"
"""The extension of a response that contains its `Result`."""


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class ClosedError(RuntimeError):
    """The client was closed before the call. Nothing was sent."""


@dataclass(eq=False, slots=True)
class SentCall:
    """A call as `BearerAuth` and `RecordingTransport` see it.

    `may_renew` is True when a 401 to the next request leads to a new token.
    """

    request: Request
    attempt: int
    may_renew: bool = False


class BearerAuth(httpx.Auth):
    """Adds the access token, and tries a new token after a 401.

    Spec: "Authentication"; Note N7.
    """

    def __init__(self, tokens: TokenSource) -> None:
        self._tokens = tokens

    def sync_auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
        """Yield the request with a token, and with a new token after a 401.

        Raises TokenError.
        """
        call: SentCall = request.extensions[_CALL]
        token = self._tokens.current()
        call.may_renew = self._tokens.may_replace(token)
        request.headers["Authorization"] = f"Bearer {token.value}"
        response = yield request

        if response.status_code == HTTPStatus.UNAUTHORIZED and call.may_renew:
            token = self._tokens.other_than(token)
            call.may_renew = False
            request.headers["Authorization"] = f"Bearer {token.value}"
            response = yield request

        if response.status_code != HTTPStatus.UNAUTHORIZED:
            self._tokens.accepted = token


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Do nothing: to look for cookies would take a tenth of the time of a call."""


class _Client(httpx.Client):
    cookies = _NoCookies()  # type: ignore[override]  # no cookie is ever set


@dataclass(eq=False)
class RecordingTransport(httpx.BaseTransport):
    """Sends each request over the network and records the exchange.

    `network` must raise ConnectError or ConnectTimeout only if it could not connect,
    because these errors mean that nothing was sent.
    """

    network: httpx.BaseTransport
    observer: Observer = ignore
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = utc_now

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request, record the exchange, and put the result into the response.

        Raises httpx.HTTPError when no answer came. This is recorded too.
        """
        call: SentCall = request.extensions[_CALL]
        request_id = request.headers[REQUEST_ID] = f"{random.getrandbits(64):016x}"
        sent_at = self.now()
        started_s = self.clock()
        result: Result
        try:
            response = self.network.handle_request(request)
            response.read()
        except httpx.HTTPError as error:
            result = _reason(error).value
            self._record(call, request_id, result, sent_at, started_s)
            raise

        answer = _as_answer(response, request, request_id)
        result = read_answer(call.request.operation, answer)
        self._record(call, request_id, result, sent_at, started_s)
        response.extensions[_RESULT] = result
        return response

    def close(self) -> None:
        """Close all connections."""
        self.network.close()

    def _record(
        self,
        call: SentCall,
        request_id: str,
        result: Result,
        sent_at: datetime,
        started_s: float,
    ) -> None:
        operation = call.request.operation
        answer = result.answer
        status = None if answer is None else answer.status
        ahead_s = None if answer is None else clock_ahead_s(answer, now=self.now())
        record = CallRecord(
            operation.name,
            status,
            failure=result.unusable_because if isinstance(result, Failure) else "",
            has_content=answer is not None and answer.has_content,
            request_id=request_id,
            took_s=self.clock() - started_s,
            method=operation.method,
            path=call.request.path,
            problem=result.problem if isinstance(result, Failure) else None,
            attempt=call.attempt,
            is_renewed=status == HTTPStatus.UNAUTHORIZED and call.may_renew,
            clock_ahead_s=ahead_s,
            sent_at=sent_at,
        )
        observe(record, self.observer)


class HttpCalls:
    """Makes calls over connections that all threads share. Thread-safe."""

    def __init__(self, transport: RecordingTransport) -> None:
        # Lower levels log whole addresses, which contain ids.
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)

        self._is_closed = False
        self._transport = transport
        limit = httpx.Timeout(timeouts.NEXT_BYTES_S, connect=timeouts.CONNECT_S)
        self._client = _Client(transport=transport, trust_env=False, timeout=limit)

    def close(self) -> None:
        """Close all connections.

        A running exchange fails soon, at the latest at its next timeout.
        """
        self._is_closed = True
        self._transport.close()

    def send(
        self, request: Request, auth: BearerAuth | None = None, *, attempt: int = 1
    ) -> Result:
        """Send the request once and return its result. `auth` adds the token.

        Raises ClosedError after `close`, TokenError when there is no token, and
        IdentifierError when httpx would change the path. Nothing was sent in these
        cases.
        """
        if self._is_closed:
            raise ClosedError("This client is closed, so it cannot make calls.")
        url = httpx.URL(request.url)
        if url.raw_path != request.path.encode("ascii"):
            raise IdentifierError(
                "These ids cannot be sent, because they would change the path of the"
                " request.",
                advice="Check the ids.",
            )

        to_send = httpx.Request(
            request.operation.method,
            url,
            headers=[*request.headers, *_HEADERS],
            content=request.body,
            extensions={_CALL: SentCall(request, attempt)},
        )
        try:
            response = self._client.send(to_send, auth=auth)
        except httpx.HTTPError as error:
            return _reason(error).value
        result: Result = response.extensions[_RESULT]
        return result


def _as_answer(
    response: httpx.Response, request: httpx.Request, request_id: str
) -> HttpAnswer:
    headers = response.headers
    body = response.content

    # Some gateways repeat the token in an error. Error bodies are shown and stored.
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if response.status_code != HTTPStatus.OK and token and body:
        for spelling in spellings(token):
            body = body.replace(spelling.encode(), b"[access token]")

    return HttpAnswer(
        response.status_code,
        content_type=headers.get("content-type", ""),
        retry_after=headers.get("retry-after", ""),
        date=headers.get("date", ""),
        body=body,
        is_cut=response.extensions.get("is_cut", False),
        request_id=request_id,
    )


_UNTRUSTED = {10: NoAnswer.EXPIRED, 62: NoAnswer.OTHER_HOST, 64: NoAnswer.OTHER_HOST}
"""OpenSSL's codes for an expired certificate, another host name and another address."""


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
