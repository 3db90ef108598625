"""The items that each person used last, on either database."""

from datetime import timedelta

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.database import Database
from item_visibility.storage.recent_items import RecentItems
from tests.support.fake_visibilities import START

LATER = START + timedelta(minutes=5)
FIRST = ItemKey("S", "1")
SECOND = ItemKey("S", "\x002")


def test_the_item_that_a_person_used_last_comes_first(records: Database) -> None:
    recents = RecentItems(records, service="default")
    elsewhere = RecentItems(records, service="test")
    recents.remember_use(person="ada", item=FIRST, used_at=START)
    recents.remember_use(
        person="ada", item=SECOND, used_at=START + timedelta(seconds=1)
    )
    recents.remember_use(person="ada", item=FIRST, used_at=LATER)
    recents.remember_use(person="bob", item=SECOND, used_at=START)
    assert recents.latest("ada", limit=9) == (FIRST, SECOND)
    assert recents.latest("ada", limit=1) == (FIRST,)
    assert recents.latest("cid", limit=9) == ()
    assert recents.latest(None, limit=1) == (FIRST,)
    assert elsewhere.latest("ada", limit=9) == ()
