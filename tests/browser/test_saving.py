"""A save is made once and told afterwards, whatever the browser does meanwhile."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import NewPerson
from tests.browser.held_service import HoldingLog
from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.support.dashboard import Place
from tests.support.pages import Person

_COUNT_SAVES = """() => {
    const count = () => {
        window.__mostSaves = Math.max(window.__mostSaves, document.querySelectorAll(".st-key-save").length)
    }
    window.__mostSaves = 0
    new MutationObserver(count).observe(document.body, { childList: true, subtree: true, attributes: true })
}"""


def test_save_never_stands_twice_and_a_double_click_writes_once(
    configured: Place, person: Person, service_log: HoldingLog
) -> None:
    """Not for a moment while a save takes its time: which one would be pressed?"""
    item = configured.new_item(ANNA)
    person.open(configured.address(item)).reads("1 recipient can see this item")
    person.page.evaluate(_COUNT_SAVES)
    person.add(BERTA)
    service_log.hold(item)
    person.press("Save")
    person.reads(re.compile("^Saving, then reading"))
    service_log.release()
    person.reads_saved(f"Added {BERTA}")
    person.add(CLARA)
    person.reads_staged()
    person.button("Save").dblclick()
    person.reads_saved(f"Added {CLARA}")
    person.settles()
    assert service_log.changes(item) == [("addVisibility", BERTA), ("addVisibility", CLARA)]
    assert person.page.evaluate("window.__mostSaves") == 1


def test_a_save_goes_on_when_the_browser_is_closed(
    configured: Place, new_person: NewPerson, service_log: HoldingLog
) -> None:
    """Closed in the middle of a save; a new browser shows on the item how it ended."""
    item = configured.new_item(ANNA)
    leaving = new_person()
    leaving.open(configured.address(item)).reads("1 recipient can see this item")
    leaving.add(f"{BERTA} {CLARA}")
    service_log.hold(item)
    leaving.press("Save")
    service_log.wait_for_change()
    leaving.page.close()
    service_log.release()
    coming = new_person()
    coming.open(configured.address(item)).reads_saved(f"Added {BERTA} and {CLARA}")
    coming.reads("3 recipients can see this item")
    assert service_log.changes(item) == [("addVisibility", BERTA), ("addVisibility", CLARA)]


def test_what_was_staged_outlives_a_page_switch_and_so_does_its_save(
    configured: Place, person: Person, service_log: HoldingLog
) -> None:
    """Staged still on return; then a save that was left has its outcome there, and nothing is staged."""
    item = configured.new_item(ANNA, BERTA, CLARA)
    person.open(configured.address(item)).reads("3 recipients can see this item")
    person.tick(0)
    person.reads(re.compile(f"Removing {ANNA}"))
    person.go("Connection")
    person.reads("Our side is fine.")
    person.go("Item")
    person.reads(re.compile(f"Removing {ANNA}"))
    service_log.hold(item)
    person.press("Save")
    service_log.wait_for_change()
    person.reads(re.compile("^Saving, then reading"))
    person.go("Check")
    person.field("Question").wait_for()
    service_log.release()
    person.go("Item")
    person.reads_saved(f"Removed {ANNA}")
    person.reads("2 recipients can see this item")
    expect(person.button("Save")).to_be_disabled()
    assert service_log.changes(item) == [("removeVisibility", ANNA)]
    assert configured.recipients(item) == {BERTA, CLARA}
