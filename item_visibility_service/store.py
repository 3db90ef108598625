"""The stored visibilities, on SQLite or PostgreSQL.

Spec: "Resources and their fields"; Note N14.
"""

import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    MetaData,
    SmallInteger,
    Table,
    Text,
    and_,
    bindparam,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry

from item_visibility_service.limits import MAX_RECIPIENTS
from item_visibility_service.settings import ServiceSettingsError

METADATA = MetaData()

# PostgreSQL compares identifiers byte by byte, as SQLite does.
_IDENTIFIER = Text().with_variant(Text(collation="C"), "postgresql")
VISIBILITY = Table(
    "visibility",
    METADATA,
    Column("supplier", _IDENTIFIER, primary_key=True),
    Column("supplier_item_id", _IDENTIFIER, primary_key=True),
    Column("recipient_id", _IDENTIFIER, primary_key=True),
    sqlite_with_rowid=False,
)
SIGNING_KEY = Table(
    "signing_key",
    METADATA,
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    Column("secret", Text, nullable=False),
)
"""The only row of this table is the key that signs access tokens.

All processes on this database use it.
"""

VERSION_TABLE = "visibility_service_version"
"""Not Alembic's default name, so that another program can use the same database."""

_MIGRATIONS = "item_visibility_service:migrations"
_MIGRATION_LOCK = 7_262_391_054_118_201
_USE_WRITE_AHEAD_LOG = "PRAGMA journal_mode = WAL"
_WAIT_FOR_OTHER_PROCESS_S = 0.5
_BEGIN = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"}
_READ_SQLITE = """
    SELECT recipient_id FROM visibility
    WHERE supplier = ? AND supplier_item_id = ? ORDER BY recipient_id
"""


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """One item of one supplier."""

    supplier: str
    supplier_item_id: str


_WHOLE_STORE = Item(supplier="", supplier_item_id="")
"""Not a real item. Its lock is used for work on the whole store, such as filling it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The recipients that a call added and removed."""

    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


class StoreUnavailableError(Exception):
    """The database cannot be reached, or is too busy."""


class ListFullError(Exception):
    """The item's list would exceed the recipient limit; nothing was changed."""


