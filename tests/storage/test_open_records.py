"""Opening the database: creation, several processes, and unusable databases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from item_visibility.errors import RecordsError
from item_visibility.storage.database import Database
from item_visibility.storage.open_records import (
    HEAD,
    open_records,
    open_records_or_unusable,
)

PROCESSES = 3
ROOT = Path(__file__).parents[2]
OPEN = (
    "import sys; from item_visibility.storage.open_records import open_records;"
    " open_records(sys.argv[1]).close()"
)


def test_records_that_are_closed_or_cannot_be_opened_raise_errors(
    records_url: str, tmp_path: Path
) -> None:
    records = open_records(records_url)
    absent = open_records_or_unusable(f"sqlite:///{tmp_path}/nowhere/records.sqlite")
    records.close()
    for use in (Database.check_reading, Database.check_writing):
        with pytest.raises(RecordsError, match="could not be used"):
            use(absent)
        with pytest.raises(RecordsError, match="was closed"):
            use(records)
    absent.close()


def test_a_database_that_must_exist_is_not_created(
    database_url: str, tmp_path: Path
) -> None:
    with pytest.raises(
        RecordsError, match=r"has not used this database yet|There is no database"
    ):
        open_records(database_url, must_exist=True)
    file = tmp_path / "empty.sqlite"
    file.touch()
    with pytest.raises(RecordsError, match="has not used this database yet"):
        open_records(f"sqlite:///{file}", must_exist=True)


def test_several_processes_that_start_at_once_make_the_tables_once(
    database_url: str,
) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, database_url],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
        )
        for _ in range(PROCESSES)
    ]
    errors = [process.communicate(timeout=60)[1].decode() for process in started]
    assert errors == [""] * PROCESSES
    engine = create_engine(database_url)
    with engine.connect() as connection:
        assert connection.scalars(
            text("SELECT version_num FROM alembic_version")
        ).all() == [HEAD]
    engine.dispose()


@pytest.mark.parametrize(
    "database_url",
    [
        "",
        "nonsense",
        "mysql://user:s3cret@host/name",
        "sqlite://",
        "sqlite:///:memory:",
        "::s3cret::",
        "postgresql://user:p@s3cret@host/name",
        "postgresql://user:s3cret@host:port/name",
    ],
)
def test_an_address_that_is_no_database_of_ours_is_refused(database_url: str) -> None:
    with pytest.raises(RecordsError) as refusal:
        open_records(database_url)
    assert "sqlite:///path/to/file" in refusal.value.advice
    assert "s3cret" not in refusal.value.message


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("letter", "file is not a database"),
        ("missing/records.sqlite", "unable to open database file"),
    ],
)
def test_a_file_that_is_no_database_is_left_as_it_is(
    tmp_path: Path, file: str, message: str
) -> None:
    letter = tmp_path / "letter"
    letter.write_bytes(b"This is a letter, and no database. " * 100)
    with pytest.raises(RecordsError, match=message):
        open_records(f"sqlite:///{tmp_path / file}")
    assert list(tmp_path.iterdir()) == [letter]
    assert letter.read_bytes()[:16] == b"This is a letter"


@pytest.mark.peer
def test_an_unreachable_server_is_reported_without_the_password() -> None:
    with pytest.raises(RecordsError, match="could not be used") as refusal:
        open_records("postgresql://ada:s3cret@127.0.0.1:1/records")
    assert "s3cret" not in refusal.value.message
    assert "database" in refusal.value.advice
