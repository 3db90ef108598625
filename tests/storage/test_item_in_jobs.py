"""The jobs that are still to change one item."""

from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import event

from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import JobState
from item_visibility.storage.database import Database, open_records
from item_visibility.storage.jobs.job_store import Jobs
from tests.storage.entries import ITEM, OTHER_ITEM
from tests.storage.jobs import a_job
from tests.support.fake_visibilities import START

ADD, EXACTLY = BulkItem(item=ITEM, add=frozenset("A")), BulkItem(item=ITEM, exactly=frozenset("B"))


@pytest.fixture
def store(records: Database) -> Jobs:
    """Two jobs on the item, one on another, and one that has ended."""
    jobs = Jobs(records, service="default", environment="test")
    jobs.create(a_job("older", created_at=START), [BulkItem(item=OTHER_ITEM), ADD])
    jobs.create(replace(a_job("newer", created_at=START), state=JobState.QUEUED), [EXACTLY])
    jobs.create(a_job("other", created_at=START), [BulkItem(item=OTHER_ITEM, add=frozenset("A"))])
    jobs.create(replace(a_job("over", created_at=START), state=JobState.ENDED), [ADD])
    return jobs


def test_the_unfinished_jobs_on_an_item_are_found_with_what_they_are_to_do(
    records: Database, store: Jobs
) -> None:
    """The newest first; of this environment alone."""
    found = store.unfinished(ITEM)
    assert [(one.key, intent) for one, intent in found] == [("newer", EXACTLY), ("older", ADD)]
    assert store.job("newer") == found[0][0]
    assert Jobs(records, service="default", environment="another").unfinished(ITEM) == ()


def test_a_job_that_is_done_with_the_item_is_not_found(store: Jobs) -> None:
    """Though it goes on with others."""
    store.settle_item("older", 1, [])
    assert [one.key for one, _ in store.unfinished(ITEM)] == ["newer"]


def test_an_index_leads_to_the_item(sqlite_url: str) -> None:
    """SQLite reads the rows of this one and no others, however many items the open jobs have."""
    with closing(open_records(sqlite_url)) as database:
        with database.read() as connection:
            engine = connection.engine
        asked: list[tuple[str, tuple[object, ...]]] = []
        event.listen(engine, "before_cursor_execute", lambda *call: asked.append((call[2], call[3])))
        Jobs(database, service="default", environment="test").unfinished(ITEM)
        statement, values = next(one for one in asked if "LIMIT" in one[0])
        with database.read() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).scalars("detail")
            steps = {step.partition(" (")[0] for step in plan}
    assert steps == {
        "SEARCH job_item USING INDEX ix_job_item_of_item",
        "SEARCH job USING INTEGER PRIMARY KEY",
    }
