"""The database: SQLite or PostgreSQL, opened and brought up to date."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from item_visibility_service.service_settings import ServiceSettingsError

VERSION_TABLE = "visibility_service_version"
"""Our own table name, so that other programs may share the database."""

_HAS_RIGHTS = os.name == "posix"  # Windows keeps the folder of a user private
_MIGRATION_LOCK = 7_262_391_054_118_201
_SWITCH = "PRAGMA journal_mode = WAL"
_OTHER_SWITCHES_S = 0.5
_BEGIN = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"}


def open_database(url: str) -> Engine:
    """Return an engine on a database with the newest tables; raises ServiceSettingsError.

    Its connections commit each statement; `transaction` groups several. Their errors can end up in a
    log, so they hold no values: the signing key is one.
    """
    engine = _engine(url)
    try:
        if engine.dialect.name == "sqlite":
            _use_write_ahead_log(engine)
        _migrate(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        shown = engine.url.set(query={}).render_as_string(hide_password=True)  # a query may hold a password
        raise ServiceSettingsError(
            f"The database {shown} cannot be used ({type(error).__name__})."
        ) from error
    return engine


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Run the block as one transaction, rolled back if it raises. SQLite has one writer at a time."""
    with engine.connect() as connection:
        connection.exec_driver_sql(_BEGIN[engine.dialect.name])
        yield connection
        connection.exec_driver_sql("COMMIT")


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # SQLAlchemy 2.1 lets the ValueError of an odd port pass
        raise ServiceSettingsError("The address of the database is not one that SQLAlchemy knows.") from None
    if "@" in (parsed.host or ""):  # the text before it is the end of a password
        raise ServiceSettingsError("In the address of the database, write an @ in the password as %40.")
    match parsed.get_backend_name():
        case "sqlite" if parsed.database and parsed.database != ":memory:":
            _make_private(Path(parsed.database))
            engine = create_engine(
                parsed, isolation_level="AUTOCOMMIT", hide_parameters=True, connect_args={"timeout": 30}
            )
            event.listen(engine, "connect", _sync_seldom)
            return engine
        case "postgresql":
            return create_engine(
                parsed, isolation_level="AUTOCOMMIT", hide_parameters=True, pool_pre_ping=True
            )
    raise ServiceSettingsError("The database must be an SQLite file or PostgreSQL.")


def _make_private(path: Path) -> None:
    """Create the file, or make it private: it holds the key that signs tokens.

    SQLite gives its companion files the same rights. The engine reports a bad path.
    """
    if not _HAS_RIGHTS or str(path).startswith("file:"):
        return
    with suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT, 0o600))
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):  # not there, or somebody else's
            path.with_name(f"{path.name}{suffix}").chmod(0o600)


def _sync_seldom(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """Sync less often. A power cut may lose the last changes, never the file. Needs the write-ahead log."""
    connection.cursor().execute("PRAGMA synchronous = NORMAL")


def _use_write_ahead_log(engine: Engine) -> None:
    """Switch to a write-ahead log, so readers and a writer do not block each other. The file keeps it.

    SQLite does not wait for another process that switches at the same moment, so this is asked once more.
    """
    with engine.connect() as connection:
        try:
            connection.exec_driver_sql(_SWITCH)
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_OTHER_SWITCHES_S)
            connection.exec_driver_sql(_SWITCH)


def _migrate(engine: Engine) -> None:
    """Bring the tables up to date. If two processes start at once, one waits for the other."""
    with transaction(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
        config = Config()
        config.set_main_option("script_location", "item_visibility_service:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
