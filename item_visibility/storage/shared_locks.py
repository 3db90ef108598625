"""Locks that all processes on one database share: one at a time changes an item.

A lock is freed when the process that holds it ends, even if it crashes.
docs/decisions/shared-locks.md describes the guarantees and the limits.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy.exc import SQLAlchemyError

from item_visibility.errors import RecordsError
from item_visibility.storage.database_errors import ADVICE, database_errors
from item_visibility.storage.rows import digest
from item_visibility.timeouts import LOOK_FOR_LOCK_S

# PostgreSQL probes a silent client after 10, 15 and 20 seconds, and frees its locks
# after 25 seconds.
_NOTICE_DEAD_HOSTS = sa.text(
    "SELECT set_config('tcp_keepalives_idle', '10', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
_TRY_LOCK = sa.text("SELECT pg_try_advisory_lock(:key)")
_UNLOCK = sa.text("SELECT pg_advisory_unlock(:key)")
_PING = sa.text("SELECT :key IS NOT NULL")


class SharedLocks(ABC):
    """Named locks that exclude other processes and other threads. Thread-safe.

    There are `count` locks. If two names have the same lock, only one of them can be
    held at a time.
    """

    count = 2**63

    def __init__(self) -> None:
        self._held: set[int] = set()
        self._is_closed = False
        self._mutex = Lock()

    @contextmanager
    def holding(
        self, *name: str, sleep: Callable[[float], None]
    ) -> Iterator[Callable[[], bool]]:
        """Wait until the lock of this name is free, and hold it while the block runs.

        Yields a function that returns whether the lock is still held. A lock is lost
        when the connection to the database is lost. `sleep` can raise an exception to
        end the wait. Raises RecordsError.
        """
        key = self._key(name)
        while not self._take(key):
            sleep(LOOK_FOR_LOCK_S)
        try:
            yield partial(self._holds, key)
        finally:
            self._free(key)

    @contextmanager
    def holding_if_free(self, *name: str) -> Iterator[bool]:
        """Hold the lock while the block runs. Yields False if the lock is not free."""
        key = self._key(name)
        is_held = self._take(key)
        try:
            yield is_held
        finally:
            if is_held:
                self._free(key)

    def is_free(self, *name: str) -> bool:
        """Return True if no process and no thread holds the lock. Raises RecordsError.

        This takes the lock for a moment, so another process may find it taken.
        """
        key = self._key(name)
        with self._mutex:
            self._refuse_when_closed()
            if key in self._held or not self._lock(key):
                return False
            self._unlock(key)
            return True

    def close(self) -> None:
        """Free all locks. Taking a lock afterwards raises RecordsError."""
        with self._mutex:
            self._is_closed = True
            self._unlock_all()

    def _key(self, name: tuple[str, ...]) -> int:
        return int(digest(*name), 16) % self.count

    def _take(self, key: int) -> bool:
        with self._mutex:
            self._refuse_when_closed()
            if key in self._held or not self._lock(key):
                return False
            self._held.add(key)
            return True

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise RecordsError("The dashboard's own database was closed.", advice="")

    def _holds(self, key: int) -> bool:
        with self._mutex:
            return not self._is_closed and self._is_locked(key)

    def _free(self, key: int) -> None:
        with self._mutex:
            self._held.discard(key)
            if not self._is_closed:
                self._unlock(key)

    @abstractmethod
    def _lock(self, key: int) -> bool:
        """Lock a key that is free in this process. False if another one holds it."""

    @abstractmethod
    def _is_locked(self, key: int) -> bool:
        """Return True if the lock is still held. Must not raise."""

    @abstractmethod
    def _unlock(self, key: int) -> None:
        """Unlock a key that was locked. Must not raise."""

    @abstractmethod
    def _unlock_all(self) -> None:
        """Unlock every key."""


class PostgresLocks(SharedLocks):
    """Advisory locks of one session.

    When the session ends, all are lost. The next lock starts a new session.
    """

    def __init__(self, engine: sa.Engine) -> None:
        super().__init__()
        self._engine = engine
        self._session: sa.Connection | None = None
        self._locked: set[int] = set()

    def _lock(self, key: int) -> bool:
        with database_errors():
            try:
                is_locked = self._query(_TRY_LOCK, key)
            except SQLAlchemyError:
                # The old session was lost, so this query starts a new one.
                is_locked = self._query(_TRY_LOCK, key)
        if is_locked:
            self._locked.add(key)
        return is_locked

    def _is_locked(self, key: int) -> bool:
        try:
            return key in self._locked and self._query(_PING, key)
        except SQLAlchemyError:
            return False

    def _unlock(self, key: int) -> None:
        if key in self._locked:
            self._locked.discard(key)
            # A lost session has freed the lock.
            with suppress(SQLAlchemyError):
                self._query(_UNLOCK, key)

    def _unlock_all(self) -> None:
        session = self._session
        self._session = None
        self._locked.clear()
        if session is not None:
            # A session that went back to the pool would keep its locks.
            session.invalidate()
            session.close()

    def _query(self, query: sa.TextClause, key: int) -> bool:
        """Run a query in the session, or in a new one. An error ends the session."""
        try:
            if self._session is None:
                session = self._engine.connect()
                self._session = session.execution_options(isolation_level="AUTOCOMMIT")
                self._session.execute(_NOTICE_DEAD_HOSTS)
            return bool(self._session.scalar(query, {"key": key}))
        except SQLAlchemyError:
            self._unlock_all()
            raise


class FileLocks(SharedLocks):
    """Locks of the operating system on files, which it frees when the process ends."""

    count = 1_024

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._locked: dict[int, FileLock] = {}

    def _lock(self, key: int) -> bool:
        path = self._path(key)
        lock = FileLock(
            path, blocking=False, thread_local=False, fallback_to_soft=False
        )
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            raise RecordsError(
                f"The folder {self._folder} could not be used: {error.strerror}.",
                advice=ADVICE,
            ) from None
        self._locked[key] = lock
        return True

    def _is_locked(self, key: int) -> bool:
        return key in self._locked

    def _unlock(self, key: int) -> None:
        self._locked.pop(key).release()

    def _unlock_all(self) -> None:
        for key in tuple(self._locked):
            self._unlock(key)

    def _path(self, key: int) -> Path:
        return self._folder / f"{key:04d}.lock"


class FileLockForEachName(FileLocks):
    """File locks in which no two names share a lock.

    A file is deleted when its lock is freed.
    """

    count = SharedLocks.count

    def _unlock(self, key: int) -> None:
        # A file that stays does no harm.
        with suppress(OSError):
            self._path(key).unlink()
        # A process that waits for a deleted file notices this, and makes a new one.
        super()._unlock(key)
