"""Fixtures that the tests of the bundled service share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility_service.store import Store, open_database
from tests.support.bundled_service import sqlite_url
from tests.support.waiting import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    store = Store(open_database(sqlite_url(tmp_path)))
    yield store
    store.close()


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = Store(open_database(database_url))
    yield opened
    opened.close()
