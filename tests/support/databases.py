"""An empty database of either kind, for tests that must hold on both."""

from pathlib import Path

import pytest

from tests.support.postgres import postgres_server, postgres_url

__all__ = ["database_url", "postgres_server", "postgres_url", "sqlite_url"]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a SQLite file that is not there yet, and outlives the process that makes it."""
    return f"sqlite:///{tmp_path / 'records.sqlite'}"


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.peer)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a new, empty database of either kind."""
    url: str = request.getfixturevalue(request.param)
    return url
