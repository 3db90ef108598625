"""The table of recipients under a person's hands: its ticks, its list, and a narrow screen."""

import re

from playwright.sync_api import expect

from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import NARROW
from tests.support.thorough import sample

CORNERS = [(-40, -14), (-40, 14), (40, -14), (40, 14)]


def test_a_click_anywhere_in_the_cell_of_a_tick_ticks_it(demo: Place, person: Person) -> None:
    """Streamlit's own box is 16 pixels wide; a second click takes the change back."""
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("recipients can see this item")
    x, y = person.place_of_tick(1)
    for right, down in sample(CORNERS, 2):
        person.page.mouse.click(x + right, y + down)
        person.reads(re.compile(f"Removing {BERTA}"))
        person.page.mouse.click(x + right, y + down)
        person.reads("Nothing to save")


def test_a_click_beside_the_cell_ticks_nothing_and_the_next_row_is_another(
    demo: Place, person: Person
) -> None:
    """In a table that was scrolled by part of a row, too."""
    recipients = [f"95{number:05}" for number in range(60)]
    item = demo.new_item(*recipients)
    person.open(demo.address(item)).reads("60 recipients can see this item")
    x, y = person.place_of_tick(3)
    scroller = person.table.locator(".dvn-scroller")
    scroller.evaluate("one => one.scrollTo(0, 35 * 20 + 9)")
    expect(person.table.locator("canvas tbody tr").first).to_contain_text(recipients[20])
    person.page.mouse.click(x + 60, y)
    person.page.mouse.click(x - 40, y + 2)
    person.reads(re.compile(f"Removing {recipients[23]}"))
    person.page.mouse.click(x - 40, y + 14)
    person.reads(re.compile(f"Removing {recipients[24]}"))
    expect(person.page.locator(".st-key-changes").get_by_role("button")).to_have_count(2)


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


def test_targets_of_the_list_have_room_for_a_finger(demo: Place, person: Person) -> None:
    """44 pixels on a narrow screen, the ways back included."""
    person.page.set_viewport_size(NARROW)
    item = demo.new_item(ANNA, BERTA)
    person.open(demo.address(item)).reads("recipients can see this item")
    person.switch("List view")
    person.switch(BERTA)
    targets = person.page.locator(".st-key-recipient_list label, .st-key-changes button")
    expect(targets).to_have_count(3)
    heights = [box["height"] for one in targets.all() if (box := one.bounding_box())]
    assert min(heights) >= 44