class Store:
    """The visibilities of all items. Every method is one transaction. Thread-safe.

    Methods raise StoreUnavailableError. `is_local` is True if calls are so fast that
    they need no thread.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.is_local = engine.dialect.name == "sqlite"

        # A read through SQLAlchemy takes six times as long as through the driver.
        if self.is_local:
            self._read_lock = Lock()
            self._reader = engine.raw_connection()
            self._read = self._reader.cursor().execute

    def recipients(self, item: Item) -> tuple[str, ...]:
        """Return the recipients that can see the item, sorted. Note N10."""
        if not self.is_local:
            with self._reading() as connection:
                return _recipients(connection, item)

        key = (item.supplier, item.supplier_item_id)
        try:
            with self._read_lock:
                rows = self._read(_READ_SQLITE, key).fetchall()
        except sqlite3.OperationalError as error:
            raise StoreUnavailableError(type(error).__name__) from error
        return tuple([recipient_id for (recipient_id,) in rows])

    def replace(
        self, item: Item, recipients: frozenset[str], *, merges: bool = False
    ) -> Change:
        """Set the recipients of the item.

        `merges` keeps the existing ones. Raises ListFullError. Note N3.
        """
        with self._changing(item) as connection:
            present = frozenset(_recipients(connection, item))
            removed = frozenset[str]() if merges else present - recipients
            if len(present | recipients) - len(removed) > MAX_RECIPIENTS:
                raise ListFullError

            if removed:
                is_recipient = VISIBILITY.c.recipient_id == bindparam("removed")
                rows = [{"removed": recipient_id} for recipient_id in sorted(removed)]
                connection.execute(
                    delete(VISIBILITY).where(_is(item), is_recipient), rows
                )
            added = recipients - present
            _add(connection, {item: added})
            return Change(added=added, removed=removed)

    def add(self, item: Item, recipient_id: str) -> Change:
        """Make the item visible to one recipient; raises ListFullError."""
        count = select(func.count()).select_from(VISIBILITY).where(_is(item))
        count_same = count.where(VISIBILITY.c.recipient_id == recipient_id)
        with self._changing(item) as connection:
            if connection.scalar(count_same):
                return Change()
            if (connection.scalar(count) or 0) >= MAX_RECIPIENTS:
                raise ListFullError

            added = frozenset({recipient_id})
            _add(connection, {item: added})
            return Change(added=added)

    def remove(self, item: Item, recipient_id: str) -> Change:
        """Remove the visibility of the item for one recipient."""
        with self._changing(item) as connection:
            is_recipient = VISIBILITY.c.recipient_id == recipient_id
            result = connection.execute(
                delete(VISIBILITY).where(_is(item), is_recipient)
            )
            return Change(removed=frozenset({recipient_id} if result.rowcount else ()))

    def remove_all(self, item: Item) -> Change:
        """Remove all visibilities of the item."""
        with self._changing(item) as connection:
            change = Change(removed=frozenset(_recipients(connection, item)))
            connection.execute(delete(VISIBILITY).where(_is(item)))
            return change

    def load(self, visibilities: Mapping[Item, frozenset[str]]) -> None:
        """Fill the store if it is empty. Otherwise do nothing."""
        with self._changing(_WHOLE_STORE) as connection:
            if connection.scalar(select(VISIBILITY.c.supplier).limit(1)) is None:
                _add(connection, visibilities)

    def clear(self) -> None:
        """Remove every visibility of every item."""
        with self._changing(_WHOLE_STORE) as connection:
            connection.execute(delete(VISIBILITY))

    def signing_key(self) -> str:
        """Return the key that signs access tokens. The first call creates it."""
        with self._changing(_WHOLE_STORE) as connection:
            existing: str | None = connection.scalar(select(SIGNING_KEY.c.secret))
            if existing:
                return existing

            created = secrets.token_urlsafe(32)
            connection.execute(insert(SIGNING_KEY), {"only": 1, "secret": created})
            return created

    def check(self) -> None:
        """Raise StoreUnavailableError if the database does not answer."""
        with self._reading() as connection:
            connection.execute(select(SIGNING_KEY.c.only))

    def close(self) -> None:
        """Close all connections."""
        if self.is_local:
            self._reader.close()
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with _unavailable_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _changing(self, item: Item) -> Iterator[Connection]:
        """Open a transaction in which no other call can change the item."""
        with _unavailable_errors(), transaction(self._engine) as connection:
            # SQLite has one writer at a time anyway.
            if not self.is_local:
                lock = func.pg_advisory_xact_lock(
                    func.hashtext(item.supplier), func.hashtext(item.supplier_item_id)
                )
                connection.execute(select(lock))
            yield connection


@contextmanager
def _unavailable_errors() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeoutError) as error:
        raise StoreUnavailableError(type(error).__name__) from error


def _is(item: Item) -> ColumnElement[bool]:
    return and_(
        VISIBILITY.c.supplier == item.supplier,
        VISIBILITY.c.supplier_item_id == item.supplier_item_id,
    )


def _recipients(connection: Connection, item: Item) -> tuple[str, ...]:
    ordered = (
        select(VISIBILITY.c.recipient_id)
        .where(_is(item))
        .order_by(VISIBILITY.c.recipient_id)
    )
    return tuple(connection.scalars(ordered))


def _add(connection: Connection, visibilities: Mapping[Item, frozenset[str]]) -> None:
    rows = []
    for item, recipients in visibilities.items():
        key = {
            "supplier": item.supplier,
            "supplier_item_id": item.supplier_item_id,
        }
        rows += [
            {**key, "recipient_id": recipient_id} for recipient_id in sorted(recipients)
        ]
    if rows:
        connection.execute(insert(VISIBILITY), rows)


def open_database(url: str) -> Engine:
    """Return an engine after bringing the tables up to date.

    Each statement is committed at once, except in `transaction`. Raises
    ServiceSettingsError. Errors contain no values, because errors are logged and a
    value can be the signing key.
    """
    engine = _create_engine(url)
    try:
        if engine.dialect.name == "sqlite":
            _use_write_ahead_log(engine)
        _migrate(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        # The query can hold a password.
        shown = engine.url.set(query={}).render_as_string(hide_password=True)
        raise ServiceSettingsError(
            f"The database {shown} cannot be used ({type(error).__name__})."
        ) from error
    except CommandError:
        # Alembic does not know the revision.
        engine.dispose()
        raise ServiceSettingsError(
            "The database was made by another version of this program. Nothing was "
            "changed."
        ) from None
    return engine


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Run the block as one transaction.

    It is rolled back if the block raises an error.
    """
    with engine.connect() as connection:
        connection.exec_driver_sql(_BEGIN[engine.dialect.name])
        yield connection
        connection.exec_driver_sql("COMMIT")


