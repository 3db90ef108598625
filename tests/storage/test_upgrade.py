"""Upgrades keep everything that a release or a backup stored.

An older program changes no newer database.
"""

import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import column, create_engine, inspect, select, table

from item_visibility.errors import RecordsError
from item_visibility.model.job import JobOrigin
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Verdict
from item_visibility.storage import open_records as open_records_module
from item_visibility.storage.database import Database
from item_visibility.storage.history import History, HistoryFilter
from item_visibility.storage.open_records import HEAD, MIGRATIONS, open_records
from item_visibility.storage.schema import metadata
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.storage.sign_outs import SignOuts
from item_visibility_service import store as store_module
from item_visibility_service.settings import ServiceSettingsError
from item_visibility_service.store import (
    METADATA,
    VERSION_TABLE,
    Item,
    Store,
    open_database,
)
from tests.storage.entries import begin, save
from tests.storage.stored_release import (
    ANN,
    ENVIRONMENT,
    ITEMS,
    NOT_A_SECRET,
    RELEASES,
    SERVICE,
    fill_dashboard,
)
from tests.support.postgres import PostgresServer, find_programs
from tests.support.thorough import this_is_thorough

SERVICE_HEAD = "0001"
"""The newest migration of the bundled service."""
TIMES_UNTIL_PREPARED = 6
"""psycopg prepares a statement after this many executions."""
NEXT_MIGRATION = """
import sqlalchemy as sa
from alembic import op
revision = "next"
down_revision = "{head}"
def upgrade():
    column = sa.Column("new", sa.Text, server_default="", nullable=False)
    op.add_column("{table}", column)
    op.create_index("ix_new", "{table}", ["new"])
    op.create_table("new_table", sa.Column("id", sa.Integer, primary_key=True))
"""


