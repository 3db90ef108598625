"""Our own database, on SQLite and PostgreSQL."""

from collections.abc import Iterator

import pytest

from item_visibility.storage.database import Database
from item_visibility.storage.history import History
from item_visibility.storage.open_records import open_records
from item_visibility.storage.schema import metadata


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.peer)]
)
def shared_records(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """A shared database of each kind: making one takes longer than most tests."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('shared') / 'records.sqlite'}"
    else:
        url = request.getfixturevalue("postgres_server").create_database()
    opened = open_records(url)
    yield opened
    opened.close()


@pytest.fixture
def records(shared_records: Database) -> Database:
    with shared_records.write() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    return shared_records


@pytest.fixture
def history(records: Database) -> History:
    return History(records, service="default")
