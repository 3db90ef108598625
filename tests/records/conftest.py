"""Records on each of the two databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.records import Records, open_records
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path / 'records.sqlite'}"


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.peer)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a new, empty database of either kind."""
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
def records(database_url: str) -> Iterator[Records]:
    """Records in a new database of either kind."""
    opened = open_records(database_url)
    yield opened
    opened.close()
