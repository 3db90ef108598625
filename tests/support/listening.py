"""Free ports of this machine, and a server that handles each connection in a thread."""

import random
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress

_AT_ONCE = 8
Serve = Callable[[socket.socket], None]


@contextmanager
def listening(serve: Serve) -> Iterator[int]:
    """Yield the port of a server.

    At the end, accept no more connections, and let open ones finish. The thread that
    accepts connections ends before the others, so every accepted connection is served.
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
"""Systems choose free ports from a higher range: from 32768 on Linux, from 49152 on
macOS and Windows.
"""


def free_port() -> int:
    while True:
        port = random.choice(_BELOW_THE_SYSTEMS_OWN)  # noqa: S311  (parallel runs choose differently)
        with suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            return port
