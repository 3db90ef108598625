"""Which processes work on jobs."""

import pytest

from item_visibility.records import Records
from item_visibility.records.database import queue_url


def test_a_process_shows_that_it_is_alive_and_leaves(records: Records) -> None:
    """The number that it showed last stands, by its name; nobody else's is touched."""
    presence = records.presence()
    presence.show("host:1", beat=1)
    presence.show("host:2", beat=1)
    presence.show("host:1", beat=2)
    assert presence.beats() == {"host:1": 2, "host:2": 1}
    presence.leave("host:1")
    assert presence.beats() == {"host:2": 1}


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
