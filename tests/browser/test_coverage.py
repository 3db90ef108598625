"""The coverage in a browser: read again, and a cell of the map hovered."""

import re
from urllib.parse import urlencode

from playwright.sync_api import expect

from item_visibility_service.sample import with_check_digit
from item_visibility_service.store import Item
from tests.browser.recipients import ANNA
from tests.support.dashboard import Place
from tests.support.pages import Person

CORNER = {"x": 3, "y": 3}
AWKWARD = 'shop *bold* <b>"[0].x'


def test_a_cell_of_the_map_says_its_answer(demo: Place, person: Person) -> None:
    item = Item(with_check_digit("952100098000"), f"{with_check_digit('0952198000001')}:276")
    demo.store.merge(item, frozenset({ANNA, AWKWARD}))
    person.open(demo.address(item)).reads("2 recipients can see this item")
    demo.store.remove(item, ANNA)
    address = urlencode({"supplier": item.supplier, "recipient": [AWKWARD, ANNA]}, doseq=True)
    person.open(f"{demo.dashboard.url}/coverage?{address}").reads(re.compile("Last read"))
    table = person.page.get_by_role("region", name=re.compile("^Known items"))
    row = table.locator("canvas tr", has_text=item.supplier_item_id)
    expect(row).not_to_contain_text("Missing")
    person.press("Read all items now")
    expect(row).to_contain_text("Extra")
    expect(row).to_contain_text("YesNo")
    person.settles()
    person.button(re.compile("^Remove .*shop")).click()
    person.button(f"Remove {ANNA}").click()
    cell = person.page.get_by_label(re.compile(re.escape(f"Recipient: {AWKWARD}"))).first
    cell.hover(position=CORNER)
    tooltip = person.page.locator("#vg-tooltip-element")
    expect(tooltip).to_contain_text(AWKWARD)
    expect(tooltip).to_contain_text("today")
