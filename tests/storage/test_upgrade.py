"""What a released version stored survives every upgrade; the older program keeps to what it knows."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import column, create_engine, inspect, select, table

from item_visibility.errors import ProblemDetail, RecordsError
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind, Operation
from item_visibility.storage import database as database_module
from item_visibility.storage.database import HEAD, MIGRATIONS, Database, open_records
from item_visibility.storage.directory import Kind
from item_visibility.storage.history import HistoryFilter
from item_visibility.storage.names import NameRow
from item_visibility.storage.saves import History
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.storage.sign_outs import SignOuts
from item_visibility_service import store as store_module
from item_visibility_service.settings import ServiceSettingsError
from item_visibility_service.store import VERSION_TABLE, Item, Store, open_database
from tests.storage.entries import save
from tests.storage.stored_release import ANN, ENVIRONMENT, ITEMS, NOT_A_SECRET, ODD, RELEASES, SERVICE, START

TIMES_UNTIL_PREPARED = 6
"""psycopg prepares a statement when it has been executed so often."""
NEXT_MIGRATION = """
import sqlalchemy as sa
from alembic import op
revision = "next"
down_revision = "0001"
def upgrade():
    op.add_column("{table}", sa.Column("new", sa.Text, server_default="", nullable=False))
    op.create_index("ix_new", "{table}", ["new"])
    op.create_table("new_table", sa.Column("id", sa.Integer, primary_key=True))
"""


def use_next_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give both programs one more migration, as the next version may have."""
    folders = {"history": MIGRATIONS, "visibility": Path(store_module.__file__).parent / "migrations"}
    for name, folder in folders.items():
        copy = tmp_path / name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "versions" / "next.py").write_text(NEXT_MIGRATION.format(table=name))
    monkeypatch.setattr(database_module, "MIGRATIONS", tmp_path / "history")
    monkeypatch.setattr(database_module, "HEAD", "next")
    monkeypatch.setattr(store_module, "_MIGRATIONS", str(tmp_path / "visibility"))


