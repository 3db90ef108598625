"""The directory in a real browser: names are typed into the table."""

import re

from playwright.sync_api import expect

from tests.support.dashboard import Place
from tests.support.hands import box_of
from tests.support.pages import Person

RECIPIENT = "club-50%"
_NAME_PX, _ROW_PX = 150, 35


def test_a_name_is_typed_and_saved(demo: Place, person: Person) -> None:
    person.open(f"{demo.dashboard.url}/directory").reads(re.compile("^[0-9,]+ recipients"))
    canvas = person.page.get_by_test_id("data-grid-canvas").first
    search = person.page.get_by_label("Find names")
    person.hand.enter(search, RECIPIENT)
    expect(canvas.locator("tbody tr")).to_have_count(1)
    person.settles()
    box = box_of(canvas)
    person.page.mouse.dblclick(box["x"] + _NAME_PX, box["y"] + _ROW_PX * 1.5)
    person.page.locator(".gdg-input").fill("Club Zürich")
    person.page.keyboard.press("Enter")
    person.page.wait_for_timeout(400)
    person.press("Save changes")
    person.reads("Saved in the directory.")
    person.hand.enter(search, "ZURICH")
    expect(canvas.locator("tbody tr").first).to_contain_text(RECIPIENT)
