"""How a database finds the rows of a query: SQLite and PostgreSQL say it in their own words."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import event

from item_visibility.storage.database import Database

_EXPLAIN = {"sqlite": ("EXPLAIN QUERY PLAN", "detail"), "postgresql": ("EXPLAIN", "QUERY PLAN")}
_ANY_INDEX = ("enable_seqscan", "enable_bitmapscan", "enable_sort")
"""What PostgreSQL prefers while there are few rows."""
_WITHOUT_INDEX = ("SCAN", "TEMP B-TREE", "Seq Scan", "Sort")


def plan_of(database: Database, use: Callable[[], object]) -> list[str]:
    """The steps of the first query with a limit that `use` makes."""
    queries: list[tuple[str, tuple[object, ...]]] = []
    with database.read() as connection:
        engine = connection.engine

    def note(*call: Any) -> None:  # noqa: ANN401  (SQLAlchemy's)
        queries.append((call[2], call[3]))

    event.listen(engine, "before_cursor_execute", note)
    use()
    event.remove(engine, "before_cursor_execute", note)
    statement, values = next(one for one in queries if "LIMIT" in one[0])
    explain, column = _EXPLAIN[engine.dialect.name]
    with database.read() as connection:
        for name in _ANY_INDEX if engine.dialect.name == "postgresql" else ():
            connection.exec_driver_sql(f"SET LOCAL {name} = off")
        return list(connection.exec_driver_sql(f"{explain} {statement}", values).scalars(column))


def without_index(plan: list[str]) -> list[str]:
    return [step for step in plan if any(word in step for word in _WITHOUT_INDEX)]
