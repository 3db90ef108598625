"""The commands that keep the history: export, prune, backup."""

import csv
import io
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from item_visibility.api.identifiers import ItemKey
from item_visibility.cli import history_command
from item_visibility.cli.commands import main
from item_visibility.files.reading import read_table
from item_visibility.files.table import NotText
from item_visibility.records.database.connecting import Database
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.search import HistoryFilter, HistorySearch
from item_visibility.records.jobs.job_store import Jobs
from item_visibility.records.named_addresses import Addresses
from item_visibility.records.opening import open_records
from tests.records.entries import begin, minute, save
from tests.records.jobs import a_job

pytestmark = pytest.mark.contract

NAME = "Demo"
CONNECTION = {
    "BASE_URL": "https://api.example.com/v1",
    "AUTH_URL": "https://login.example.com",
    "CLIENT_ID": "us",
    "CLIENT_SECRET": "never-shown",
}
OLD, NEW = -60 * 24 * 400, -60 * 24 * 10


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The records that the commands find: two old saves, one that is old and open, and a new one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ITEM_VISIBILITY_DEMO", "true")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(history_command, "utc_now", lambda: minute(0))
    (tmp_path / "item-visibility").mkdir()
    records = open_records(f"sqlite:///{tmp_path / 'item-visibility' / 'demo-records.sqlite'}")
    history = History(records, service=NAME)
    save(history, "old", at=OLD, item=ItemKey("S", "0012"), before="A", add="=")
    save(history, "older", at=OLD - 1, item=ItemKey("S", "2"), before="AB", add="X")
    begin(history, "open", at=OLD, item=ItemKey("S", "3"), before="AC", add="X")
    save(history, "new", at=NEW, item=ItemKey("S", "4"), before="AD", add="X", person="=eve")
    save(History(records, service="other"), "elsewhere", at=OLD, before="AE", add="X")
    return records


def run(*arguments: str, typed: str = "") -> Result:
    """The command as a person types it."""
    return CliRunner().invoke(main, ["history", *arguments], input=typed)


def kept(records: Database) -> set[str]:
    """The keys that are on record."""
    return {entry.request.key for entry in HistorySearch(records, service=NAME).all(HistoryFilter())}


def test_prune_says_what_it_will_remove_and_asks(records: Database) -> None:
    """Nothing is removed without a yes."""
    result = run("prune", "--older-than", "365d", typed="n\n")
    assert "The history of Demo holds 2 changes from before 2025-11-21 14:00 UTC." in result.output
    assert result.exit_code == 1
    assert kept(records) == {"old", "older", "open", "new"}


@pytest.mark.parametrize("arguments", [("--yes",), ()])
def test_prune_removes_what_is_older(records: Database, arguments: tuple[str, ...]) -> None:
    """Of this environment; a save that is open stays."""
    result = run("prune", "--older-than", "365d", *arguments, typed="y\n")
    assert "Removed: 2 changes." in result.output
    assert kept(records) == {"open", "new"}
    elsewhere = HistorySearch(records, service="other").all(HistoryFilter())
    assert [entry.result.after for entry in elsewhere] == [frozenset("AEX")]


def test_prune_removes_old_bulk_jobs_too(records: Database) -> None:
    """It says how many there are before it asks, also where no save is that old."""
    jobs = Jobs(records, service=NAME, environment="default")
    jobs.create(a_job("old", created_at=minute(-60 * 24 * 950)), ())
    jobs.create(a_job("new", created_at=minute(NEW)), ())
    result = run("prune", "--older-than", "900d", typed="y\n")
    assert "It holds 1 bulk job from before that: ended, or previewed and never applied." in result.output
    assert "Removed: 0 changes.\nRemoved: 1 bulk job." in result.output
    assert [job.key for job in jobs.jobs(limit=9)] == ["new"]


def test_prune_reaches_what_no_environment_names_any_more(records: Database) -> None:
    """Its address does not matter; the environment's own history stays."""
    result = run("prune", "--former-addresses", "--older-than", "365d", "--yes")
    assert "The history of other holds 1 change from before 2025-11-21 14:00 UTC." in result.output
    assert list(HistorySearch(records, service="other").all(HistoryFilter())) == []
    assert kept(records) == {"old", "older", "open", "new"}
    again = run("prune", "--former-addresses", "--older-than", "365d", "--yes")
    assert again.output == "Nothing is recorded of another address. Nothing was removed.\n"


def test_prune_is_told_one_environment_or_former_addresses(records: Database) -> None:
    """Both together mean nothing."""
    result = run("prune", "--former-addresses", "--env", NAME, "--older-than", "365d", "--yes")
    assert "Give --env or --former-addresses, not both." in result.output
    assert kept(records) == {"old", "older", "open", "new"}


