"""Connections to the dashboard's own database, which is SQLite or PostgreSQL.

`open_records` opens the database and brings it up to date.
"""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path

import sqlalchemy.orm  # noqa: F401  (see `Database`)
from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    Table,
    create_engine,
    event,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from item_visibility.errors import RecordsError
from item_visibility.storage.column_types import UtcTime
from item_visibility.storage.database_errors import database_errors
from item_visibility.storage.private_files import make_private_database
from item_visibility.storage.rows import AnyRow, insert_or_update
from item_visibility.storage.shared_locks import (
    FileLockForEachName,
    FileLocks,
    PostgresLocks,
    SharedLocks,
)
from item_visibility.timeouts import DATABASE_BUSY_S

JOBS_SCHEMA = "item_visibility_jobs"
"""The PostgreSQL schema of the work queue."""

_EXAMPLES = (
    "It looks like sqlite:///path/to/file or postgresql://user:password@host/name;"
    " an @ in the password is written %40."
)
_MAY_USE_QUEUE = text(
    "SELECT CASE WHEN to_regnamespace(:schema) IS NULL"
    " THEN has_database_privilege(current_database(), 'CREATE')"
    " ELSE has_schema_privilege(to_regnamespace(:schema), 'USAGE') END"
).bindparams(schema=JOBS_SCHEMA)
_NOW = select(type_coerce(func.current_timestamp(), UtcTime()))
READ_REVISION = text("SELECT version_num FROM alembic_version")
_CHANGE_NOTHING = text("UPDATE alembic_version SET version_num = version_num")
_WRITES = "item_visibility_writes"


class Database:
    """Connections for reading and for writing, and locks.

    `locks` are for items, `job_locks` for jobs. On PostgreSQL they are the same,
    because each name has a lock of its own there.

    Database errors are raised as RecordsError. If `error` is given, every use of the
    database raises it, while the rest of the program still works.

    This module imports SQLAlchemy's ORM early, because SQLAlchemy uses it for enum
    values. Otherwise the thread of the work queue would import it later, and a query at
    that moment would fail.
    """

    def __init__(
        self,
        engine: Engine,
        locks: SharedLocks,
        job_locks: SharedLocks | None = None,
        *,
        error: RecordsError | None = None,
    ) -> None:
        self.locks = locks
        self.job_locks = job_locks or locks
        self._engine = engine
        self._error = error
        self._write_lock: AbstractContextManager[object]
        if engine.dialect.name == "sqlite":
            self._reading = engine
            self._write_lock = threading.RLock()
        else:
            # By default, each query of a PostgreSQL transaction sees the changes that
            # others have committed before the query.
            self._reading = engine.execution_options(isolation_level="REPEATABLE READ")
            self._write_lock = nullcontext()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a read-only connection. All its queries see the same state."""
        with database_errors(), self._connect(self._reading) as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection in a transaction. An error in the block undoes it.

        SQLite allows one writer at a time, and other writers sleep and retry. To avoid
        these retries, the threads of this process take turns. Of 400 writes by 8
        threads, the slowest took 0.2 s instead of 3 s.
        """
        with (
            database_errors(),
            self._write_lock,
            self._connect(self._engine) as connection,
        ):
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    def rows(self, query: Executable) -> Sequence[AnyRow]:
        """Return all rows that a query finds."""
        with self.read() as connection:
            return connection.execute(query).all()

    def row(self, query: Executable) -> AnyRow | None:
        """Return the first row that a query finds, or None."""
        with self.read() as connection:
            return connection.execute(query).first()

    def change(self, statement: Executable) -> int:
        """Execute a statement in a transaction. Return the number of changed rows."""
        with self.write() as connection:
            return connection.execute(statement).rowcount

    def put(
        self,
        table: Table,
        values: Mapping[str, object] | Sequence[Mapping[str, object]],
    ) -> None:
        """Save rows, replacing those with the same keys."""
        with self.write() as connection:
            connection.execute(insert_or_update(connection, table), values)

    def now(self) -> datetime:
        """Return the time of the database, which all processes share."""
        with self.read() as connection:
            return connection.execute(_NOW).scalar_one()

    def check_reading(self) -> None:
        """Raise RecordsError when nothing can be read."""
        self.row(READ_REVISION)

    def check_writing(self) -> None:
        """Raise RecordsError if nothing can be written, for example on a full disk."""
        self.change(_CHANGE_NOTHING)

    def check_queue(self) -> None:
        """Raise RecordsError when the work queue cannot be used or created."""
        if self._engine.dialect.name == "sqlite":
            # The queue is a file beside the database, which this process can write.
            return

        with self.read() as connection:
            may_use = connection.scalar(_MAY_USE_QUEUE)
        if not may_use:
            raise RecordsError(
                "Bulk jobs cannot be applied here: the database's user may not make"
                f" or use the schema {JOBS_SCHEMA}.",
                advice=(
                    f"An administrator can run CREATE SCHEMA {JOBS_SCHEMA}"
                    " AUTHORIZATION user_name. Only bulk jobs need this schema."
                ),
            )

    def close(self) -> None:
        """Close all connections and free all locks. Later use raises RecordsError."""
        self._error = RecordsError(
            "The dashboard's own database was closed.", advice=""
        )
        self.locks.close()
        self.job_locks.close()
        self._engine.dispose()

    def _connect(self, engine: Engine) -> Connection:
        # An engine that was disposed of would connect again, and stay open.
        if self._error is not None:
            raise RecordsError(self._error.message, advice=self._error.advice)
        return engine.connect()


