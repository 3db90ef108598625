"""The table of recipients under a person's hands: its ticks, its list, and a narrow screen."""

import re

from playwright.sync_api import expect

from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.support.dashboard import Place
from tests.support.pages import Person


def test_the_list_is_used_with_the_keyboard_alone(demo: Place, person: Person) -> None:
    """Checkboxes named after their recipients; the way back is a button with its recipient's name."""
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("recipients can see this item")
    person.page.get_by_role("switch", name="List view").focus()
    person.page.keyboard.press("Space")
    box = person.page.get_by_role("checkbox", name=BERTA)
    expect(box).to_be_checked()
    box.focus()
    person.page.keyboard.press("Space")
    person.reads(re.compile(f"Removing {BERTA}"))
    back = person.button(f"Take back {BERTA}")
    back.focus()
    person.page.keyboard.press("Enter")
    person.reads("Nothing to save")
    expect(box).to_be_checked()
