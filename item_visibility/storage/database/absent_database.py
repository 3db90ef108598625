"""In place of a database that cannot be opened: the rest can still be examined without it."""

from typing import NoReturn

from sqlalchemy import create_engine

from item_visibility.errors import RecordsError
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.shared_locks import PostgresLocks, SharedLocks


class AbsentDatabase(Database):
    """Raises the error of its opening, whatever it is asked."""

    def __init__(self, error: RecordsError) -> None:
        engine = create_engine("sqlite://")  # never connected
        super().__init__(engine, SharedLocks(PostgresLocks(engine)))
        self._told = error.message, error.advice

    def read(self) -> NoReturn:
        """Raise the error."""
        message, advice = self._told
        raise RecordsError(message, advice=advice)

    def write(self) -> NoReturn:
        """Raise the error."""
        self.read()