def open_database(database_url: str) -> Database:
    """Return the database at a URL, without connecting yet.

    The URL is `sqlite:///path` or `postgresql://…`. Raises RecordsError for another
    one.
    """
    url = _read_url(database_url)
    if url.get_backend_name() != "sqlite":
        engine = create_engine(url, hide_parameters=True, pool_pre_ping=True)
        return Database(engine, PostgresLocks(engine))

    make_private_database(database_url)
    engine = create_engine(
        url, hide_parameters=True, connect_args={"timeout": DATABASE_BUSY_S}
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    folder = _beside(url, "locks", suffix="")
    return Database(engine, FileLocks(folder), FileLockForEachName(folder))


def sqlite_file(database_url: str) -> Path | None:
    """Return the path of a SQLite database, or None for PostgreSQL."""
    url = _read_url(database_url)
    is_sqlite = url.get_backend_name() == "sqlite"
    return Path(url.database or "") if is_sqlite else None


def queue_url(database_url: str) -> str:
    """Return the URL of the work queue.

    It is a file beside the SQLite file, or the same PostgreSQL database.
    """
    url = _read_url(database_url)
    if url.get_backend_name() == "sqlite":
        suffix = Path(url.database or "").suffix
        url = url.set(database=str(_beside(url, "jobs", suffix=suffix)))
    return url.render_as_string(hide_password=False)


def _beside(url: URL, name: str, *, suffix: str) -> Path:
    path = Path(url.database or "")
    return path.with_name(f"{path.stem}-{name}{suffix}")


def _read_url(database_url: str) -> URL:
    # SQLAlchemy 2.1 does not catch the ValueError for an invalid port.
    try:
        url = make_url(database_url)
    except (ArgumentError, ValueError):
        url = None

    # The text before an @ in the host is the end of a password.
    if url is None or "@" in (url.host or ""):
        raise RecordsError(
            "The address of the dashboard's own database cannot be read.",
            advice=_EXAMPLES,
        )

    if url.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite" and url.database not in (None, "", ":memory:"):
        return url
    raise RecordsError(
        "The dashboard keeps its own records in a SQLite file or in PostgreSQL,"
        f" not in {url.drivername!r}.",
        advice=_EXAMPLES,
    )


def _prepare_sqlite(
    connection: sqlite3.Connection, _entry: ConnectionPoolEntry
) -> None:
    """Use WAL, so that reads never wait, and durable commits (synchronous=FULL)."""
    # Transactions begin where we say, in `_begin_sqlite`.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction.

    If it will write, lock now: SQLite can refuse a lock after the first read.
    """
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
