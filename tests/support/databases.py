"""SQLite and PostgreSQL databases, for tests that must pass on both."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from item_visibility.storage.open_records import open_records


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a SQLite file that does not exist yet.

    The file outlives the process that creates it.
    """
    return f"sqlite:///{tmp_path / 'records.sqlite'}"


@pytest.fixture(
    params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.peer)]
)
def database_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
def sqlite_records_url(sqlite_url: str) -> str:
    return sqlite_records(Path(sqlite_url.removeprefix("sqlite:///")))


@pytest.fixture(
    params=[
        "sqlite_records_url",
        pytest.param("postgres_records_url", marks=pytest.mark.peer),
    ]
)
def records_url(request: pytest.FixtureRequest) -> str:
    """The address of an up-to-date database without rows, of each kind in turn."""
    url: str = request.getfixturevalue(request.param)
    return url


def sqlite_records(file: Path) -> str:
    """Return the address of this SQLite file.

    If it does not exist, create it up to date and without rows.
    """
    if not file.exists():
        file.write_bytes(_empty_records())
    return f"sqlite:///{file}"


@cache
def _empty_records() -> bytes:
    """Return the bytes of a SQLite file without rows.

    To copy them is fifty times as fast as to make a new file.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "records.sqlite"
        open_records(f"sqlite:///{file}").close()
        return file.read_bytes()