@pytest.fixture(params=[False, True], ids=["this version", "next version"])
def version(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    if request.param:
        use_next_version(monkeypatch, tmp_path)
    return "next" if request.param else HEAD


@pytest.fixture(params=sorted(path.name for path in RELEASES.iterdir()))
def release(request: pytest.FixtureRequest) -> Path:
    return RELEASES / str(request.param)


def restore(stored: Path, database_url: str) -> None:
    if database_url.startswith("sqlite"):
        shutil.copy(stored.with_name(f"{stored.name}.db"), database_url.removeprefix("sqlite:///"))
        return
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute(stored.with_name(f"{stored.name}.sql").read_bytes())


def columns_of(database_url: str) -> dict[str, list[str]]:
    engine = create_engine(database_url)
    found = inspect(engine)
    tables = set(found.get_table_names()) - {"alembic_version", VERSION_TABLE}
    columns = {name: [one["name"] for one in found.get_columns(name)] for name in sorted(tables)}
    engine.dispose()
    return columns


def rows_of(database_url: str, columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    engine = create_engine(database_url)
    with engine.connect() as connection:
        rows = {
            name: sorted(map(repr, connection.execute(select(*map(column, names)).select_from(table(name)))))
            for name, names in columns.items()
        }
    engine.dispose()
    return rows


def test_nothing_is_lost_from_the_dashboards_database(release: Path, database_url: str, version: str) -> None:
    restore(release / "dashboard", database_url)
    columns = columns_of(database_url)
    before = rows_of(database_url, columns)
    with closing(open_records(database_url)) as database:
        check_reads(database)
    versions = {"alembic_version": ["version_num"]}
    assert rows_of(database_url, versions) == {"alembic_version": [repr((version,))]}
    assert all(before.values())
    assert rows_of(database_url, columns) == before


def check_reads(database: Database) -> None:
    """Check through the stores what `fill_dashboard` put there."""
    records = ServiceRecords(database, service=SERVICE, environment=ENVIRONMENT)
    check_history(records)
    check_jobs(records)
    directory, sets = records.directory, records.sets.all()
    assert directory[Kind.SUPPLIER].all() == (NameRow(("9521000010000",), "Harbour Mill Foods"),)
    assert len(directory[Kind.ITEM].all()) == len(ITEMS)
    assert {row.name for row in directory[Kind.RECIPIENT].all()} == {"Le Panier", "Odd"}
    assert [(one.name, one.recipients) for one in sets] == [
        ("Märkte", frozenset({"9522000010007", ODD})),
        ("Nobody", frozenset()),
    ]
    assert records.recents.latest(ANN.key, limit=9) == (ITEMS[0],)
    assert SignOuts(database).is_ended(ANN)


def check_history(records: ServiceRecords) -> None:
    entries = {one.request.key: one for one in records.search.all(HistoryFilter())}
    refused, observed = (
        entries["save-differs"],
        records.search.lines(HistoryFilter(kind=ChangeKind.OBSERVED), limit=9),
    )
    seen = records.seen.lists(ITEMS)
    assert {one.verdict for one in entries.values()} == {*Verdict, None}
    assert {one.request.kind for one in entries.values()} == set(ChangeKind)
    assert {one.request.operation for one in entries.values()} == set(Operation)
    assert [one.request.key for one in records.history.unsettled()] == ["open"]
    assert [one.request.key for one in entries.values() if one.was_settled_later] == ["interrupted"]
    assert [(one.item, one.added_ids, one.removed_ids) for one in observed] == [
        (ITEMS[4], frozenset("c"), frozenset("a"))
    ]
    assert entries["save-verified"].request.wanted == {"a", "b", "9522000010007", ODD}
    assert entries["save-verified"].started_at == START
    assert [(one.step.recipient_id, one.outcome, one.problem) for one in refused.steps] == [
        (ODD, Outcome.REFUSED, ProblemDetail(409, "Conflict", "Someone else changed it.", "/problems/1")),
        ("9522000010007", Outcome.UNKNOWN, None),
        ("a", Outcome.NOT_SENT, None),
    ]
    assert refused.result is not None
    assert refused.result.others.removed == {ODD}
    assert [one.status for one in records.history.exchanges("save-differs")] == [204, 409]
    assert (seen[ITEMS[1]].unsure, seen[ITEMS[4]].recipients) == ({"9522000010007"}, frozenset("bc"))
    assert seen[ITEMS[4]].failure == "the service did not answer"


def check_jobs(records: ServiceRecords) -> None:
    jobs, running = records.jobs, records.jobs.job("job-running")
    items, rows = jobs.items("job-running"), list(jobs.rows("job-running"))
    assert set(jobs.count_by_state()) == set(JobState)
    assert running is not None
    assert (running.reason, running.confirmed_count, running.repeated) == ("New season", 39, 1)
    assert running.outcomes == dict.fromkeys(Outcome, 2)
    assert (running.item_count, running.read_items, running.ended_items) == (5, 4, 1)
    assert {(one.goal, one.outcome) for one in rows} == {(goal, one) for goal in Goal for one in Outcome}
    assert items[0].intent.rows == ((2, 3), (4,), (5,))
    assert items[0].intent.add == {"a", ODD}
    assert items[1].intent.exactly == {"a"}
    assert [one.preview is not None for one in items] == [True, True, True, True, False]
    assert [one.supplier_item_id for one in jobs.skipped_rows("job-running")] == [ODD]
    assert [one.key for one in jobs.attempts("job-ended")] == ["job-ended", "retry"]
    assert len(records.scans.items("scan")) == len(ITEMS)


def test_nothing_is_lost_from_the_services_database(release: Path, database_url: str, version: str) -> None:
    restore(release / "service", database_url)
    columns = columns_of(database_url)
    before = rows_of(database_url, columns)
    with closing(Store(open_database(database_url))) as store:
        lists = [store.recipients(Item("S", item)) for item in "IJK"]
        key = store.signing_key()
    versions = {VERSION_TABLE: ["version_num"]}
    assert (lists, key) == ([("Müller", "a"), ("b",), ()], NOT_A_SECRET)
    assert rows_of(database_url, versions) == {VERSION_TABLE: [repr((version,))]}
    assert all(before.values())
    assert rows_of(database_url, columns) == before


def test_an_older_dashboard_goes_on_beside_a_newer_one_but_does_not_start(
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
    assert [entry and entry.verdict for entry in entries] == [Verdict.VERIFIED, Verdict.VERIFIED]
    assert (columns_of(database_url), rows_of(database_url, columns)) == (columns, before)


def test_an_older_service_goes_on_beside_a_newer_one_but_does_not_start(
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
