"""Recent items."""

from datetime import timedelta

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database import Database
from item_visibility.storage.directory import RecentItems
from tests.support.fake_visibilities import START

FIRST, SECOND = ItemKey("S", "1"), ItemKey("S", "\x002")
LATER = START + timedelta(minutes=1)


def test_the_item_used_last_comes_first(records: Database) -> None:
    """Each item once, however often it was used."""
    recents = RecentItems(records, service="default")
    recents.remember_use(person="ada", item=FIRST, used_at=START)
    recents.remember_use(person="ada", item=SECOND, used_at=START + timedelta(seconds=1))
    recents.remember_use(person="ada", item=FIRST, used_at=LATER)
    assert recents.latest("ada", limit=9) == (FIRST, SECOND)
    assert recents.latest("ada", limit=1) == (FIRST,)


def test_the_newest_of_all_is_whoever_used_it(records: Database) -> None:
    """To have something to try the connection with."""
    recents = RecentItems(records, service="default")
    assert recents.newest() is None
    recents.remember_use(person="ada", item=FIRST, used_at=LATER)
    recents.remember_use(person="bob", item=SECOND, used_at=START)
    assert recents.newest() == FIRST


def test_recent_items_belong_to_a_person_and_an_environment(records: Database) -> None:
    """Nobody sees another's, and none shows up elsewhere."""
    RecentItems(records, service="default").remember_use(person="ada", item=FIRST, used_at=START)
    assert RecentItems(records, service="default").latest("bob", limit=9) == ()
    assert RecentItems(records, service="test").latest("ada", limit=9) == ()