@pytest.mark.usefixtures("records")
def test_an_environment_at_another_address_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its history is another one: nothing of the address before is exported, or removed."""
    records = open_records(f"sqlite:///{tmp_path}/r.sqlite")
    Addresses(records).arrive("default", "https://a.example.com/v1", at=minute(0))
    save(History(records, service="https://a.example.com/v1"), "old", at=OLD, add="X")
    monkeypatch.delenv("ITEM_VISIBILITY_DEMO")
    for name, value in CONNECTION.items():
        monkeypatch.setenv(f"ITEM_VISIBILITY_{name}", value)
    monkeypatch.setenv("ITEM_VISIBILITY_DATABASE_URL", f"sqlite:///{tmp_path}/r.sqlite")
    result = run("prune", "--older-than", "365d", "--yes")
    records.close()
    assert "Before it was at https://a.example.com/v1." in result.stderr
    assert result.stdout == (
        "Nothing in the history of default at https://api.example.com/v1 is that old. Nothing was removed.\n"
    )


def test_prune_with_nothing_that_old_removes_nothing(records: Database) -> None:
    """And does not ask."""
    result = run("prune", "--older-than", "900d")
    assert result.output == "Nothing in the history of Demo is that old. Nothing was removed.\n"
    assert len(kept(records)) == 4


def test_an_age_is_a_number_of_days(records: Database) -> None:
    """Anything else is refused, and nothing is removed."""
    result = run("prune", "--older-than", "a year", "--yes")
    assert result.exit_code == 2
    assert "such as 365d" in result.output
    assert len(kept(records)) == 4


def test_export_as_csv_is_safe_against_formulas(records: Database, tmp_path: Path) -> None:
    """A text that a spreadsheet could run begins with an apostrophe."""
    assert kept(records)
    result = run("export", str(tmp_path / "h.csv"))
    assert result.output == f"Written to {tmp_path / 'h.csv'}.\n"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "h.csv").read_text("utf-8-sig"), newline="")))
    assert [(row["Entry"], row["By"], row["Recipient"], row["Outcome"]) for row in rows] == [
        ("new", "'=eve", "X", "verified"),
        ("open", "ann", "X", "open"),
        ("old", "ann", "'=", "verified"),
        ("older", "ann", "X", "verified"),
    ]


def test_export_as_xlsx_is_exact(records: Database, tmp_path: Path) -> None:
    """Every cell is text; only what is older, when that is asked for."""
    assert kept(records)
    run("export", str(tmp_path / "h.xlsx"), "--older-than", "365d")
    table = read_table((tmp_path / "h.xlsx").read_bytes())
    assert not any(isinstance(cell, NotText) for row in table.rows for cell in row.cells)
    columns = [table.header.index(name) for name in ("Entry", "Recipient", "Item")]
    assert [[row.cells[column] for column in columns] for row in table.rows] == [
        ["open", "X", "3"],
        ["old", "=", "0012"],
        ["older", "X", "2"],
    ]


@pytest.mark.parametrize("name", ["h.txt", "there.csv", "nowhere/h.csv"])
def test_export_to_a_file_that_cannot_be_made_says_so(records: Database, tmp_path: Path, name: str) -> None:
    """Nothing is overwritten."""
    assert kept(records)
    (tmp_path / "there.csv").write_text("mine", "utf-8")
    result = run("export", str(tmp_path / name))
    assert result.exit_code != 0
    assert name in result.output or ".csv or .xlsx" in result.output
    assert (tmp_path / "there.csv").read_text("utf-8") == "mine"


def test_a_backup_holds_every_row(records: Database, tmp_path: Path) -> None:
    """Made while the records are open."""
    result = run("backup", str(tmp_path / "copy.sqlite"))
    assert result.output == f"Copied to {tmp_path / 'copy.sqlite'}.\n"
    copy = open_records(f"sqlite:///{tmp_path / 'copy.sqlite'}")
    assert kept(copy) == kept(records)
    copy.close()


@pytest.mark.skipif(os.name != "posix", reason="rights of this kind are POSIX's")
def test_what_leaves_the_history_is_its_owners_alone(records: Database, tmp_path: Path) -> None:
    """An export and a backup hold names, and what was typed as a reason."""
    assert kept(records)
    run("export", str(tmp_path / "h.csv"))
    run("backup", str(tmp_path / "h.sqlite"))
    rights = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("h.*")}
    assert rights == {"h.csv": 0o600, "h.sqlite": 0o600}


def test_a_backup_overwrites_nothing(records: Database, tmp_path: Path) -> None:
    """A file that is there stays as it is."""
    assert kept(records)
    (tmp_path / "mine").write_text("mine", "utf-8")
    assert "is there already" in run("backup", str(tmp_path / "mine")).output
    assert (tmp_path / "mine").read_text("utf-8") == "mine"


@pytest.mark.usefixtures("records")
def test_a_backup_that_cannot_be_made_leaves_no_file(tmp_path: Path) -> None:
    """Such as one of a database that is none."""
    broken = tmp_path / "item-visibility" / "demo-records.sqlite"
    for suffix in ("-wal", "-shm"):
        broken.with_name(broken.name + suffix).unlink(missing_ok=True)
    broken.write_bytes(b"no database" * 1000)
    assert "The copy could not be made" in run("backup", str(tmp_path / "copy.sqlite")).output
    assert not (tmp_path / "copy.sqlite").exists()


@pytest.mark.usefixtures("records")
def test_postgresql_has_tools_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says so."""
    monkeypatch.delenv("ITEM_VISIBILITY_DEMO")
    for name, value in (CONNECTION | {"DATABASE_URL": "postgresql://us:never-shown@127.0.0.1/x"}).items():
        monkeypatch.setenv(f"ITEM_VISIBILITY_{name}", value)
    result = run("backup", str(tmp_path / "copy.sqlite"))
    assert "pg_dump" in result.output
    assert "never-shown" not in result.output


def test_lists_that_nothing_refers_to_are_removed(records: Database, tmp_path: Path) -> None:
    """Those of entries that stay, and of items as they were seen last, are kept."""
    file = tmp_path / "item-visibility" / "demo-records.sqlite"
    run("prune", "--older-than", "365d", "--yes")
    with closing(sqlite3.connect(file)) as connection:
        lists = {row[0] for row in connection.execute("SELECT recipients FROM recipient_list")}
    assert '["A", "B"]' not in lists
    assert '["A", "D"]' in lists
    assert len(list(HistorySearch(records, service=NAME).all(HistoryFilter()))) == 2
