"""Ports of this machine: free ones, and one where each connection is served in a thread of its own."""

import random
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


_BELOW_THE_SYSTEMS_OWN = range(20_000, 32_000)
"""For "any port", Linux assigns 32768 and above, macOS and Windows 49152 and above."""


def free_port() -> int:
    while True:
        port = random.choice(_BELOW_THE_SYSTEMS_OWN)  # noqa: S311  (two runs beside each other differ)
        with suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            return port
