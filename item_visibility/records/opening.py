"""The opening of our own records."""

from item_visibility.records.database.connecting import Database, open_database
from item_visibility.records.database.migration import migrate


def open_records(database_url: str) -> Database:
    """Open the records in this database; first create it or bring it up to date.

    `database_url` is `sqlite:///path` or `postgresql://…`. Raises RecordsError when the database
    cannot be used, or was made by another version of this program.
    """
    database = open_database(database_url)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return database
