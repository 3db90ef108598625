"""The names of the lists that were read last: as of the read, and looked up no more often than that."""

from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from item_visibility.errors import RecordsError
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.directory.named_rows import DirectoryRows, Kind, NamedRow
from item_visibility.timeouts import NAMES_FRESH
from item_visibility.use_cases.named_lists import HELD, NamedLists
from tests.support.databases import (
    postgres_records_url,
    postgres_server,
    records,
    records_url,
    sqlite_records_url,
    sqlite_url,
)

__all__ = [
    "postgres_records_url",
    "postgres_server",
    "records",
    "records_url",
    "sqlite_records_url",
    "sqlite_url",
]

LIST = frozenset({"R1", "R2"})
READ_AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
BEFORE_LONG = READ_AT + NAMES_FRESH / 2
LATER = READ_AT + NAMES_FRESH


class UnusableRows(DirectoryRows):
    """Rows of a database that does not answer."""

    def names(self, own_ids: Iterable[str]) -> dict[str, str]:
        """Raise, whatever is asked for."""
        raise RecordsError(f"No answer about {len(list(own_ids))}.", advice="Ask.")


@pytest.fixture
def rows(records: Database) -> DirectoryRows:
    """The recipients that are known to this program."""
    return DirectoryRows(records, service="default", kind=Kind.RECIPIENT)


@pytest.fixture
def lists(rows: DirectoryRows) -> NamedLists:
    """The lists of one desk."""
    return NamedLists(rows)


@pytest.fixture
def elsewhere(records: Database) -> DirectoryRows:
    """The same recipients, as another program changes them."""
    return DirectoryRows(records, service="default", kind=Kind.RECIPIENT)


def test_recipients_of_a_list_are_known_once_it_was_read(rows: DirectoryRows, lists: NamedLists) -> None:
    """Those with a name keep it."""
    rows.put([NamedRow(("R1",), "Sonnenhof")])
    lists.remember(LIST, read_at=READ_AT)
    assert rows.names(LIST) == {"R1": "Sonnenhof", "R2": ""}
    assert lists.named(LIST).names == {"R1": "Sonnenhof"}


def test_a_list_is_the_same_object_until_a_name_changes(rows: DirectoryRows, lists: NamedLists) -> None:
    """So what is made of 50,000 rows is made once, for all windows."""
    lists.remember(LIST, read_at=READ_AT)
    first = lists.named(LIST)
    lists.remember(frozenset(LIST), read_at=LATER)
    assert lists.named(LIST) is first
    rows.put([NamedRow(("R2",), "Le Panier")])
    assert lists.named(LIST).names == {"R2": "Le Panier"}


def test_names_that_another_program_changed_come_with_a_later_read(
    elsewhere: DirectoryRows, lists: NamedLists
) -> None:
    """A list that is read again and again is looked up again only after a while."""
    lists.remember(LIST, read_at=READ_AT)
    elsewhere.put([NamedRow(("R1",), "Sonnenhof")])
    lists.remember(LIST, read_at=BEFORE_LONG)
    assert lists.named(LIST).names == {}
    lists.remember(LIST, read_at=LATER)
    assert lists.named(LIST).names == {"R1": "Sonnenhof"}


def test_a_recipient_that_was_forgotten_comes_back_with_the_next_read(
    rows: DirectoryRows, lists: NamedLists
) -> None:
    """At once, not only after a while."""
    lists.remember(LIST, read_at=READ_AT)
    rows.forget([("R1",)])
    lists.remember(LIST, read_at=BEFORE_LONG)
    assert set(rows.names(LIST)) == LIST


def test_only_the_lists_that_were_used_last_are_held(rows: DirectoryRows, lists: NamedLists) -> None:
    """Any other is looked up when it is asked for."""
    others = [frozenset({str(number)}) for number in range(HELD)]
    rows.put([NamedRow(("R1",), "Sonnenhof")])
    lists.remember(LIST, read_at=READ_AT)
    held = lists.named(LIST)
    deque((lists.remember(one, read_at=READ_AT) for one in others), maxlen=0)
    assert lists.named(LIST) is not held
    assert lists.named(LIST).names == {"R1": "Sonnenhof"}


def test_a_list_has_no_names_while_the_database_does_not_answer(records: Database) -> None:
    """The work goes on with numbers alone."""
    lists = NamedLists(UnusableRows(records, service="default", kind=Kind.RECIPIENT))
    assert lists.named(LIST).recipients == LIST
    assert lists.named(LIST).names == {}
