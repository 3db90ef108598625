"""Locks that all processes on one database share, so that one of them at a time changes an item.

A lock ends with the process that holds it, however that ends: nobody has to judge whether it is alive.
docs/decisions/shared-locks.md says what holds, and what does not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Protocol

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, TextClause, text
from sqlalchemy.exc import SQLAlchemyError

from item_visibility.errors import RecordsError
from item_visibility.storage.database.told_errors import ADVICE, told
from item_visibility.timeouts import (
    DEAD_HOST_IDLE_S,
    DEAD_HOST_PROBE_EVERY_S,
    DEAD_HOST_PROBES,
    LOOK_FOR_LOCK_S,
)

_FILES = 1_024
"""Items share this many files. Two that share one wait for each other, which is rare and harms nothing."""

_NOTICE_DEAD_HOSTS = text(
    f"SELECT set_config('tcp_keepalives_idle', '{DEAD_HOST_IDLE_S}', false),"
    f" set_config('tcp_keepalives_interval', '{DEAD_HOST_PROBE_EVERY_S}', false),"
    f" set_config('tcp_keepalives_count', '{DEAD_HOST_PROBES}', false)"
)
_TRY = text("SELECT pg_try_advisory_lock(:key)")
_FREE = text("SELECT pg_advisory_unlock(:key)")
_LOOK = text("SELECT :key IS NOT NULL")


class LocksByNumber(Protocol):
    """Locks numbered from 0 to 2**63 - 1. One thread calls at a time, and takes none that it holds."""

    def take(self, key: int) -> bool:
        """Take the lock if it is free. False when somebody else holds it. Raises RecordsError."""
        ...

    def holds(self, key: int) -> bool:
        """True while a lock that was taken is held. Never raises."""
        ...

    def free(self, key: int) -> None:
        """Free a lock that was taken. Never raises."""
        ...

    def close(self) -> None:
        """Free all."""
        ...


class SharedLocks:
    """Locks by name, which exclude other processes and other threads. Thread-safe."""

    def __init__(self, locks: LocksByNumber) -> None:
        self._locks = locks
        self._taken: set[int] = set()
        self._is_closed = False
        self._turn = Lock()

    @contextmanager
    def holding(self, *name: str, sleep: Callable[[float], None]) -> Iterator[Callable[[], bool]]:
        """Wait until nobody holds the lock of this name, and hold it while the block runs.

        Yields a function that tells whether it is still held: it may be lost with the database. An exception
        of `sleep` ends the wait. Raises RecordsError when our own database cannot be used.
        """
        key = _key(name)
        while not self._take(key):
            sleep(LOOK_FOR_LOCK_S)
        try:
            yield partial(self._holds, key)
        finally:
            self._free(key)

    @contextmanager
    def holding_if_free(self, *name: str) -> Iterator[bool]:
        """Hold the lock while the block runs, if nobody else does: yields whether it is held."""
        key = _key(name)
        is_held = self._take(key)
        try:
            yield is_held
        finally:
            if is_held:
                self._free(key)

    def close(self) -> None:
        """Free all, and take none any more."""
        with self._turn:
            self._is_closed = True
            self._locks.close()

    def _take(self, key: int) -> bool:
        with self._turn:
            if self._is_closed:
                raise RecordsError("The dashboard's own database was closed.", advice="")
            if key in self._taken or not self._locks.take(key):
                return False
            self._taken.add(key)
            return True

    def _holds(self, key: int) -> bool:
        with self._turn:
            return not self._is_closed and self._locks.holds(key)

    def _free(self, key: int) -> None:
        with self._turn:
            self._taken.discard(key)
            self._locks.free(key)


def _key(name: tuple[str, ...]) -> int:
    digest = blake2b(digest_size=8)
    for part in name:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8) + data)
    return int.from_bytes(digest.digest()) >> 1


class PostgresLocks:
    """Advisory locks of one session. PostgreSQL frees them when the session ends.

    The session may be lost, with all that it holds. The next lock begins a new one.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._session: Connection | None = None
        self._held: set[int] = set()

    def take(self, key: int) -> bool:
        """Take the lock if no other session holds it. A session that was lost meanwhile harms nothing."""
        was_used = self._session is not None
        with told():
            try:
                is_taken = self._ask(_TRY, key)
            except SQLAlchemyError:
                if not was_used:
                    raise
                is_taken = self._ask(_TRY, key)
        if is_taken:
            self._held.add(key)
        return is_taken

    def holds(self, key: int) -> bool:
        """Ask the session whether it still lives."""
        try:
            return key in self._held and self._ask(_LOOK, key)
        except SQLAlchemyError:
            return False

    def free(self, key: int) -> None:
        """Free the lock; when its session was lost, it is free already."""
        if key in self._held:
            self._held.discard(key)
            try:
                self._ask(_FREE, key)
            except SQLAlchemyError:
                return

    def close(self) -> None:
        """End the session."""
        session, self._session = self._session, None
        self._held.clear()
        if session is not None:
            session.invalidate()  # a session that went back to the pool would keep its locks
            session.close()

    def _ask(self, question: TextClause, key: int) -> bool:
        """Ask the session, and begin it first if there is none. Without an answer it is given up."""
        try:
            if self._session is None:
                self._session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
                self._session.execute(_NOTICE_DEAD_HOSTS)
            return bool(self._session.scalar(question, {"key": key}))
        except SQLAlchemyError:
            self.close()
            raise


class FileLocks:
    """Locks of the operating system on files in a folder. It frees them when a process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[int, FileLock] = {}
        self._held: set[int] = set()

    def take(self, key: int) -> bool:
        """Take the lock if nobody else holds its file."""
        number = key % _FILES
        if number in self._held:
            return False
        try:
            self._file(number).acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            raise RecordsError(
                f"The folder {self._folder} could not be used: {error.strerror}.", advice=ADVICE
            ) from None
        self._held.add(number)
        return True

    def holds(self, key: int) -> bool:
        """True until it is freed: the operating system takes none away."""
        return key % _FILES in self._held

    def free(self, key: int) -> None:
        """Free the lock; after `close` it is free already."""
        number = key % _FILES
        if number in self._held:
            self._held.discard(number)
            self._files[number].release()

    def close(self) -> None:
        """Free all."""
        for number in tuple(self._held):
            self.free(number)

    def _file(self, number: int) -> FileLock:
        if number not in self._files:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._files[number] = FileLock(
                self._folder / f"{number:04d}.lock",
                thread_local=False,
                is_singleton=False,
                fallback_to_soft=False,
            )
        return self._files[number]
