"""Copying from another item, with as few actions as the design promises."""

import re

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
