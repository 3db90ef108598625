"""The opening of our own records."""

from item_visibility.errors import RecordsError
from item_visibility.storage.database.absent_database import AbsentDatabase
from item_visibility.storage.database.connecting import Database, open_database
from item_visibility.storage.database.migration import migrate, require_used


def open_records(database_url: str, *, must_exist: bool = False) -> Database:
    """Open the records in this database; first create it or bring it up to date.

    With `must_exist`, a database that this program has not used yet is refused, and not created.

    `database_url` is `sqlite:///path` or `postgresql://…`. Raises RecordsError when the database
    cannot be used, or was made by another version of this program.
    """
    database = open_database(database_url, must_exist=must_exist)
    try:
        if must_exist:
            require_used(database)
        migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def open_records_or_none(database_url: str) -> Database:
    """Open the records; when that fails, return a database that says why to whoever asks it."""
    try:
        return open_records(database_url)
    except RecordsError as error:
        return AbsentDatabase(error)
