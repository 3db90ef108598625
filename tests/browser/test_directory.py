"""The directory in a real browser: names are typed into the table, a set reaches an item."""

import re

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
    person.reads(re.compile(r"^1 recipient$"))
    person.settles()


def type_name(person: Person, name: str) -> None:
    """Type into the name of the first row, and stay in the cell."""
    canvas = person.page.get_by_test_id("data-grid-canvas").first
    expect(canvas.locator("tbody tr")).to_have_count(1)
    box = canvas.bounding_box()
    assert box is not None
    person.page.mouse.dblclick(box["x"] + _NAME_PX, box["y"] + _ROW_PX * 1.5)
    person.page.locator(".gdg-input").fill(name)


def test_a_name_is_typed_and_saved(demo: Place, person: Person) -> None:
    """The table sends an edit some 150 ms after it was made."""
    person.open(f"{demo.dashboard.url}/directory").reads(re.compile("^[0-9,]+ recipients"))
    find(person, RECIPIENT)
    type_name(person, "Club Zürich")
    person.page.keyboard.press("Enter")
    person.page.wait_for_timeout(400)
    person.press("Save changes")
    person.reads("Saved in the directory.")
    find(person, "ZURICH")
    canvas = person.page.get_by_test_id("data-grid-canvas").first
    expect(canvas.locator("tbody tr").first).to_contain_text(RECIPIENT)


def test_a_set_is_made(demo: Place, person: Person) -> None:
    """From pasted numbers, and a name."""
    person.open(f"{demo.dashboard.url}/directory").reads(re.compile("^[0-9,]+ recipients"))
    person.page.get_by_text("Recipient sets", exact=True).click()
    person.field("Recipient set, or the name of a new one").fill("A pair of shops")
    person.page.keyboard.press("Enter")
    person.add("9522000010007, 9522000020006", to="Recipients to add")
    expect(person.page.get_by_role("list", name="Chosen").get_by_role("listitem")).to_have_count(2)
    person.press("Make set")
    person.reads("The set was changed. Items stay as they are.")
    person.reads(re.compile("^2 recipients · changed today"))
