"""Copying from another item, parking and restoring, with as few actions as the design promises."""

import re

from playwright.sync_api import expect

from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.browser.ways import in_every_way
from tests.support.dashboard import Place
from tests.support.pages import Person


@in_every_way()
def test_the_recipients_of_another_item_are_three_actions(either_database: Place, person: Person) -> None:
    """B6: the other item and Enter, Add them, Save."""
    other, item = either_database.new_item(ANNA, BERTA), either_database.new_item(CLARA)
    person.open(either_database.address(item)).reads("1 recipient can see this item")
    person.enter("Copy recipients from", other.supplier_item_id)
    person.reads(re.compile("2 would be added, 1 are only here"))
    person.press("Add them")
    person.reads_staged()
    person.press("Save")
    person.reads_saved(f"Added {ANNA} and {BERTA}")
    assert person.actions == 3
    assert either_database.recipients(item) == {ANNA, BERTA, CLARA}


@in_every_way()
def test_parking_and_restoring_are_two_actions_each(either_database: Place, person: Person) -> None:
    """B7: Park this item, type the count and Enter; later Restore, Save."""
    item = either_database.new_item(ANNA, BERTA)
    person.open(either_database.address(item)).reads("2 recipients can see this item")
    person.press("Park this item…")
    person.enter("Type 2", "2")
    person.reads_saved(f"Removed {ANNA} and {BERTA}")
    assert person.actions == 2
    assert either_database.recipients(item) == set()
    person.actions = 0
    person.press("Restore")
    person.reads_staged()
    person.press("Save")
    person.reads_saved(f"Added {ANNA} and {BERTA}")
    expect(person.button("Restore")).to_have_count(0)
    assert person.actions == 2
    assert either_database.recipients(item) == {ANNA, BERTA}
