"""The end of a save and a read of its item meet in the database, where only PostgreSQL's locks can cross."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import select, text

from item_visibility.storage.columns import put_lists
from item_visibility.storage.database import Database, open_database
from item_visibility.storage.saves import History
from item_visibility.storage.seen_lists import seen_list
from tests.storage.entries import begin, save
from tests.support.desk import wait_until

ONE_WAITS = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
def shared(postgres_records_url: str) -> Iterator[Database]:
    with closing(open_database(postgres_records_url)) as opened:
        yield opened


@pytest.mark.peer
def test_a_save_that_waits_for_a_read_of_its_item_holds_nothing_that_the_read_needs(shared: Database) -> None:
    history = History(shared, service="default")
    save(history, "first", add="AB")
    result = begin(history, "second", before="AB", add="C")

    with ThreadPoolExecutor(1) as thread:
        with shared.write() as read:
            read.execute(select(seen_list).with_for_update())
            settling = thread.submit(history.settle, "second", result)
            wait_until(lambda: read.scalar(ONE_WAITS))
            put_lists(read, [result.after])
        settling.result(60)

    assert history.unsettled() == ()
