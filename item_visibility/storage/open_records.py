"""Opens the dashboard's own database.

A new database gets all tables, and an older one the migrations that it lacks.
"""

from pathlib import Path

from sqlalchemy import Connection, create_engine, inspect, text

from item_visibility.errors import RecordsError
from item_visibility.storage.database import (
    READ_REVISION,
    Database,
    open_database,
    sqlite_file,
)
from item_visibility.storage.schema import metadata
from item_visibility.storage.shared_locks import PostgresLocks

HEAD = "0002"
"""The newest migration. If the database has it, Alembic is not imported (0.4 s)."""
MIGRATIONS = Path(__file__).resolve().parent / "migrations"

_OTHER_DATABASE = (
    "Run this with the dashboard's settings: the same variables, in the same folder."
)
# Any number will do, as long as every process uses the same.
_MIGRATION_LOCK = text("SELECT pg_advisory_xact_lock(4964156313)")


def open_records(database_url: str, *, must_exist: bool = False) -> Database:
    """Open this database. If necessary, create it or run the missing migrations first.

    With `must_exist`, raise RecordsError if this program has not used the database yet.
    `database_url` is `sqlite:///path` or `postgresql://…`. Raises RecordsError when the
    database cannot be used, or was made by another version of this program.
    """
    file = sqlite_file(database_url)
    if must_exist and file is not None and not file.is_file():
        raise RecordsError(f"There is no database {file}.", advice=_OTHER_DATABASE)

    database = open_database(database_url)
    try:
        _migrate(database, must_exist=must_exist)
    except BaseException:
        database.close()
        raise
    return database


def open_records_or_unusable(database_url: str) -> Database:
    """Open this database.

    If that fails, return a Database that raises the error at every use.
    """
    try:
        return open_records(database_url)
    except RecordsError as error:
        # This engine never connects.
        engine = create_engine("sqlite://")
        return Database(engine, PostgresLocks(engine), error=error)


def _migrate(database: Database, *, must_exist: bool) -> None:
    """Create the tables or run the missing migrations.

    If several processes start at once, only one of them does so. Raises RecordsError,
    and changes nothing, if another version of this program made the database.
    """
    with database.read() as connection:
        revision = _revision(connection)
    if must_exist and revision is None:
        raise RecordsError(
            "The dashboard has not used this database yet. Nothing was changed.",
            advice=_OTHER_DATABASE,
        )
    if revision == HEAD:
        return

    # On SQLite, the write transaction itself is the lock.
    with database.write() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(_MIGRATION_LOCK)
        revision = _revision(connection)
        if revision != HEAD:
            _bring_up_to_date(connection, is_new=revision is None)


def _revision(connection: Connection) -> str | None:
    has_table = inspect(connection).has_table("alembic_version")
    revision: str | None = connection.scalar(READ_REVISION) if has_table else None
    return revision


def _bring_up_to_date(connection: Connection, *, is_new: bool) -> None:
    """Create all tables in a new database, or run the missing migrations."""
    # Importing Alembic takes 0.4 s, which only the first start needs.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection

    if is_new:
        metadata.create_all(connection)
        command.stamp(config, "head")
        return

    try:
        command.upgrade(config, "head")
    except CommandError:
        # Alembic does not know the revision.
        raise RecordsError(
            "The dashboard's own database was made by another version of this"
            " program. Nothing was changed.",
            advice="Start that version, or use another database for this version.",
        ) from None
