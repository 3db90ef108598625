"""A slow server that sends its answers in pieces, with a short pause between them."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from http.client import parse_headers

from tests.support.listening import listening

PAUSE_S = 0.02
PIECES = 500
"""The server sends this many pieces, each after a pause: 10 s in all.

The complete answer is valid.
"""

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
)
TOKEN = b'{"access_token": "t", "expires_in": 3600}'
Play = Callable[[socket.socket], None]


def whole(body: bytes) -> Play:
    """Answer at once."""

    def play(connection: socket.socket) -> None:
        connection.sendall(HEAD % len(body) + body)

    return play


def drip(*, before: bytes = b"", piece: bytes, after: bytes) -> Play:
    def play(connection: socket.socket) -> None:
        connection.sendall(before)
        for _ in range(PIECES):
            time.sleep(PAUSE_S)
            connection.sendall(piece)
        connection.sendall(after)

    return play


DRIPPING_HEAD = drip(
    before=b"HTTP/1.1 200 OK\r\nX-Slow: ",
    piece=b"x",
    after=b"\r\nContent-Length: 2\r\n\r\n[]",
)
EARLY_HINTS = drip(piece=b"HTTP/1.1 103 Early Hints\r\n\r\n", after=HEAD % 2 + b"[]")
DRIPPING_BODY = drip(before=HEAD % (PIECES + 2), piece=b" ", after=b"[]")


class SlowServer:
    """A server with one answer for token requests and one for calls, which it repeats
    on each connection.

    `connections` lists the accepted connections. `has_begun` is set when an answer
    begins. `ended` lists the methods of the requests that were answered completely.
    """

    def __init__(self, call: Play) -> None:
        self._plays = {b"POST": whole(TOKEN), b"GET": call, b"PUT": call}
        self.connections: list[socket.socket] = []
        self.has_begun = threading.Event()
        self.ended: list[bytes] = []
        self._until_closed = ExitStack()
        port = self._until_closed.enter_context(listening(self._serve))
        self.auth_url = f"http://127.0.0.1:{port}"
        self.base_url = f"{self.auth_url}/v1"

    def close(self) -> None:
        self._until_closed.close()

    def _serve(self, connection: socket.socket) -> None:
        self.connections.append(connection)
        with connection.makefile("rb") as requests:
            for line in iter(requests.readline, b""):
                method = line.partition(b" ")[0]
                length = parse_headers(requests).get("Content-Length", "0")
                requests.read(int(length))
                self.has_begun.set()
                self._plays[method](connection)
                self.ended.append(method)
