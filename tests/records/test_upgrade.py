"""A database that an earlier version made and filled is brought up to date, and keeps every row."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, MetaData, create_engine, insert, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.outcome import Verdict
from item_visibility.records import KnownItem, Records, open_records
from item_visibility.records.migration import HEAD, MIGRATIONS
from tests.records.rows import rows_of

VERSION_0001 = Path(__file__).with_name("version_0001.sql")
ITEM = ItemKey("4000001000005", "04012345678901:276")
ODD_ITEM = ItemKey("Lieferant Süd", "x/../y")
ENVIRONMENTS = ("production", "test")


@pytest.fixture
def old_sqlite_url(tmp_path: Path) -> str:
    """The old database as SQLite keeps it."""
    file = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(VERSION_0001.read_text("utf-8"))
    return f"sqlite:///{file}"


@pytest.fixture
def old_postgres_url(old_sqlite_url: str, postgres_url: str) -> str:
    """The same rows in the tables that version 0001 made on PostgreSQL."""
    source, target = create_engine(old_sqlite_url), create_engine(postgres_url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    tables = MetaData()
    with source.connect() as old, target.begin() as new:
        config.attributes["connection"] = new
        command.upgrade(config, "0001")
        tables.reflect(new)
        del config.attributes["connection"]
        for table in tables.sorted_tables:
            copied = [dict(row) for row in old.execute(select(table)).mappings()]
            new.execute(table.delete())
            new.execute(insert(table), copied)
    source.dispose()
    target.dispose()
    return postgres_url


@pytest.fixture(params=["old_sqlite_url", pytest.param("old_postgres_url", marks=pytest.mark.peer)])
def old_url(request: pytest.FixtureRequest) -> str:
    """The old database of either kind."""
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
def engine(old_url: str) -> Iterator[Engine]:
    """A way into the database beside the program."""
    beside = create_engine(old_url)
    yield beside
    beside.dispose()


@pytest.fixture
def upgraded(old_url: str) -> Iterator[Records]:
    """The old database, opened by the program as it is now."""
    records = open_records(old_url)
    yield records
    records.close()


def test_every_row_is_kept(old_url: str, engine: Engine) -> None:
    """Table by table, column by column; only the number of the version is another."""
    before = rows_of(engine)
    open_records(old_url).close()
    after = rows_of(engine, columns_of=before)
    assert before.pop("alembic_version").rows == [("0001",)]
    assert after.pop("alembic_version").rows == [(HEAD,)]
    assert sum(len(kept.rows) for kept in before.values()) == 40
    assert after == before


def test_what_is_new_is_empty(upgraded: Records, engine: Engine) -> None:
    """An old save knows no set, was not restored from anything, and was settled when it was made."""
    upgraded.close()
    history = rows_of(engine)["history"]
    new = ("set_name", "set_recipients", "restored_from", "was_settled_later")
    found = {tuple(row[history.columns.index(name)] for name in new) for row in history.rows}
    assert {(*row[:3], bool(row[3])) for row in found} == {(None, None, None, False)}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_history_reads_as_before(upgraded: Records, environment: str) -> None:
    """A verified save, its undo that was refused in part, and one that was interrupted."""
    history = upgraded.history(environment=environment, base_url="https://api.example.com/v1")
    first, latest, (interrupted,) = history.entry("save-1"), history.latest(ITEM), history.unsettled()
    assert first is not None
    assert latest is not None
    assert (first.verdict, first.before, first.after) == (
        Verdict.VERIFIED,
        frozenset({"A", "B"}),
        frozenset({"B", "C"}),
    )
    assert (latest.verdict, latest.undo_of, latest.base_url) == (
        Verdict.DIFFERS,
        "save-1",
        f"https://{environment}.example.com/v1",
    )
    assert (interrupted.item, interrupted.request.add) == (ODD_ITEM, frozenset({"päckchen", "\x00"}))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_names_recent_items_and_facts_read_as_before(upgraded: Records, environment: str) -> None:
    """Everything that helps a person is still there."""
    directory = upgraded.directory(environment=environment)
    facts = upgraded.service_facts(environment=environment).all()
    assert directory.item(ITEM) == KnownItem(ITEM, "276", "Milch 3,5 %")
    assert directory.recipient_names(["A", "B", "päckchen"]) == {"A": "Anna", "B": "Berta"}
    assert upgraded.recent_items(environment=environment).latest("ann", limit=9) == (ITEM,)
    assert [(fact.value, fact.observed_at) for fact in facts] == [
        ("merges", datetime(2026, 11, 20, 14, 2, 31, 250_000, UTC))
    ]


def test_every_step_has_the_time_of_its_save(upgraded: Records, engine: Engine) -> None:
    """Saves of one recipient are found in their order, also those of before."""
    upgraded.close()
    rows = rows_of(engine)
    history, steps = rows["history"], rows["history_step"]
    times = {
        row[history.columns.index("id")]: row[history.columns.index("started_at")] for row in history.rows
    }
    found = {
        row[steps.columns.index("history_id")]: row[steps.columns.index("started_at")] for row in steps.rows
    }
    assert found == {row_id: times[row_id] for row_id in found}
