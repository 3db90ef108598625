"""A fake service over HTTP that follows the specification and fails when a test wants
it to fail.

It listens on 127.0.0.1, stores its items in memory, and calls `choose_fault` before
each call. Afterwards, a test checks the calls (`log`), the service's state (`fake`) and
the tokens (`tokens`).

    with FaultService() as service:
        service.choose_fault = fail_times(FaultKind.RESET_AFTER, 1)
"""

import json
import socket
import struct
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote

from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
    SET_VISIBILITIES,
)
from item_visibility.errors import CallError
from tests.support.fake_visibilities import STANDARD, FakeVisibilities, Semantics

TOKEN_PATH = "/auth/realms/platform-api/protocol/openid-connect/token"
CLIENT_ID = "dash board"
CLIENT_SECRET = "p@ss:w%rd&=+y-never-shown"
PROBLEM = "application/problem+json"
OPERATION_BY_SHAPE = {
    (operation.method, 4 if operation.thing == "recipient" else 2): operation.name
    for operation in (
        GET_VISIBILITIES,
        SET_VISIBILITIES,
        REMOVE_VISIBILITIES,
        ADD_VISIBILITY,
        REMOVE_VISIBILITY,
    )
}
"""The name of each operation by its method and the number of segments of its path."""


class FaultKind(StrEnum):
    """The fifteen ways in which a call can fail."""

    RESET_BEFORE = "reset before applying"
    RESET_AFTER = "reset after applying"
    HANG_BEFORE = "hang before applying"
    HANG_AFTER = "hang after applying"
    ERROR_500_BEFORE = "500 before applying"
    ERROR_500_AFTER = "500 after applying"
    BAD_GATEWAY_HTML = "502 with HTML, not applied"
    UNAVAILABLE_SECONDS = "503 with Retry-After in seconds, not applied"
    TOO_MANY_DATE = "429 with Retry-After as a date, not applied"
    GATEWAY_TIMEOUT_AFTER = "504 after applying"
    TRUNCATED = "a body cut short, after applying"
    HTML_200 = "200 with HTML, after applying"
    REDIRECT_302 = "302 to a login page, after applying"
    BODY_204 = "204 with a body, after applying"
    BAD_REQUEST_400 = "400, not applied"

    @property
    def is_applied(self) -> bool:
        return self.endswith("after applying")


