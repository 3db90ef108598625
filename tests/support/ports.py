"""Ports for programs that are told theirs: free ones that the system gives to nobody else meanwhile."""

import random
import socket

_BELOW_THE_SYSTEMS_OWN = range(20_000, 32_000)
"""Linux gives 32768 and above to whoever asks for any port, macOS and Windows 49152 and above."""


def free_port() -> int:
    """A port of this machine that no program has now."""
    return next(port for port in iter(_any_port, None) if _is_free(port))


def _any_port() -> int:
    return random.choice(_BELOW_THE_SYSTEMS_OWN)  # noqa: S311  (two runs beside each other differ)


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
