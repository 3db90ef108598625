"""The coverage in a browser: read anew, hovered, and a cell followed to its item."""

import re
from urllib.parse import urlencode

from playwright.sync_api import expect

from components.coverage.map_look import LEFT_PX, ROW_PX
from tests.browser.recipients import ANNA
from tests.support.dashboard import Place
from tests.support.pages import Person

AWKWARD = 'shop *bold* <b>"[0].x'


def test_a_cell_says_its_age_and_leads_to_the_item(place: Place, person: Person) -> None:
    """A press reads what changed meanwhile; the table says the same as the map; names are exact."""
    item = place.new_item(ANNA, AWKWARD)
    person.open(place.address(item)).reads("2 recipients can see this item")
    place.store.remove(item, ANNA)
    choice = {"supplier": item.supplier, "items": item.supplier_item_id, "against": "chosen"}
    address = urlencode(choice | {"recipient": [AWKWARD, ANNA]}, doseq=True)
    person.open(f"{place.dashboard.url}/coverage?{address}").reads("last read")
    person.page.get_by_text("Table", exact=True).click()
    cells = person.page.get_by_role("region", name=re.compile("^Which recipients")).locator("canvas td")
    expect(cells.nth(3)).to_have_text("can see")
    person.press("Read all items now")
    expect(cells.nth(3)).to_have_text("cannot see")
    expect(cells.nth(2)).to_have_text("can see")
    person.page.get_by_text("Map", exact=True).click()
    cell = {"x": LEFT_PX + ROW_PX / 2, "y": ROW_PX / 2}
    canvas = person.page.locator(".st-key-coverage_map canvas").nth(1)
    person.settles()
    canvas.hover(position=cell)
    told = person.page.locator("#vg-tooltip-element")
    expect(told).to_contain_text(AWKWARD)
    expect(told).to_contain_text("today")
    canvas.click(position=cell)
    person.reads(re.compile("can see this item, as read then"))
    expect(person.page).to_have_url(re.compile(re.escape(urlencode({"recipient": AWKWARD}))))
