"""The network: a limited number of connections, each used by one call at a time.

httpx keeps all connections in one pool and searches it for every call, so many simultaneous calls
wait for each other. Here a call takes a connection from a stack and returns it.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from item_visibility.timings_and_retries import KEEP_CONNECTION_S


class Connection(Protocol):
    """A connection of the HTTP library, which no module but `transport` knows."""

    def cut(self) -> None:
        """Abort the exchange in progress; its caller then closes the connection. Any thread may call this."""

    def close(self) -> None:
        """Close the connection."""


_Kind = TypeVar("_Kind", bound=Connection)


class NoneFreeError(Exception):
    """All connections stayed in use: nothing was sent."""


class Connections(Generic[_Kind]):
    """Up to `limit` connections, each opened by `open_one` when it is first needed. Thread-safe.

    The most recently used connection is used next, and one that stays idle for a while is closed.
    """

    def __init__(self, limit: int, open_one: Callable[[], _Kind], *, clock: Callable[[], float]) -> None:
        self._open_one = open_one
        self._clock = clock
        self._room = threading.Semaphore(limit)
        self._lock = threading.Lock()
        self._free: deque[tuple[float, _Kind]] = deque()
        self._in_use: set[_Kind] = set()
        self._is_closed = False

    @contextmanager
    def lend(self, wait_s: float) -> Iterator[_Kind]:
        """Give the block a connection of its own; raise NoneFreeError when none is free in time."""
        if not self._room.acquire(timeout=wait_s):
            raise NoneFreeError
        try:
            one = self._take()
            try:
                yield one
            finally:
                self._give_back(one)
        finally:
            self._room.release()

    def close(self) -> None:
        """Close all connections. An exchange in progress ends now, and fails."""
        with self._lock:
            self._is_closed = True
            free = [one for _, one in self._free]
            self._free.clear()
            for one in self._in_use:
                one.cut()
        for one in free:
            one.close()

    def _take(self) -> _Kind:
        with self._lock:
            one = self._free.pop()[1] if self._free else self._open_one()
            self._in_use.add(one)
            if self._is_closed:
                one.cut()
            return one

    def _give_back(self, one: _Kind) -> None:
        useless = None
        now_s = self._clock()
        with self._lock:
            self._in_use.discard(one)
            if self._is_closed:
                useless = one
            else:
                self._free.append((now_s, one))
                if now_s - self._free[0][0] > KEEP_CONNECTION_S:
                    useless = self._free.popleft()[1]
        if useless is not None:
            useless.close()