def _create_engine(url: str) -> Engine:
    # Check the address.
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # SQLAlchemy 2.1 raises ValueError for an invalid port.
        raise ServiceSettingsError(
            "The address of the database is not valid for SQLAlchemy."
        ) from None
    if "@" in (parsed.host or ""):
        # Part of the password was read as the host.
        raise ServiceSettingsError(
            "In the address of the database, write an @ in the password as %40."
        )

    # Choose the options of the database.
    file = parsed.database or ""
    is_file = bool(file) and not file.startswith((":memory:", "file:"))
    options: dict[str, object]
    match parsed.get_backend_name():
        case "sqlite" if is_file:
            _make_private(Path(file))
            options = {"connect_args": {"timeout": 30}}
        case "postgresql":
            options = {"pool_pre_ping": True}
        case _:
            raise ServiceSettingsError(
                "The database must be an SQLite file or PostgreSQL."
            )

    engine = create_engine(
        parsed, isolation_level="AUTOCOMMIT", hide_parameters=True, **options
    )
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _sync_less_often)
    return engine


def _make_private(path: Path) -> None:
    """Create the file so that only its owner can read it.

    It contains the key that signs tokens. SQLite gives the files beside it the same
    mode.
    """
    # A bad path is reported when the database is opened.
    with suppress(OSError):
        path.touch(mode=0o600)

    for suffix in ("", "-wal", "-shm"):
        # The file may be missing, or belong to another user.
        with suppress(OSError):
            path.with_name(f"{path.name}{suffix}").chmod(0o600)


def _sync_less_often(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """Write to the disk less often.

    A power cut can lose the last changes, but cannot damage the file.
    """
    connection.cursor().execute("PRAGMA synchronous = NORMAL")


def _use_write_ahead_log(engine: Engine) -> None:
    """Let readers and a writer work at the same time.

    The setting is stored in the file. There is a second attempt, because the first one
    can fail while another process changes the setting.
    """
    with engine.connect() as connection:
        try:
            connection.exec_driver_sql(_USE_WRITE_AHEAD_LOG)
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_WAIT_FOR_OTHER_PROCESS_S)
            connection.exec_driver_sql(_USE_WRITE_AHEAD_LOG)


def _migrate(engine: Engine) -> None:
    """Create the tables or run the missing migrations.

    If two processes start at once, the second waits.
    """
    with transaction(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(
                f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"
            )

        config = Config()
        config.set_main_option("script_location", _MIGRATIONS)
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection

        if inspect(connection).has_table(VERSION_TABLE):
            command.upgrade(config, "head")
        else:
            METADATA.create_all(connection)
            command.stamp(config, "head")
