"""Connections for reading and writing, on either database."""

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
)
from item_visibility.storage.schema import known_id

ROOT = Path(__file__).parents[2]


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
