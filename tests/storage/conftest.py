"""Records on each of the two databases."""

from collections.abc import Iterator

import pytest

from item_visibility.storage.database import Database, open_records
from item_visibility.storage.history import HistorySearch
from item_visibility.storage.saves import History


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.peer)])
def shared_records(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """Records of many tests, in a database of either kind: each test has a service of its own in it."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('shared') / 'records.sqlite'}"
    else:
        url = request.getfixturevalue("postgres_server").create_database()
    opened = open_records(url)
    yield opened
    opened.close()


@pytest.fixture
def service(request: pytest.FixtureRequest) -> str:
    name: str = request.node.nodeid
    return name


@pytest.fixture
def history(records: Database) -> History:
    return History(records, service="default")


@pytest.fixture
def search(records: Database) -> HistorySearch:
    return HistorySearch(records, service="default")
