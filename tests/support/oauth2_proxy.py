"""The stand-in for oauth2-proxy behind nginx: it answers as version 7.6, and everybody is one person.

The program itself was tried once with a Keycloak: docs/decisions/sign-in.md.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

_COOKIE = "_oauth2_proxy=anna"
_WHO = {
    "X-Auth-Request-User": "4f7a",
    "X-Auth-Request-Email": "anna@example.com",
    "X-Auth-Request-Preferred-Username": "anna",
    "X-Auth-Request-Groups": "offline_access,item-visibility-editor",
}


class _Answers(BaseHTTPRequestHandler):
    """The three addresses that a browser or nginx asks."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer whether somebody is signed in, sign them in, or out."""
        path = self.path.partition("?")[0]
        if path == "/oauth2/auth":
            is_signed_in = _COOKIE in self.headers.get("Cookie", "")
            self._answer(
                HTTPStatus.ACCEPTED if is_signed_in else HTTPStatus.UNAUTHORIZED, _WHO if is_signed_in else {}
            )
        elif path == "/oauth2/start":
            back = self.headers["X-Auth-Request-Redirect"]
            self._answer(HTTPStatus.FOUND, {"Location": back, "Set-Cookie": f"{_COOKIE}; Path=/; Secure"})
        else:
            self._answer(HTTPStatus.OK, {"Set-Cookie": f"{_COOKIE}; Path=/; Max-Age=0"})

    def _answer(self, status: HTTPStatus, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write no log."""


@contextmanager
def run_oauth2_proxy() -> Iterator[int]:
    """Run it for the block, and give its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
