"""Fixtures that the tests of the bundled service share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility_service.store import Store, open_database
from tests.support.bundled_service import (
    operation_log,
    service,
    shared_services,
    sqlite_url,
)
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["operation_log", "postgres_server", "postgres_url", "service", "shared_services"]


class FakeClock:
    """A clock that moves when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        """The time now, in seconds."""
        return self.now


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    store = Store(open_database(sqlite_url(tmp_path)))
    yield store
    store.close()


@pytest.fixture(params=[pytest.param("sqlite"), pytest.param("postgresql", marks=pytest.mark.peer)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = Store(open_database(database_url))
    yield opened
    opened.close()
