"""The bar at the bottom: Save stays where it is, loses no press, and the outcome stands in sight."""

import re

from playwright.sync_api import ViewportSize, expect

from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.support.dashboard import Place
from tests.support.hands import box_of
from tests.support.pages import Person

PHONE: ViewportSize = {"width": 390, "height": 740}


def corner_of_save(person: Person) -> tuple[float, float]:
    """The lower right corner of Save, once the screen is still."""
    person.settles()
    box = box_of(person.button("Save"))
    return round(box["x"] + box["width"]), round(box["y"] + box["height"])


def height_of_bar(person: Person) -> float:
    """The height of the bar."""
    return box_of(person.page.get_by_test_id("stBottomBlockContainer"))["height"]


def test_a_press_right_after_a_paste_or_a_tick_is_not_lost(place: Place, person: Person) -> None:
    """B1 and B2 by a quick hand: Save is still off, since the screen does not show the change yet."""
    item = place.new_item(ANNA)
    person.open(place.address(item)).reads("1 recipient can see this item")
    person.add(f"{BERTA}, {CLARA}")
    person.press_early("Save")
    person.reads_saved(f"Added {BERTA} and {CLARA}")
    assert person.actions == 2
    person.tick(1)
    person.press_early("Save")
    person.reads_saved(f"Removed {BERTA}")
    assert person.actions == 4
    assert place.recipients(item) == {ANNA, CLARA}


def test_a_press_saves_every_tick_before_it_and_none_after_it(place: Place, person: Person) -> None:
    """With nothing staged it saves nothing later; with Save on already it waits for the last tick."""
    item = place.new_item(ANNA, BERTA, CLARA, DORA)
    person.open(place.address(item)).reads("4 recipients can see this item")
    person.press_early("Save")
    person.tick(0)
    person.reads_staged()
    person.settles()
    expect(person.button("Save")).to_have_text("Save: remove 1")
    assert place.recipients(item) == {ANNA, BERTA, CLARA, DORA}
    person.tick(1)
    person.press_early("Save")
    person.reads_saved(f"Removed {ANNA} and {BERTA}")
    assert place.recipients(item) == {CLARA, DORA}


def test_save_stays_where_it_is_on_a_phone_and_hides_nothing(place: Place, touching: Person) -> None:
    """Nothing staged, staged, saved: one line, the same corner for the thumb, and the last line above it."""
    item, person = place.new_item(ANNA), touching
    person.page.set_viewport_size(PHONE)
    person.open(place.address(item)).reads("1 recipient can see this item")
    corner, height = corner_of_save(person), height_of_bar(person)
    last = person.page.get_by_text("History of this item")
    last.scroll_into_view_if_needed()
    line, bar = box_of(last), box_of(person.page.get_by_test_id("stBottomBlockContainer"))
    assert line["y"] + line["height"] <= bar["y"]
    person.add(BERTA)
    person.reads_staged()
    assert (corner_of_save(person), height_of_bar(person)) == (corner, height)
    person.button("Save").tap()
    person.reads_saved(f"Added {BERTA}")
    assert corner_of_save(person) == corner
    expect(person.page.get_by_text(re.compile(f"Added {BERTA}")).first).to_be_in_viewport()
    expect(person.button("Undo")).to_be_in_viewport()


def test_a_large_removal_is_dropped_by_escape_or_its_count_is_typed_and_entered(
    place: Place, person: Person
) -> None:
    """The dialog stays away and all stays staged; else Save is on as soon as the number fits."""
    item = place.new_item(ANNA, BERTA, CLARA, DORA)
    person.open(place.address(item)).reads("4 recipients can see this item")
    person.tick(0)
    person.tick(1)
    person.tick(2)
    expect(person.button("Save")).to_have_text("Save: remove 3")
    person.press("Save")
    dialog = person.page.get_by_role("dialog")
    expect(person.field("Type 3")).to_be_focused()
    person.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    person.settles()
    expect(person.button("Save")).to_have_text("Save: remove 3")
    assert place.recipients(item) == {ANNA, BERTA, CLARA, DORA}
    person.press("Save")
    expect(dialog).to_contain_text(f"Remove: {ANNA}, {BERTA} and {CLARA}")
    expect(person.field("Type 3")).to_be_focused()
    confirm = dialog.get_by_role("button", name="Save: remove 3")
    expect(confirm).to_be_disabled()
    person.page.keyboard.type("3")
    expect(confirm).to_be_enabled()
    person.page.keyboard.press("Backspace")
    expect(confirm).to_be_disabled()
    person.page.keyboard.type("3")
    person.page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    person.reads_saved(f"Removed {ANNA}, {BERTA} and {CLARA}")
    assert place.recipients(item) == {DORA}
