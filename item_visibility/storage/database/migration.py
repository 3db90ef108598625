"""The migration of the database when the program starts."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from item_visibility.errors import RecordsError
from item_visibility.storage.database.connecting import NO_SUCH_DATABASE, Database

HEAD = "20261125b"
"""The newest migration. If the database already has it, alembic need not even be imported."""

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"
_LOCK = 4_964_156_313  # any number, the same in every process of this program


def migrate(database: Database) -> None:
    """Bring the database up to date. If several processes start at once, only one does it.

    Raises RecordsError, and changes nothing, when another version of this program made the database.
    """
    with database.read() as connection:
        if _revision(connection) == HEAD:
            return
    with database.write() as connection:
        _lock(connection)
        if _revision(connection) != HEAD:
            _upgrade(connection)


def require_used(database: Database) -> None:
    """Raise RecordsError when this program has not used the database yet."""
    with database.read() as connection:
        revision = _revision(connection)
    if revision is None:
        raise RecordsError(
            "The dashboard has not used this database yet. Nothing was changed.", advice=NO_SUCH_DATABASE
        )


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def _lock(connection: Connection) -> None:
    """Wait for other processes. On SQLite, the write transaction itself is the lock."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})


def _upgrade(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415  (0.4 s that only the first start needs)
    from alembic.config import Config  # noqa: PLC0415  (the same)
    from alembic.script import ScriptDirectory  # noqa: PLC0415  (the same)

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if _revision(connection) not in known | {None}:
        raise RecordsError(
            "The dashboard's own database was made by another version of this program. Nothing was changed.",
            advice="Start that version, or give this one a database of its own.",
        )
    command.upgrade(config, "head")
