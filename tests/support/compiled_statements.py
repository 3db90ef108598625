"""One memory of compiled SQL for all databases of a run: each test opens its own, and would compile again."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import create_engine
from sqlalchemy.util import LRUCache

from item_visibility.storage import database

MOST_STATEMENTS = 2_000


class CompiledStatements(LRUCache[Any, Any]):
    """Finds what was compiled for any database of the same kind; SQLAlchemy asks with each one's dialect."""

    def get(self, key: Any, default: Any = None) -> Any:  # noqa: ANN401  (SQLAlchemy's own key and value)
        """Return the statement if it was compiled for this kind of database."""
        return super().get(_of_its_kind(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401  (the same)
        """Keep a statement for all databases of this kind."""
        super().__setitem__(_of_its_kind(key), value)


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """Open all our databases with one memory of what was compiled."""
    memory = {"compiled_cache": CompiledStatements(MOST_STATEMENTS)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", partial(create_engine, execution_options=memory))
        yield


def _of_its_kind(key: Any) -> tuple[Any, ...]:  # noqa: ANN401  (SQLAlchemy's own key)
    dialect, *statement = key
    return dialect.name, dialect.driver, dialect.server_version_info, *statement
