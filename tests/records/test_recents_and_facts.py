"""Recent items and facts about the service."""

from dataclasses import replace
from datetime import timedelta

from item_visibility.api.identifiers import ItemKey
from item_visibility.records.database.connecting import Database
from item_visibility.records.directory.recents import RecentItems
from item_visibility.records.facts import ServiceFact, ServiceFacts
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


def test_each_value_of_a_fact_is_kept_with_its_last_call(records: Database) -> None:
    """The newest first, for one service."""
    facts = ServiceFacts(records, service="default")
    at_first = ServiceFact(
        fact="put", value="replaces", operation="setVisibilities", request_id="a", observed_at=START
    )
    merges = replace(at_first, value="merges", note="once", request_id="b")
    again = replace(at_first, request_id="c", observed_at=LATER)
    for seen in (at_first, merges, again):
        facts.observe(seen)
    assert facts.all() == (again, merges)
    assert ServiceFacts(records, service="test").all() == ()
