"""A port of this machine where each connection is served in a thread of its own."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress

_AT_ONCE = 8
Serve = Callable[[socket.socket], None]


@contextmanager
def listening(serve: Serve) -> Iterator[int]:
    """Give the port; at the end accept no more connections, and let the open ones end.

    The thread that accepts ends before those that serve, so whatever it has accepted is served and closed.
    """
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as server,
        ThreadPoolExecutor(_AT_ONCE) as serving,
        ThreadPoolExecutor(1) as accepting,
    ):

        def serve_one(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                serve(connection)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    serving.submit(serve_one, server.accept()[0])

        accepting.submit(accept)
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
