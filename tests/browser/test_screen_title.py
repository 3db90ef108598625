"""The title of the browser's tab for an item, and the link that is copied."""

from playwright.sync_api import expect

from item_visibility_service.http.accepted_ids import Item
from tests.browser.recipients import ANNA
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import NARROW

_NOT_SAVED_HERE = Item("9521000010000", "09521000010031:276")
"""No test saves it: its bar has one line, as it was opened."""

_ROW_PX = 35


def copied_link(person: Person) -> str:
    """The clipboard after a press on the button."""
    person.press("Copy link")
    expect(person.button("Link copied")).to_be_visible()
    link: str = person.page.evaluate("navigator.clipboard.readText()")
    return link


def test_the_tab_and_the_heading_name_the_item(demo: Place, person: Person) -> None:
    """The name and the market, so that two tabs can be told apart."""
    person.open(demo.dashboard.url)
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Oat biscuits 250 g · Germany")
    expect(person.page).to_have_title("Oat biscuits 250 g · Germany")
    person.go("Check")
    expect(person.page).to_have_title("Check · Item visibility")


def test_the_copied_link_opens_the_same_item_also_without_a_clipboard_of_the_browser_s_own(
    demo: Place, person: Person
) -> None:
    """Our policy lets the button work; at an address without https it takes an older way."""
    item = demo.new_item(ANNA)
    person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.open(demo.address(item, more="else")).reads("1 recipient can see this item")
    assert copied_link(person) == demo.address(item)
    person.open(demo.address(item)).reads("1 recipient can see this item")
    person.page.evaluate("navigator.clipboard.writeText('something else')")
    person.page.evaluate("Clipboard.prototype.writeText = undefined")
    assert copied_link(person) == demo.address(item)


def test_six_rows_are_in_sight_on_a_telephone(demo: Place, person: Person) -> None:
    """Above them stand the name and what is chosen; below them the bar with Save."""
    person.page.set_viewport_size(NARROW)
    person.open(demo.address(_NOT_SAVED_HERE)).reads("30 recipients can see this item")
    expect(person.table.locator("canvas tbody tr").nth(5)).to_be_attached()
    person.settles()
    table = person.table.get_by_test_id("data-grid-canvas").bounding_box()
    bar = person.page.get_by_test_id("stBottom").bounding_box()
    assert table is not None
    assert bar is not None
    assert table["y"] + 7 * _ROW_PX <= bar["y"]