def use_next_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Add a migration to both programs, as a next version may do."""
    folders = {
        "history": MIGRATIONS,
        "visibility": Path(store_module.__file__).parent / "migrations",
    }
    heads = {"history": HEAD, "visibility": SERVICE_HEAD}
    for name, folder in folders.items():
        copy = tmp_path / name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "versions" / "next.py").write_text(
            NEXT_MIGRATION.format(table=name, head=heads[name])
        )
    monkeypatch.setattr(open_records_module, "MIGRATIONS", tmp_path / "history")
    monkeypatch.setattr(open_records_module, "HEAD", "next")
    monkeypatch.setattr(store_module, "_MIGRATIONS", str(tmp_path / "visibility"))


@pytest.fixture(params=[False, True], ids=["this version", "next version"])
def heads(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> tuple[str, str]:
    """Use this version or the next one.

    Return the newest migrations of the dashboard and of the service.
    """
    if request.param:
        use_next_version(monkeypatch, tmp_path)
        return "next", "next"
    return HEAD, SERVICE_HEAD


@pytest.fixture(params=sorted(path.name for path in RELEASES.iterdir()))
def release(request: pytest.FixtureRequest) -> Path:
    return RELEASES / str(request.param)


def restore(stored: Path, database_url: str) -> None:
    if database_url.startswith("sqlite"):
        shutil.copy(
            stored.with_name(f"{stored.name}.db"),
            database_url.removeprefix("sqlite:///"),
        )
        return
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute(stored.with_name(f"{stored.name}.sql").read_bytes())


def columns_of(database_url: str) -> dict[str, list[str]]:
    engine = create_engine(database_url)
    found = inspect(engine)
    tables = set(found.get_table_names()) - {"alembic_version", VERSION_TABLE}
    columns = {
        name: [one["name"] for one in found.get_columns(name)]
        for name in sorted(tables)
    }
    engine.dispose()
    return columns


def rows_of(
    database_url: str, columns: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    engine = create_engine(database_url)
    with engine.connect() as connection:
        rows = {
            name: sorted(
                map(
                    repr,
                    connection.execute(
                        select(*map(column, names)).select_from(table(name))
                    ),
                )
            )
            for name, names in columns.items()
        }
    engine.dispose()
    return rows


def test_an_upgrade_keeps_the_dashboards_database(
    release: Path, database_url: str, heads: tuple[str, str], tmp_path: Path
) -> None:
    restore(release / "dashboard", database_url)
    columns = columns_of(database_url)
    before = rows_of(database_url, columns)
    with closing(open_records(database_url)) as database:
        found = contents(database)
    with closing(open_records(f"sqlite:///{tmp_path / 'filled.sqlite'}")) as filled:
        fill_dashboard(filled)
        assert found == contents(filled)
    versions = {"alembic_version": ["version_num"]}
    assert rows_of(database_url, versions) == {"alembic_version": [repr((heads[0],))]}
    assert all(before.values())
    assert rows_of(database_url, columns) == before


def test_jobs_of_an_earlier_version_belong_to_the_bulk_page(
    release: Path, database_url: str
) -> None:
    restore(release / "dashboard", database_url)
    with closing(open_records(database_url)) as database:
        jobs = ServiceRecords(
            database, service=SERVICE, environment=ENVIRONMENT
        ).jobs.jobs(limit=99)
    assert {job.origin for job in jobs} == {JobOrigin.BULK_PAGE}


def contents(database: Database) -> list[object]:
    records = ServiceRecords(database, service=SERVICE, environment=ENVIRONMENT)
    history, jobs, scans = records.history, records.jobs, records.scans
    saves = list(records.history.all(HistoryFilter()))
    keys = [one.key for one in jobs.jobs(limit=99)]
    return [
        saves,
        [one.request.key for one in history.open_saves()],
        [history.exchanges(one.request.key) for one in saves],
        records.seen.lists(ITEMS),
        [records.directory[kind].current().rows for kind in Kind],
        records.sets.all(),
        records.recents.latest(ANN.key, limit=9),
        SignOuts(database).is_ended(ANN),
        [jobs.job(key) for key in keys],
        [
            (jobs.items(key), list(jobs.results(key)), jobs.skipped_rows(key))
            for key in keys
        ],
        [one.key for one in jobs.attempts("job-ended")],
        scans.items("scan"),
    ]


def test_an_upgrade_keeps_the_services_database(
    release: Path, database_url: str, heads: tuple[str, str]
) -> None:
    restore(release / "service", database_url)
    columns = columns_of(database_url)
    before = rows_of(database_url, columns)
    with closing(Store(open_database(database_url))) as store:
        lists = [store.recipients(Item("S", item)) for item in "IJK"]
        key = store.signing_key()
    versions = {VERSION_TABLE: ["version_num"]}
    assert (lists, key) == ([("Müller", "a"), ("b",), ()], NOT_A_SECRET)
    assert rows_of(database_url, versions) == {VERSION_TABLE: [repr((heads[1],))]}
    assert all(before.values())
    assert rows_of(database_url, columns) == before


def test_an_upgraded_database_has_the_tables_that_both_programs_use(
    release: Path, database_url: str
) -> None:
    restore(release / "dashboard", database_url)
    open_records(database_url).close()
    engine = open_database(database_url)
    options = {"compare_server_default": True, "version_table": VERSION_TABLE}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        difference = compare_metadata(context, [metadata, METADATA])
    engine.dispose()
    assert [one for one in difference if one[1].name != "alembic_version"] == []


def test_an_older_dashboard_keeps_running_beside_a_newer_one_but_does_not_start(
    database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with closing(open_records(database_url)) as older:
        history = History(older, service=SERVICE)
        for number in range(TIMES_UNTIL_PREPARED):
            save(history, f"before {number}", add="A")
        with monkeypatch.context() as newer:
            use_next_version(newer, tmp_path)
            open_records(database_url).close()
        save(history, "after", add="B")
        entries = [history.entry(key) for key in ("before 0", "after")]
        older.check_writing()
    columns = columns_of(database_url)
    before = rows_of(database_url, columns)
    with pytest.raises(RecordsError, match="another version of this program"):
        open_records(database_url)
    assert [entry and entry.verdict for entry in entries] == [
        Verdict.VERIFIED,
        Verdict.VERIFIED,
    ]
    assert (columns_of(database_url), rows_of(database_url, columns)) == (
        columns,
        before,
    )


def test_an_older_service_keeps_running_beside_a_newer_one_but_does_not_start(
    database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    item = Item("S", "I")
    with closing(Store(open_database(database_url))) as older:
        for number in range(TIMES_UNTIL_PREPARED):
            older.add(item, str(number))
        with monkeypatch.context() as newer:
            use_next_version(newer, tmp_path)
            open_database(database_url).dispose()
        older.add(item, "after")
        found = older.recipients(item)
    with pytest.raises(ServiceSettingsError, match="another version of this program"):
        open_database(database_url)
    assert found == ("0", "1", "2", "3", "4", "5", "after")


NAME = "default"


def kept(database_url: str) -> dict[str, bool]:
    with closing(open_records(database_url)) as records:
        entries = History(records, service=NAME).all(HistoryFilter())
        return {entry.request.key: entry.result is not None for entry in entries}


def test_an_sqlite_backup_is_restored(tmp_path: Path) -> None:
    file, copy = tmp_path / "records.sqlite", tmp_path / "copy.sqlite"
    url = f"sqlite:///{file}"
    with closing(open_records(url)) as records:
        history = History(records, service=NAME)
        save(history, "before", add="A")
        begin(history, "open", add="B")
        with (
            closing(sqlite3.connect(file)) as old,
            closing(sqlite3.connect(copy)) as new,
        ):
            old.backup(new)
        save(history, "later", add="C")
    copy.replace(file)
    for beside in ("-wal", "-shm"):
        file.with_name(f"{file.name}{beside}").unlink(missing_ok=True)
    assert kept(url) == {"before": True, "open": False}


@pytest.mark.peer
@pytest.mark.skipif(
    not this_is_thorough(),
    reason="two databases and two programs take a second: --thorough",
)
def test_a_dump_of_postgresql_is_restored_into_an_empty_database(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    programs, file = find_programs(), tmp_path / "records.dump"
    assert programs is not None
    old, new = (postgres_server.create_database() for _ in range(2))
    with closing(open_records(old)) as records:
        history = History(records, service=NAME)
        save(history, "before", add="A")
        begin(history, "open", add="B")
        address = f"--dbname={old.replace('+psycopg', '')}"
        subprocess.run(
            [programs / "pg_dump", "--format=custom", f"--file={file}", address],
            check=True,
        )
        save(history, "later", add="C")
    address = f"--dbname={new.replace('+psycopg', '')}"
    subprocess.run(
        [programs / "pg_restore", "--exit-on-error", "--no-owner", address, file],
        check=True,
    )
    assert kept(new) == {"before": True, "open": False}
    postgres_server.take_back(old)
    postgres_server.take_back(new)
