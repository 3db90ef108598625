"""Snapshots of parked items, on either database."""

from datetime import timedelta

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.database.connecting import Database
from item_visibility.records.parked_items import ParkedItem, Parks
from tests.support.fake_visibilities import START

ODD_ITEM = ItemKey("s\x00\ud800", "x" * 5_000)
ODD_IDS = frozenset({"", "..", "\x00", "\ud800", "é", "e\u0301", "y" * 5_000})
LATER = START + timedelta(minutes=5)
SNAPSHOT = ParkedItem(
    key="park-1",
    item=ODD_ITEM,
    recipients=ODD_IDS,
    parked_at=START,
    parked_by="ada\x00",
    note="recall \x1b",
)


@pytest.fixture
def parks(records: Database) -> Parks:
    """The parked items of one service."""
    return Parks(records, service="default")


def test_a_snapshot_reads_as_it_was_kept(parks: Parks) -> None:
    """Every id; a second one under the same key changes nothing."""
    parks.put(SNAPSHOT)
    parks.put(ParkedItem(key="park-1", item=ODD_ITEM, recipients=frozenset(), parked_at=LATER, parked_by=""))
    assert parks.parked("park-1") == SNAPSHOT
    assert (parks.unsettled(limit=9), parks.latest(limit=9)) == ((SNAPSHOT,), ())


def test_what_was_taken_away_is_settled_once(parks: Parks) -> None:
    """The first word counts: it is the one of the save itself."""
    parks.put(SNAPSHOT)
    parks.settle("park-1", frozenset({"é"}), settled_at=LATER)
    parks.settle("park-1", frozenset(), settled_at=LATER)
    (parked,) = parks.latest(limit=9)
    assert (parked.recipients, parked.settled_at) == (frozenset({"é"}), LATER)
    assert parks.latest_of(ODD_ITEM) == parked


def test_a_save_that_took_away_nobody_parked_nothing(parks: Parks) -> None:
    """The snapshot goes."""
    parks.put(SNAPSHOT)
    parks.settle("park-1", frozenset(), settled_at=LATER)
    assert parks.parked("park-1") is None


def test_what_was_restored_waits_no_longer(parks: Parks) -> None:
    """It is still there, with its time."""
    parks.put(SNAPSHOT)
    parks.settle("park-1", ODD_IDS, settled_at=START)
    parks.mark_restored("park-1", restored_at=LATER)
    (parked,) = parks.latest(limit=9)
    assert parked.restored_at == LATER
    assert parks.latest_of(ODD_ITEM) is None


def test_snapshots_belong_to_an_environment(records: Database, parks: Parks) -> None:
    """The same key elsewhere is another one."""
    parks.put(SNAPSHOT)
    elsewhere = Parks(records, service="test")
    elsewhere.settle("park-1", frozenset(), settled_at=LATER)
    elsewhere.mark_restored("park-1", restored_at=LATER)
    assert (elsewhere.parked("park-1"), elsewhere.unsettled(limit=9)) == (None, ())
    assert parks.parked("park-1") == SNAPSHOT
