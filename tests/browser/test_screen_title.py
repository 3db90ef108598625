"""The title of the browser's tab for an item, and the link that is copied."""

from playwright.sync_api import expect

from tests.browser.recipients import ANNA
from tests.support.dashboard import Place
from tests.support.pages import Person


def test_the_tab_and_the_heading_name_the_item(demo: Place, person: Person) -> None:
    """The name and the market, so that two tabs can be told apart."""
    person.open(demo.dashboard.url)
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Oat biscuits 250 g · Germany")
    expect(person.page).to_have_title("Oat biscuits 250 g · Germany")
    person.go("Check")
    expect(person.page).to_have_title("Check · Item visibility")


def test_the_link_to_copy_opens_the_same_item(demo: Place, person: Person) -> None:
    """Whatever else stands in the address."""
    item = demo.new_item(ANNA)
    person.open(demo.address(item, more="else")).reads("1 recipient can see this item")
    person.press("More")
    person.press("Copy link")
    link = person.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
    expect(link).to_have_text(demo.address(item))
