"""The store and its database, on SQLite and PostgreSQL."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, insert
from sqlalchemy.exc import IntegrityError

from item_visibility_service import store as store_module
from item_visibility_service.application import Service
from item_visibility_service.settings import ServiceSettings, ServiceSettingsError
from item_visibility_service.store import (
    SIGNING_KEY,
    VISIBILITY,
    Change,
    Item,
    Store,
    StoreUnavailableError,
    open_database,
)
from tests.support.bundled_service import sqlite_url
from tests.support.postgres import PostgresServer

ITEM = Item("S", "I")
OTHER_ITEM = Item("S", "J")


def test_recipients_are_sorted_by_their_bytes(store: Store) -> None:
    """The database's language must not change the order or treat different ids as
    equal. Note N10.
    """
    ordered = (
        " e",
        "0e",
        "10",
        "9",
        "B",
        "a",
        "e",
        "e ",
        "e\u0301",
        "ä",
        "é",
        "\N{SHOPPING BAGS}",
    )
    store.replace(ITEM, frozenset(ordered))
    assert store.recipients(ITEM) == ordered


def ids(text: str) -> frozenset[str]:
    return frozenset(text)


@pytest.mark.parametrize(
    ("call", "recipients", "change"),
    [
        (
            lambda store: store.replace(ITEM, ids("bc")),
            "bc",
            Change(added=ids("c"), removed=ids("a")),
        ),
        (
            lambda store: store.replace(ITEM, ids("bc"), merges=True),
            "abc",
            Change(added=ids("c")),
        ),
        (lambda store: store.add(ITEM, "c"), "abc", Change(added=ids("c"))),
        (lambda store: store.add(ITEM, "a"), "ab", Change()),
        (lambda store: store.remove(ITEM, "a"), "b", Change(removed=ids("a"))),
        (lambda store: store.remove(ITEM, "c"), "ab", Change()),
        (lambda store: store.remove_all(ITEM), "", Change(removed=ids("ab"))),
    ],
    ids=[
        "replace",
        "merge",
        "add",
        "add again",
        "remove",
        "remove again",
        "remove all",
    ],
)
def test_a_change_returns_what_it_changed(
    store: Store, call: Callable[[Store], Change], recipients: str, change: Change
) -> None:
    """Nothing else changes, in particular no other item. Note N3."""
    store.replace(ITEM, ids("ab"))
    store.replace(OTHER_ITEM, ids("a"))
    assert call(store) == change
    assert store.recipients(ITEM) == tuple(recipients)
    assert store.recipients(OTHER_ITEM) == ("a",)


def test_concurrent_sets_leave_one_of_the_lists(store: Store) -> None:
    lists = [
        frozenset(f"{writer}-{number}" for number in range(20)) for writer in range(7)
    ]
    sets = [*lists, frozenset[str]()] * 4
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda recipients: store.replace(ITEM, recipients), sets))
    assert frozenset(store.recipients(ITEM)) in [*lists, frozenset()]


def test_concurrent_additions_are_all_kept(store: Store) -> None:
    names = [str(number % 40) for number in range(80)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: store.add(ITEM, name), names))
    assert frozenset(store.recipients(ITEM)) == frozenset(names)


def test_a_file_that_became_unreadable_is_reported(sqlite_store: Store) -> None:
    sqlite_store.add(ITEM, "a")
    VISIBILITY.drop(sqlite_store._engine)  # noqa: SLF001  (somebody damages the file)
    with pytest.raises(StoreUnavailableError):
        sqlite_store.recipients(ITEM)


@pytest.mark.peer
def test_a_database_that_went_away_is_reported(postgres_server: PostgresServer) -> None:
    server, _, name = postgres_server.create_database().rpartition("/")
    store = Store(open_database(f"{server}/{name}"))
    other = Store(open_database(f"{server}/postgres"))
    store.close()
    with other._engine.connect() as connection:  # noqa: SLF001  (as the operator of the server)
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    other.close()
    with pytest.raises(StoreUnavailableError):
        store.recipients(ITEM)


OPEN_AND_READ_KEY = """
import sys
from item_visibility_service.store import Store, open_database
print("ready", flush=True)
sys.stdin.readline()
store = Store(open_database(sys.argv[1]))
print(store.signing_key())
store.close()
"""


def test_processes_that_start_at_once_share_a_fresh_database(database_url: str) -> None:
    command = [sys.executable, "-c", OPEN_AND_READ_KEY, database_url]
    starters = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    assert [starter.stdout.readline() for starter in starters] == ["ready\n"] * 2
    for starter in starters:
        starter.stdin.write("go\n")
        starter.stdin.flush()
    answers = [starter.communicate(timeout=60) for starter in starters]
    assert [errors for _, errors in answers] == ["", ""]
    assert len({key for key, _ in answers}) == 1


def test_switching_a_file_to_wal_is_retried_while_another_process_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    engine = create_engine(
        sqlite_url(tmp_path), connect_args={"timeout": 0}, isolation_level="AUTOCOMMIT"
    )
    connection = sqlite3.connect(tmp_path / "service.sqlite", isolation_level=None)
    with closing(connection) as other:
        other.execute("BEGIN EXCLUSIVE")
        leave = partial(other.execute, "ROLLBACK")
        clock = SimpleNamespace(sleep=lambda pause_s: (pauses.append(pause_s), leave()))
        monkeypatch.setattr(store_module, "time", clock)
        store_module._use_write_ahead_log(engine)  # noqa: SLF001  (an engine that does not wait)
        mode = other.execute("PRAGMA journal_mode").fetchone()
    engine.dispose()
    assert len(pauses) == 1
    assert mode == ("wal",)


def test_a_file_that_cannot_be_switched_to_wal_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_USE_WRITE_AHEAD_LOG", "NO SUCH STATEMENT")
    monkeypatch.setattr(store_module, "time", None)
    with pytest.raises(ServiceSettingsError):
        open_database(sqlite_url(tmp_path))


def test_an_error_of_the_database_holds_no_values(database_url: str) -> None:
    engine = open_database(database_url)
    with engine.connect() as connection:
        connection.execute(insert(SIGNING_KEY), {"only": 1, "secret": "never-shown"})
        with pytest.raises(IntegrityError) as caught:
            connection.execute(
                insert(SIGNING_KEY), {"only": 1, "secret": "never-shown"}
            )
    engine.dispose()
    assert "INSERT INTO signing_key" in str(caught.value)
    assert "never-shown" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "not valid for SQLAlchemy"),
        ("sqlite://", "an SQLite file or PostgreSQL"),
        ("sqlite:///:memory:", "an SQLite file or PostgreSQL"),
        ("sqlite:///file:x?uri=true", "an SQLite file or PostgreSQL"),
        ("mysql://u:hidden@h/d", "an SQLite file or PostgreSQL"),
        ("sqlite:////proc/no/such/folder/x.sqlite", "cannot be used"),
        ("postgresql://u:hidden@h:port/d", "not valid for SQLAlchemy"),
        ("postgresql://u:p@hidden@h/d", "as %40"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(url: str, message: str) -> None:
    with pytest.raises(ServiceSettingsError, match=message) as caught:
        open_database(url)
    assert "hidden" not in str(caught.value)


@pytest.mark.peer
def test_a_postgresql_that_is_not_there_is_refused_without_its_password() -> None:
    with pytest.raises(
        ServiceSettingsError, match=r"u:\*\*\*@127\.0\.0\.1:1/d"
    ) as caught:
        open_database("postgresql+psycopg://u:hidden@127.0.0.1:1/d?password=hidden")
    assert "hidden" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="rights of this kind are POSIX's")
@pytest.mark.parametrize("is_there", [True, False])
def test_the_file_with_the_signing_key_is_its_owners_alone(
    tmp_path: Path, *, is_there: bool
) -> None:
    before = os.umask(0o022)
    (tmp_path / ("service.sqlite" if is_there else "another")).touch(mode=0o644)
    engine = open_database(sqlite_url(tmp_path))
    with engine.connect() as connection:
        connection.execute(insert(SIGNING_KEY).values(only=1, secret="never-shown"))
        rights = {
            path.name: path.stat().st_mode & 0o777
            for path in tmp_path.glob("service.sqlite*")
        }
    engine.dispose()
    os.umask(before)
    assert rights == dict.fromkeys(
        ("service.sqlite", "service.sqlite-wal", "service.sqlite-shm"), 0o600
    )


def test_a_service_does_not_start_on_a_database_that_lacks_a_table(
    tmp_path: Path,
) -> None:
    settings = ServiceSettings(sqlite_url(tmp_path), "client", "secret")
    Service(settings).close()
    with closing(sqlite3.connect(tmp_path / "service.sqlite")) as connection:
        connection.execute(f"DROP TABLE {SIGNING_KEY.name}")
    with pytest.raises(ServiceSettingsError, match="but cannot be used"):
        Service(settings)
