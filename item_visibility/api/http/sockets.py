"""Sockets that end an exchange by its deadline, even when data arrives slowly.

httpcore's timeouts apply to one piece at a time. A head that comes at one byte a second, or an endless
series of 103 answers, would hold a call for ever. Here every wait is cut to the time left for the exchange.
Only the DNS look-up keeps to the limits of the system's resolver instead.
"""

import math
import socket
import ssl
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import cast

import httpcore

NAME_NOT_FOUND = "The name has no address"
_TLS_RECORD_BYTES = 16_384
_OVER = "the exchange takes longer than it may"


class Deadline:
    """The deadline of the exchange on a connection. `clock` counts seconds.

    One thread exchanges at a time; any thread may call `cut`.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends_at = math.inf
        self._socket: socket.socket | None = None
        self._is_cut = False

    def begin(self, ends_at: float) -> None:
        """Begin an exchange that must end by this time."""
        self._ends_at = ends_at

    def hold(self, held: socket.socket) -> None:
        """Keep the connection's socket, so that `cut` can shut it down."""
        self._socket = held

    def cut(self) -> None:
        """Abort the exchange now. The thread that waits for the socket wakes up and closes it."""
        self._is_cut = True
        if self._socket is not None:
            with suppress(OSError):  # it is closed already, or was never connected
                socket.socket.shutdown(
                    self._socket, socket.SHUT_RDWR
                )  # not TLS's own, which changes its state

    def left_s(self, wait_s: float | None, too_late: type[Exception]) -> float:
        """Return the seconds to wait for the next piece; raise `too_late` when the deadline has passed."""
        left_s = -1.0 if self._is_cut else self._ends_at - self._clock()
        if left_s <= 0:
            raise too_late(_OVER)
        return left_s if wait_s is None else min(wait_s, left_s)


class Sockets(httpcore.NetworkBackend):
    """Connects within the deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._system = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that accepts."""
        failure: Exception = httpcore.ConnectError(NAME_NOT_FOUND)
        for address in _addresses(host, port):
            wait_s = self._deadline.left_s(timeout, httpcore.ConnectTimeout)
            try:
                made = self._system.connect_tcp(address, port, wait_s, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(made, self._deadline)
        raise failure


class _Stream(httpcore.NetworkStream):
    """A connection that cuts every wait to the time left for the exchange."""

    def __init__(self, system: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._system = system
        self._deadline = deadline
        self._socket: socket.socket = system.get_extra_info("socket")
        self._is_in_tls_of_proxy = isinstance(system.get_extra_info("ssl_object"), ssl.SSLObject)
        deadline.hold(self._socket)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._system.read(max_bytes, self._deadline.left_s(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send everything. The other side may accept it byte by byte, but not for ever."""
        rest = memoryview(buffer)
        del buffer  # it holds the token: a traceback with local variables would show it
        try:
            while rest:
                rest = rest[self._send(rest, self._deadline.left_s(timeout, httpcore.WriteTimeout)) :]
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    def _send(self, rest: memoryview, wait_s: float) -> int:
        """Send a piece, and return its size. In the TLS of a proxy, the socket would show it to the proxy."""
        if self._is_in_tls_of_proxy:
            piece = rest[:_TLS_RECORD_BYTES]
            self._system.write(cast("bytes", piece), wait_s)  # a view: tracebacks show nothing of it
            return len(piece)
        if wait_s != self._socket.gettimeout():  # setting it asks the system, and lets others run
            self._socket.settimeout(wait_s)
        return self._socket.send(rest)

    def close(self) -> None:
        self._system.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        wait_s = self._deadline.left_s(timeout, httpcore.ConnectTimeout)
        return _Stream(self._system.start_tls(ssl_context, server_hostname, wait_s), self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._system.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"{NAME_NOT_FOUND}: {error}") from error
    return [str(address[0]) for *_, address in found]
