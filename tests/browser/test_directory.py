"""The directory in a real browser: names are typed into the table, a set reaches an item."""

import os
import re

import pytest
from playwright.sync_api import expect

from tests.support.dashboard import Place
from tests.support.pages import Person

RECIPIENT = "club-50%"
_NAME_PX, _ROW_PX = 150, 35


def find(person: Person, text: str) -> None:
    """Look for a name or a number."""
    box = person.page.get_by_label("Find names")
    box.fill(text)
    box.press("Enter")
    person.reads(re.compile(r"^1 recipient · page 1 of 1"))
    person.settles()


def type_name(person: Person, name: str) -> None:
    """Type into the name of the first row, and stay in the cell."""
    canvas = person.page.get_by_test_id("data-grid-canvas").first
    expect(canvas.locator("tbody tr")).to_have_count(1)
    box = canvas.bounding_box()
    assert box is not None
    person.page.mouse.dblclick(box["x"] + _NAME_PX, box["y"] + _ROW_PX * 1.5)
    person.page.locator(".gdg-input").fill(name)


def press_while_it_moves(person: Person, name: str) -> None:
    """Press a button that something above it moves between the press and its end."""
    person.settles()
    person.button(name).hover()
    person.page.mouse.down()
    person.page.locator(".st-key-new_set_name").evaluate("one => { one.style.paddingBottom = '200px' }")
    person.page.mouse.up()


def test_a_name_outlives_the_click_that_leaves_its_cell(demo: Place, person: Person) -> None:
    """The click overtakes the edit, and another table takes the place of this one."""
    person.open(f"{demo.dashboard.url}/directory").reads("page 1 of")
    find(person, RECIPIENT)
    type_name(person, "Club Zürich")
    person.page.get_by_text("Suppliers", exact=True).click()
    person.reads("Nothing matches your search.")
    person.page.get_by_text("Recipients", exact=True).click()
    find(person, "ZURICH")
    canvas = person.page.get_by_test_id("data-grid-canvas").first
    expect(canvas.locator("tbody tr").first).to_contain_text(RECIPIENT)


@pytest.mark.skipif(
    "QUICK_HANDS" not in os.environ,
    reason="a race with Streamlit, which a busy machine loses: set QUICK_HANDS=1 on a quiet one",
)
def test_a_name_outlives_the_click_that_leaves_its_page(demo: Place, person: Person) -> None:
    """Straight out of the open cell into the navigation, and back."""
    person.open(f"{demo.dashboard.url}/directory").reads("page 1 of")
    find(person, "9522000010007")
    type_name(person, "Boutique Genève")
    person.go("History")
    expect(person.field("Recipient number")).to_be_visible()
    person.go("Directory")
    find(person, "GENEVE")
    canvas = person.page.get_by_test_id("data-grid-canvas").first
    expect(canvas.locator("tbody tr").first).to_contain_text("9522000010007")


def test_a_set_is_made_by_a_press_though_the_button_moves_and_staged_on_an_item(
    demo: Place, person: Person
) -> None:
    """Chips that appear above the button move it under the press; the set is one click on an item."""
    item = demo.new_item("9522000010007")
    person.open(f"{demo.dashboard.url}/directory").reads("page 1 of")
    person.page.get_by_text("Recipient sets", exact=True).click()
    person.page.get_by_text("Make a new set").click()
    person.field("Name of the new set").fill("A pair of shops")
    person.add("9522000010007, 9522000020006", to="Its recipients")
    expect(person.page.get_by_role("list", name="Chosen").get_by_role("listitem")).to_have_count(2)
    press_while_it_moves(person, "Make set")
    person.reads("The set was made.")
    person.open(demo.address(item)).press("Add set")
    person.reads_staged()
    person.press("Save")
    person.reads(re.compile("Added .+ · verified"))
    assert person.actions == 2
    assert demo.recipients(item) == {"9522000010007", "9522000020006"}
