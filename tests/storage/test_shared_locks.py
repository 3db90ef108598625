"""Locks that processes share.

Here, several databases with one address act as processes.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from item_visibility.errors import RecordsError
from item_visibility.storage.database import Database, open_database
from item_visibility.storage.shared_locks import FileLocks, SharedLocks
from tests.support.desk import wait_until

NAME = ("service", "9521000010000", "../\ud800\x00")
_PAUSE_S = 0.002


def nap(_pause_s: float) -> None:
    """Wait a little, however long the pause should be."""
    time.sleep(_PAUSE_S)


class GivenUpError(Exception):
    """Raised instead of waiting for a lock."""


def give_up(_pause_s: float) -> None:
    """Raise GivenUpError instead of waiting."""
    raise GivenUpError


@pytest.fixture
def here(database_url: str) -> Iterator[SharedLocks]:
    with closing(open_database(database_url)) as opened:
        yield opened.locks


@pytest.fixture
def there(database_url: str) -> Iterator[SharedLocks]:
    with closing(open_database(database_url)) as opened:
        yield opened.locks


def is_free(locks: SharedLocks) -> bool:
    with locks.holding_if_free(*NAME) as is_held:
        return is_held


def test_one_process_waits_for_the_other(here: SharedLocks, there: SharedLocks) -> None:
    order: list[str] = []
    asks = threading.Event()

    def want(_pause_s: float) -> None:
        asks.set()
        nap(_pause_s)

    def work() -> None:
        with there.holding(*NAME, sleep=want):
            order.append("there")

    thread = threading.Thread(target=work)
    with here.holding(*NAME, sleep=give_up):
        thread.start()
        assert asks.wait(60)
        order.append("here")
    thread.join(60)
    assert order == ["here", "there"]


def test_a_lock_excludes_other_threads_and_processes(
    here: SharedLocks, there: SharedLocks
) -> None:
    with here.holding(*NAME, sleep=give_up) as is_held:
        assert is_free(here) is False
        assert is_free(there) is False
        assert is_held() is True
    assert is_free(here) is True
    assert is_free(there) is True


def test_locks_with_other_names_are_free(here: SharedLocks, there: SharedLocks) -> None:
    with (
        here.holding("a", "bc", sleep=give_up),
        there.holding("ab", "c", sleep=give_up),
    ):
        pass


def test_a_lock_is_free_after_an_error_of_its_holder_or_of_the_pause(
    here: SharedLocks, there: SharedLocks
) -> None:
    with here.holding(*NAME, sleep=give_up), pytest.raises(GivenUpError):
        there.holding(*NAME, sleep=give_up).__enter__()
    with pytest.raises(ValueError, match="broken"), here.holding(*NAME, sleep=give_up):
        raise ValueError("broken")
    assert is_free(there)


def test_a_lock_is_released_when_its_process_ends(
    database_url: str, there: SharedLocks
) -> None:
    ending = open_database(database_url)
    with ending.locks.holding(*NAME, sleep=give_up) as is_held:
        ending.close()
        assert not is_held()
        wait_until(lambda: is_free(there))
    with pytest.raises(RecordsError, match="was closed"):
        is_free(ending.locks)


@pytest.fixture
def cut_database(postgres_url: str) -> Iterator[Database]:
    with closing(open_database(postgres_url)) as opened:
        yield opened


@pytest.mark.peer
def test_a_lock_is_lost_with_its_connection(
    cut_database: Database, postgres_url: str
) -> None:
    with closing(open_database(postgres_url)) as other:
        with cut_database.locks.holding(*NAME, sleep=give_up) as is_held:
            assert is_held()
            cut_all(postgres_url)
            assert not is_held()
            wait_until(lambda: is_free(other.locks))
        assert is_free(other.locks)


@pytest.mark.peer
def test_a_lost_connection_is_replaced(
    cut_database: Database, postgres_url: str
) -> None:
    assert is_free(cut_database.locks)
    cut_all(postgres_url)
    assert is_free(cut_database.locks)
    with cut_database.locks.holding(*NAME, sleep=give_up):
        cut_all(postgres_url)
    assert is_free(cut_database.locks)


@pytest.mark.peer
def test_an_unreachable_server_is_an_error(postgres_url: str) -> None:
    address = postgres_url.rpartition("/")[0]
    with (
        closing(open_database(f"{address}/not_there")) as nowhere,
        pytest.raises(RecordsError, match="could not be used"),
    ):
        is_free(nowhere.locks)


def cut_all(url: str) -> None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )


def test_an_unusable_folder_is_an_error(tmp_path: Path) -> None:
    in_the_way = tmp_path / "locks"
    in_the_way.write_text("a file")
    with pytest.raises(RecordsError, match=f"{in_the_way}"):
        is_free(FileLocks(in_the_way))


def test_two_locks_with_one_file_exclude_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileLocks, "count", 1)
    with (
        closing(FileLocks(tmp_path / "locks")) as here,
        closing(FileLocks(tmp_path / "locks")) as there,
    ):
        with here.holding("another", sleep=give_up):
            assert not is_free(here)
            assert not is_free(there)
        assert is_free(there)


def test_a_job_has_a_lock_of_its_own_whatever_else_is_locked(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileLocks, "count", 1)
    with (
        closing(open_database(database_url)) as here,
        closing(open_database(database_url)) as there,
    ):
        with (
            here.locks.holding(*NAME, sleep=give_up),
            here.job_locks.holding("job", "1", sleep=give_up),
        ):
            free = {number: there.job_locks.is_free("job", number) for number in "123"}
            here_free = here.job_locks.is_free("job", "1")
        freed = there.job_locks.is_free("job", "1")
    assert free == {"1": False, "2": True, "3": True}
    assert not here_free
    assert freed


def test_locks_of_jobs_leave_no_files(sqlite_url: str, tmp_path: Path) -> None:
    with closing(open_database(sqlite_url)) as database:
        with database.job_locks.holding("job", "1", sleep=give_up):
            during = len([*tmp_path.rglob("*.lock")])
        database.job_locks.is_free("job", "2")
    assert during == 1
    assert [*tmp_path.rglob("*.lock")] == []


def test_a_process_that_waits_for_a_deleted_file_makes_a_new_one(
    database_url: str,
) -> None:
    with (
        closing(open_database(database_url)) as here,
        closing(open_database(database_url)) as there,
    ):
        for _ in range(50):
            order: list[str] = []

            def work(locks: SharedLocks, name: str, order: list[str] = order) -> None:
                with locks.holding("job", "1", sleep=nap):
                    order += [name, name]

            threads = [
                threading.Thread(target=work, args=(one.job_locks, name))
                for one, name in ((here, "here"), (there, "there"))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            assert order in (
                ["here", "here", "there", "there"],
                ["there", "there", "here", "here"],
            )


def test_closed_locks_are_an_error(database_url: str) -> None:
    database = open_database(database_url)
    database.close()
    with pytest.raises(RecordsError, match="was closed"):
        database.job_locks.is_free("job", "1")
