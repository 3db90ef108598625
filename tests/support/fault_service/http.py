"""The HTTP server of the fault service, which sends each answer, good or bad."""

import json
import socket
import struct
import sys
import time
import traceback
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from item_visibility.client.operations import GET_VISIBILITIES
from tests.support.fault_service.calls import Call, FaultKind, LoggedCall
from tests.support.fault_service.tokens import TOKEN_PATH, Answer

if TYPE_CHECKING:
    from tests.support.fault_service.service import FaultService

PROBLEM = "application/problem+json"
PLAIN_ANSWERS = {
    FaultKind.BAD_GATEWAY_HTML: Answer(502, b"<html><h1>Bad Gateway</h1></html>", "text/html"),
    FaultKind.GATEWAY_TIMEOUT_AFTER: Answer(504, b"<html>Gateway Time-out</html>", "text/html"),
    FaultKind.HTML_200: Answer(200, b"<html>Please log in</html>", "text/html"),
    FaultKind.REDIRECT_302: Answer(302, b"", "text/html", {"Location": "http://127.0.0.1:1/login"}),
    FaultKind.BODY_204: Answer(204, b"junk", "text/plain", {"Content_Length": "4"}),
}


class FaultServer(ThreadingHTTPServer):
    """A server with one thread per connection; it keeps its own errors for the test."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, service: "FaultService") -> None:
        self.service = service
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), FaultHandler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  (the base class's types)
        """Remember the connection, so it can be cut."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401  (the base class's types)
        """Forget the connection."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        """Cut all connections, to wake every thread that waits for another request."""
        for connection in tuple(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401, ARG002  (the base class's types)
        """Keep the error, unless the client just left."""
        if not isinstance(sys.exception(), ConnectionError):
            self.service.crashes.append(traceback.format_exc())


class FaultHandler(BaseHTTPRequestHandler):
    """A handler for one request: it checks the token, reads the call, picks a fault and answers."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: FaultServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name)
        """Log nothing."""

    def do_POST(self) -> None:
        """Answer a token request."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path != TOKEN_PATH:
            self._problem(404, "Not Found")
            return
        answer = self.server.service.tokens.answer(body, self.headers.get("content-type", ""))
        if answer is None:
            self._reset()
            return
        self._answer(answer.status, answer.content_type, answer.body, **answer.headers)

    def do_GET(self) -> None:
        """Run one of the five operations."""
        service = self.server.service
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not service.tokens.accepts(self.headers.get("authorization", "")):
            self._problem(401, "Unauthorized", WWW_Authenticate="Bearer")
            return
        call = service.read_call(self.command, self.path.encode("latin-1"), body)
        if call is None:
            self._problem(404, "No such operation")
            return
        fault = service.choose_fault(call)
        is_applied = fault is None or fault.is_applied
        status, recipients = service.apply(call) if is_applied else (0, [])
        service.note(LoggedCall(call, fault, is_applied))
        if fault is None:
            self._succeed(call, status, recipients)
        else:
            self._fail(fault, status)

    do_PUT = do_DELETE = do_GET  # noqa: N815  (the base class's names)

    def _succeed(self, call: Call, status: int, recipients: list[str]) -> None:
        if status == 200:
            self._answer(200, "application/json", json.dumps(recipients).encode())
        elif status == 404 and call.operation != GET_VISIBILITIES.name:
            self._problem(404, "Nothing to remove")
        else:
            self._answer(status)

    def _fail(self, fault: FaultKind, status: int) -> None:
        """Send the bad answer of this fault."""
        match fault:
            case FaultKind.RESET_BEFORE | FaultKind.RESET_AFTER:
                self._reset()
            case FaultKind.HANG_BEFORE | FaultKind.HANG_AFTER:
                self.server.service.is_stopping.wait(self.server.service.hang_s)
                self._reset()
            case FaultKind.UNAVAILABLE_SECONDS:
                self._problem(503, "Maintenance", Retry_After=str(self.server.service.retry_after_s))
            case FaultKind.TOO_MANY_DATE:
                date = formatdate(time.time() + self.server.service.retry_after_s, usegmt=True)
                self._problem(429, "Too many calls", Retry_After=date)
            case FaultKind.TRUNCATED:
                self.close_connection = True
                shown = 200 if status == 200 else 500
                self._answer(shown, "application/json", b'["r1"', Content_Length="5000")
            case FaultKind.ERROR_500_BEFORE | FaultKind.ERROR_500_AFTER:
                self._problem(500, "It broke")
            case FaultKind.BAD_REQUEST_400:
                self._problem(400, "That is not right")
            case _:
                answer = PLAIN_ANSWERS[fault]
                self._answer(answer.status, answer.content_type, answer.body, **answer.headers)

    def _problem(self, status: int, title: str, **headers: str) -> None:
        body = {"status": status, "title": title, "detail": f"{title}, said the service."}
        self._answer(status, PROBLEM, json.dumps(body).encode(), **headers)

    def _answer(self, status: int, content_type: str = "", body: bytes = b"", **headers: str) -> None:
        """Send an answer; header names are given with underscores."""
        if status != 204:
            headers.setdefault("Content_Length", str(len(body)))
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _reset(self) -> None:
        """Cut the connection with a reset, as a crashed peer does."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.close(self.connection.detach())
