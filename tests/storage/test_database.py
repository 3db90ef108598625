"""Opening the database: migrations, several processes, and unusable databases."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, select, text

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.storage.database import Database, queue_url
from item_visibility.storage.directory import Directory
from item_visibility.storage.open_records import (
    HEAD,
    open_records,
    open_records_or_unusable,
)
from item_visibility.storage.schema import known_id

PROCESSES = 3
ROOT = Path(__file__).parents[2]
OPEN = (
    "import sys; from item_visibility.storage.open_records import open_records;"
    " open_records(sys.argv[1]).close()"
)


def test_the_orm_is_imported_before_the_first_query() -> None:
    code = (
        "import sys, item_visibility.storage.database;"
        " sys.exit('sqlalchemy.orm' not in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode
        == 0
    )


def test_a_check_for_write_access_changes_nothing(records: Database) -> None:
    records.check_writing()
    with records.read() as connection:
        assert (
            connection.scalar(text("SELECT version_num FROM alembic_version")) == HEAD
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


def test_sqlite_writes_survive_a_loss_of_power(tmp_path: Path) -> None:
    folder = tmp_path / "50% off"
    folder.mkdir()
    records = open_records(f"sqlite:///{folder / 'records.sqlite'}")
    with records.read() as connection:
        modes = [
            connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous")
        ]
        foreign_keys = connection.scalar(text("PRAGMA foreign_keys"))
    records.close()
    assert modes == ["wal", 2]
    assert foreign_keys == 1


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


@pytest.mark.parametrize(
    ("records_url", "expected"),
    [
        ("sqlite:////data/records.sqlite", "sqlite:////data/records-jobs.sqlite"),
        ("sqlite:///demo", "sqlite:///demo-jobs"),
        ("postgresql://us:p%40ss@db/name", "postgresql+psycopg://us:p%40ss@db/name"),
    ],
)
def test_the_queue_is_beside_the_records(records_url: str, expected: str) -> None:
    assert queue_url(records_url) == expected


@pytest.mark.peer
def test_a_user_who_may_not_create_the_queue_gets_an_error(postgres_url: str) -> None:
    records = open_records(postgres_url)
    records.check_queue()
    engine = create_engine(postgres_url)
    name = f"plain_{engine.url.database}"
    with engine.begin() as connection:
        connection.execute(text(f"CREATE ROLE {name} LOGIN"))
        connection.execute(text(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}"))
    records.close()
    records = open_records(engine.url.set(username=name).render_as_string())
    with pytest.raises(
        RecordsError, match="may not make or use the schema item_visibility_jobs"
    ) as refusal:
        records.check_queue()
    with engine.begin() as connection:
        connection.execute(
            text(f"CREATE SCHEMA item_visibility_jobs AUTHORIZATION {name}")
        )
    records.check_queue()
    records.close()
    engine.dispose()
    assert "CREATE SCHEMA item_visibility_jobs" in refusal.value.advice


def test_all_queries_of_one_read_see_the_same_state(database_url: str) -> None:
    records = open_records(database_url)
    directory = Directory(records, service="default")
    with records.read() as connection:
        before = connection.scalar(select(func.count()).select_from(known_id))
        directory.remember([ItemKey("S", "I")])
        assert connection.scalar(select(func.count()).select_from(known_id)) == before
    records.close()
