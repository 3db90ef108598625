"""The address of the queue of jobs."""

import pytest

from item_visibility.storage.database import queue_url


@pytest.mark.parametrize(
    ("records_url", "expected"),
    [
        ("sqlite:////data/records.sqlite", "sqlite:////data/records-jobs.sqlite"),
        ("sqlite:///demo", "sqlite:///demo-jobs"),
        ("postgresql://us:p%40ss@db/name", "postgresql+psycopg://us:p%40ss@db/name"),
    ],
)
def test_the_queue_stands_beside_the_records(records_url: str, expected: str) -> None:
    """A file of its own, or the same database."""
    assert queue_url(records_url) == expected
