"""The database is opened, brought up to date, and refused where it cannot be used."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, insert, inspect
from sqlalchemy.exc import IntegrityError

from item_visibility_service.service_settings import ServiceSettingsError
from item_visibility_service.storage import service_database
from item_visibility_service.storage.service_database import VERSION_TABLE, open_database
from item_visibility_service.storage.visibility_tables import METADATA, SIGNING_KEY
from tests.support.bundled_service import sqlite_url

OPEN_AND_READ_KEY = """
import sys
from item_visibility_service.storage.service_database import open_database
from item_visibility_service.storage.visibility_store import Store
print("ready", flush=True)
sys.stdin.readline()
store = Store(open_database(sys.argv[1]))
print(store.signing_key())
store.close()
"""


def test_processes_that_start_at_once_share_a_fresh_database(database_url: str) -> None:
    """One makes the tables, the other waits for it; both sign with the same key."""
    command = [sys.executable, "-c", OPEN_AND_READ_KEY, database_url]
    starters = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    waiting = [starter.stdout.readline() for starter in starters if starter.stdout]

    outputs = [starter.stdin.write("go\n") and starter.stdin.flush() for starter in starters if starter.stdin]
    answers = [starter.communicate(timeout=60) for starter in starters]

    assert (waiting, len(outputs)) == (["ready\n"] * 2, 2)
    assert [errors for _, errors in answers] == ["", ""]
    assert len({key for key, _ in answers}) == 1


def test_a_file_that_another_process_switches_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite says at once that it is locked, when two switch to the write-ahead log."""
    pauses: list[float] = []
    engine = create_engine(sqlite_url(tmp_path), connect_args={"timeout": 0}, isolation_level="AUTOCOMMIT")

    with closing(sqlite3.connect(tmp_path / "service.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        leave = partial(other.execute, "ROLLBACK")
        clock = SimpleNamespace(sleep=lambda pause_s: (pauses.append(pause_s), leave()))
        monkeypatch.setattr(service_database, "time", clock)
        service_database._use_write_ahead_log(engine)  # noqa: SLF001  (an engine that does not wait)
        mode = other.execute("PRAGMA journal_mode").fetchone()
    engine.dispose()

    assert (len(pauses), mode) == (1, ("wal",))


def test_a_file_that_cannot_be_switched_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a locked one is asked again."""
    monkeypatch.setattr(service_database, "_SWITCH", "NO SUCH STATEMENT")
    monkeypatch.setattr(service_database, "time", None)
    with pytest.raises(ServiceSettingsError):
        open_database(sqlite_url(tmp_path))


def test_the_migrations_make_the_tables_that_the_store_uses(database_url: str) -> None:
    """Table by table and column by column, under a version table of our own."""
    open_database(database_url).dispose()

    engine = create_engine(database_url)
    found = inspect(engine)
    tables = {
        name: [column["name"] for column in found.get_columns(name)] for name in found.get_table_names()
    }
    engine.dispose()

    expected = {name: [column.name for column in table.columns] for name, table in METADATA.tables.items()}
    assert tables == expected | {VERSION_TABLE: ["version_num"]}


def test_an_error_of_the_database_holds_no_values(database_url: str) -> None:
    """It can end in a log, and the signing key is one of the values."""
    engine = open_database(database_url)
    with engine.connect() as connection:
        connection.execute(insert(SIGNING_KEY), {"only": 1, "secret": "never-shown"})
        with pytest.raises(IntegrityError) as caught:
            connection.execute(insert(SIGNING_KEY), {"only": 1, "secret": "never-shown"})
    engine.dispose()

    assert "INSERT INTO signing_key" in str(caught.value)
    assert "never-shown" not in str(caught.value)


def test_a_database_is_opened_again_as_it_was_left(database_url: str) -> None:
    """Migrations that ran are not run again."""
    open_database(database_url).dispose()
    engine = open_database(database_url)

    with engine.connect() as connection:
        versions = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").all()  # noqa: S608  (a constant)
    engine.dispose()

    assert versions == [("0001",)]


def test_sqlite_keeps_a_write_ahead_log_and_no_row_ids(tmp_path: Path) -> None:
    """Readers and writers do not wait for each other, and the table is its own index."""
    engine = open_database(sqlite_url(tmp_path))
    with engine.connect() as connection:
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        synchronous = connection.exec_driver_sql("PRAGMA synchronous").scalar()
        made = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = 'visibility'").scalar()
    engine.dispose()

    assert (mode, synchronous, str(made).split(")")[-1].strip()) == ("wal", 1, "WITHOUT ROWID")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "not one that SQLAlchemy knows"),
        ("sqlite://", "an SQLite file or PostgreSQL"),
        ("sqlite:///:memory:", "an SQLite file or PostgreSQL"),
        ("mysql://u:hidden@h/d", "an SQLite file or PostgreSQL"),
        ("sqlite:////proc/no/such/folder/x.sqlite", "cannot be used"),
        ("postgresql://u:hidden@h:port/d", "not one that SQLAlchemy knows"),
        ("postgresql://u:p@hidden@h/d", "as %40"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(url: str, message: str) -> None:
    """With words, and without the password that its address may hold."""
    with pytest.raises(ServiceSettingsError, match=message) as caught:
        open_database(url)

    assert "hidden" not in str(caught.value)


@pytest.mark.peer
def test_a_postgresql_that_is_not_there_is_refused_without_its_password() -> None:
    """The message names the place, and not the secret."""
    with pytest.raises(ServiceSettingsError, match=r"u:\*\*\*@127\.0\.0\.1:1/d") as caught:
        open_database("postgresql+psycopg://u:hidden@127.0.0.1:1/d?password=hidden")

    assert "hidden" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="rights of this kind are POSIX's")
@pytest.mark.parametrize("is_there", [True, False])
def test_the_file_with_the_signing_key_is_its_owners_alone(tmp_path: Path, *, is_there: bool) -> None:
    """So are the files beside it while it is open; also a file that everybody could read before."""
    before = os.umask(0o022)
    (tmp_path / ("service.sqlite" if is_there else "another")).touch(mode=0o644)
    engine = open_database(sqlite_url(tmp_path))
    with engine.connect() as connection:
        connection.execute(insert(SIGNING_KEY).values(only=1, secret="never-shown"))
        rights = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("service.sqlite*")}
    engine.dispose()
    os.umask(before)
    assert rights == dict.fromkeys(("service.sqlite", "service.sqlite-wal", "service.sqlite-shm"), 0o600)


@pytest.mark.parametrize(("url", "has_rights"), [("file:x?uri=true", True), ("x.sqlite", False)])
def test_what_is_no_file_or_has_no_such_rights_is_left_alone(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_rights: bool
) -> None:
    """Such as a database in memory, and any on Windows."""
    monkeypatch.setattr(service_database, "_HAS_RIGHTS", has_rights)
    monkeypatch.chdir(tmp_path)
    service_database._engine(f"sqlite:///{url}").dispose()  # noqa: SLF001  (before anything is made by others)
    assert list(tmp_path.iterdir()) == []