EVERY_FAULT = tuple(FaultKind)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was received.

    `number` counts the calls of this operation with these ids, from 1.
    """

    operation: str
    item: ItemKey
    recipient_id: str | None
    recipients: tuple[str, ...] = ()
    number: int = 1
    fault: FaultKind | None = None

    @property
    def is_applied(self) -> bool:
        return self.fault is None or self.fault.is_applied


FaultChoice = Callable[[Call], FaultKind | None]


def read_call(method: str, raw_path: bytes, body: bytes) -> Call | None:
    path = raw_path.decode("ascii")
    segments = path.partition("/v1/itemvisibilities/")[2].split("/")
    operation = OPERATION_BY_SHAPE.get((method, len(segments)))
    if operation is None:
        return None

    supplier, item, *rest = (unquote(segment, errors="strict") for segment in segments)
    recipient_id = rest[1] if rest else None
    recipients = tuple(json.loads(body)) if operation == SET_VISIBILITIES.name else ()
    return Call(operation, ItemKey(supplier, item), recipient_id, recipients)


def apply_call(fake: FakeVisibilities, call: Call) -> tuple[int, list[str]]:
    """Apply the call to the fake.

    Return the status of the answer and the recipients that a read found.
    """
    item = call.item
    try:
        match call.operation:
            case GET_VISIBILITIES.name:
                recipients = fake.get_visibilities(item)
                status = 404 if recipients is None else 200
                return status, sorted(recipients or ())
            case SET_VISIBILITIES.name:
                fake.set_visibilities(item, call.recipients)
            case REMOVE_VISIBILITIES.name:
                fake.remove_visibilities(item)
            case ADD_VISIBILITY.name:
                fake.add_visibility(item, call.recipient_id or "")
            case _:
                fake.remove_visibility(item, call.recipient_id or "")
    except CallError as error:
        return (error.problem.status if error.problem else 500), []
    return 204, []


def no_fault(_call: Call) -> FaultKind | None:
    """Let every call succeed."""
    return None


def fail_times(
    kind: FaultKind, times: int, *, operation: str | None = None
) -> FaultChoice:
    """Return a function that fails the first `times` calls of each operation with the
    same ids.
    """

    def choose(call: Call) -> FaultKind | None:
        fails = call.number <= times and operation in (None, call.operation)
        return kind if fails else None

    return choose


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. In header names, underscores replace hyphens."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


PLAIN_ANSWERS = {
    FaultKind.BAD_GATEWAY_HTML: Answer(
        502, b"<html><h1>Bad Gateway</h1></html>", "text/html"
    ),
    FaultKind.GATEWAY_TIMEOUT_AFTER: Answer(
        504, b"<html>Gateway Time-out</html>", "text/html"
    ),
    FaultKind.HTML_200: Answer(200, b"<html>Please log in</html>", "text/html"),
    FaultKind.REDIRECT_302: Answer(
        302, b"", "text/html", {"Location": "http://127.0.0.1:1/login"}
    ),
    FaultKind.BODY_204: Answer(204, b"junk", "text/plain", {"Content_Length": "4"}),
}


class TokenEndpoint:
    """A token endpoint for one client.

    Attributes:
        always: the answer to every request, or None to issue a token.
        issued: every token that was issued.
        refused: every Authorization header that the service refused.
    """

    def __init__(self) -> None:
        self.always: Answer | None = None
        self.issued: list[str] = []
        self.refused: list[str] = []
        self._lock = threading.Lock()

    def accepts(self, authorization: str) -> bool:
        with self._lock:
            is_accepted = authorization.removeprefix("Bearer ") in self.issued
            if not is_accepted:
                self.refused.append(authorization)
            return is_accepted

    def answer(self, body: bytes) -> Answer:
        form = parse_qs(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True
        )
        if self.always is not None:
            return self.always
        is_id = form.get("client_id") == [CLIENT_ID]
        is_secret = form.get("client_secret") == [CLIENT_SECRET]
        if not (is_id and is_secret):
            return Answer(
                401, b'{"error":"invalid_client","error_description":"Unknown client"}'
            )

        with self._lock:
            token = f"token-{len(self.issued) + 1}-never-shown"
            self.issued.append(token)
        grant = {"access_token": token, "token_type": "Bearer", "expires_in": 300}
        return Answer(200, json.dumps(grant).encode())


class FaultService:
    """The five operations and the token endpoint on a port of 127.0.0.1, with faults on
    demand.

    If a call hangs, its connection is cut after `hang_s`. `tokens` is the token
    endpoint; every call needs one of its tokens.
    """

    def __init__(
        self,
        semantics: Semantics = STANDARD,
        *,
        choose_fault: FaultChoice = no_fault,
        hang_s: float = 1.2,
    ) -> None:
        self.fake = FakeVisibilities(semantics=semantics)
        self.choose_fault = choose_fault
        self.hang_s = hang_s
        self.tokens = TokenEndpoint()
        self.log: list[Call] = []
        self.crashes: list[str] = []
        self.is_stopping = threading.Event()
        self._lock = threading.Lock()
        self._numbers: Counter[tuple[str, ItemKey, str | None]] = Counter()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()
        self.auth_url = f"http://127.0.0.1:{self._server.server_port}"
        self.base_url = f"{self.auth_url}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    @property
    def is_quiet(self) -> bool:
        return not self._server.connections

    def stop(self) -> None:
        """Stop listening and cut every connection.

        Raise AssertionError if this service has crashed.
        """
        self.is_stopping.set()
        self._server.shutdown()
        self._server.cut_connections()
        self._server.server_close()
        self._thread.join(5)
        assert not self.crashes, self.crashes

    def begin(self, semantics: Semantics, choose_fault: FaultChoice = no_fault) -> None:
        """Start again without items and log, and count calls from 1.

        Tokens stay valid.
        """
        with self._lock:
            self.fake = FakeVisibilities(semantics=semantics)
            self.choose_fault = choose_fault
            self.log.clear()
            self._numbers.clear()

    def receive(self, call: Call) -> tuple[Call, int, list[str]]:
        """Choose a fault, apply and log the call, and return the call, its status and
        what it read.
        """
        key = (call.operation, call.item, call.recipient_id)
        with self._lock:
            self._numbers[key] += 1
            call = replace(call, number=self._numbers[key])
        call = replace(call, fault=self.choose_fault(call))
        status, recipients = apply_call(self.fake, call) if call.is_applied else (0, [])
        with self._lock:
            self.log.append(call)
        return call, status, recipients


class _Server(ThreadingHTTPServer):
    """A server with one thread per connection.

    It keeps exceptions, so that `stop` can report them.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, service: FaultService) -> None:
        self.service = service
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  (the base class's types)
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401  (the base class's types)
        self.connections.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        """Cut all connections, so that threads that wait for another request end."""
        for connection in tuple(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002, ANN401  (the base class's types)
        """Keep the exception, unless the client has only disconnected."""
        if not isinstance(sys.exception(), ConnectionError):
            self.service.crashes.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    """A handler for one request: it checks the token, reads the call, chooses a fault
    and answers.
    """

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Log nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == TOKEN_PATH:
            self._send(self.server.service.tokens.answer(body))
        else:
            self._problem(404, "Not Found")

    def do_GET(self) -> None:
        service = self.server.service
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not service.tokens.accepts(self.headers.get("authorization", "")):
            self._problem(401, "Unauthorized", WWW_Authenticate="Bearer")
            return
        call = read_call(self.command, self.path.encode("latin-1"), body)
        if call is None:
            self._problem(404, "No such operation")
            return

        call, status, recipients = service.receive(call)
        if call.fault is not None:
            self._fail(call.fault, status)
        elif status == 200:
            self._send(Answer(200, json.dumps(recipients).encode()))
        elif status == 404 and call.operation != GET_VISIBILITIES.name:
            self._problem(404, "Nothing to remove")
        else:
            self._send(Answer(status, content_type=""))

    do_PUT = do_DELETE = do_GET  # noqa: N815  (the base class's names)

    def _fail(self, fault: FaultKind, status: int) -> None:
        service = self.server.service
        match fault:
            case FaultKind.RESET_BEFORE | FaultKind.RESET_AFTER:
                self._reset()
            case FaultKind.HANG_BEFORE | FaultKind.HANG_AFTER:
                service.is_stopping.wait(service.hang_s)
                self._reset()
            case FaultKind.UNAVAILABLE_SECONDS:
                self._problem(503, "Maintenance", Retry_After="0")
            case FaultKind.TOO_MANY_DATE:
                date = formatdate(usegmt=True)
                self._problem(429, "Too many calls", Retry_After=date)
            case FaultKind.TRUNCATED:
                self.close_connection = True
                shown = 200 if status == 200 else 500
                self._send(Answer(shown, b'["r1"', headers={"Content_Length": "5000"}))
            case FaultKind.ERROR_500_BEFORE | FaultKind.ERROR_500_AFTER:
                self._problem(500, "It broke")
            case FaultKind.BAD_REQUEST_400:
                self._problem(400, "That is not right")
            case _:
                self._send(PLAIN_ANSWERS[fault])

    def _problem(self, status: int, title: str, **headers: str) -> None:
        body = {
            "status": status,
            "title": title,
            "detail": f"{title}, said the service.",
        }
        self._send(Answer(status, json.dumps(body).encode(), PROBLEM, headers))

    def _send(self, answer: Answer) -> None:
        headers = {"Content_Type": answer.content_type} if answer.content_type else {}
        if answer.status != 204:
            headers["Content_Length"] = str(len(answer.body))
        self.send_response(answer.status)
        for name, value in (headers | answer.headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(answer.body)

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        socket.close(self.connection.detach())
