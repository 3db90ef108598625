"""A backup that was made while the program ran is restored as docs/operations.md says."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from item_visibility.storage.database import open_records
from item_visibility.storage.history import HistoryFilter, HistorySearch
from item_visibility.storage.saves import History
from tests.storage.entries import begin, save
from tests.support.postgres import PostgresServer, find_programs
from tests.support.thorough import this_is_thorough

SERVICE = "default"


def kept(database_url: str) -> dict[str, bool]:
    with closing(open_records(database_url)) as records:
        entries = HistorySearch(records, service=SERVICE).all(HistoryFilter())
        return {entry.request.key: entry.result is not None for entry in entries}


def test_an_sqlite_file_is_put_in_its_place(tmp_path: Path) -> None:
    file, copy = tmp_path / "records.sqlite", tmp_path / "copy.sqlite"
    url = f"sqlite:///{file}"
    with closing(open_records(url)) as records:
        history = History(records, service=SERVICE)
        save(history, "before", add="A")
        begin(history, "open", add="B")
        with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(copy)) as new:
            old.backup(new)
        save(history, "later", add="C")
    copy.replace(file)
    for beside in ("-wal", "-shm"):
        file.with_name(f"{file.name}{beside}").unlink(missing_ok=True)
    assert kept(url) == {"before": True, "open": False}


@pytest.mark.peer
@pytest.mark.skipif(not this_is_thorough(), reason="two databases and two programs take a second: --thorough")
def test_a_dump_of_postgresql_is_restored_into_an_empty_database(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    programs, file = find_programs(), tmp_path / "records.dump"
    assert programs is not None
    old, new = (postgres_server.create_database() for _ in range(2))
    with closing(open_records(old)) as records:
        history = History(records, service=SERVICE)
        save(history, "before", add="A")
        begin(history, "open", add="B")
        address = f"--dbname={old.replace('+psycopg', '')}"
        subprocess.run([programs / "pg_dump", "--format=custom", f"--file={file}", address], check=True)
        save(history, "later", add="C")
    address = f"--dbname={new.replace('+psycopg', '')}"
    subprocess.run([programs / "pg_restore", "--exit-on-error", "--no-owner", address, file], check=True)
    assert kept(new) == {"before": True, "open": False}
    postgres_server.take_back(old)
    postgres_server.take_back(new)
