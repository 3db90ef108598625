"""The list view: a checkbox for each recipient, for keyboards, screen readers and small screens."""

from playwright.sync_api import expect

from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.support.dashboard import Place
from tests.support.hands import Keyboard
from tests.support.pages import Person
from tests.support.screen_states import NARROW


def test_the_list_view_is_used_with_the_keyboard_alone(demo: Place, person: Person) -> None:
    """Checkboxes are named after their recipients; switching keeps chips; Save sends both."""
    person.hand = Keyboard()
    person.page.set_viewport_size(NARROW)
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")
    person.add(DORA)
    person.reads_chips(1)
    person.hand.press(person.page.get_by_role("switch", name="List view"))
    person.reads_chips(1)
    box = person.page.get_by_role("checkbox", name=BERTA)
    expect(box).to_be_checked()
    person.hand.press(box)
    expect(box).not_to_be_checked()
    person.press("Save")
    person.reads_saved(f"Added {DORA}, removed {BERTA}")
    expect(person.page.get_by_role("checkbox")).to_have_count(3)
    assert demo.recipients(item) == {ANNA, CLARA, DORA}


def test_switching_the_view_drops_ticks(demo: Place, person: Person) -> None:
    """The help of the switch says so; what is drawn is what Save sends."""
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")
    person.tick(0)
    person.switch("List view")
    expect(person.page.get_by_role("checkbox", name=ANNA)).to_be_checked()
    person.switch(BERTA)
    person.switch("List view")
    expect(person.table).to_be_visible()
    person.settles()  # until then, Save is that of the list of checkboxes
    person.press("Save")
    person.reads("Nothing to save: no tick was changed, and no recipient was added.")
    assert demo.recipients(item) == {ANNA, BERTA, CLARA}
