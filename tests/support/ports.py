"""Free ports for programs that need a fixed one; the system gives them to nobody else meanwhile."""

import random
import socket
from contextlib import suppress

_BELOW_THE_SYSTEMS_OWN = range(20_000, 32_000)
"""For "any port", Linux assigns 32768 and above, macOS and Windows 49152 and above."""


def free_port() -> int:
    while True:
        port = random.choice(_BELOW_THE_SYSTEMS_OWN)  # noqa: S311  (two runs beside each other differ)
        with suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            return port
