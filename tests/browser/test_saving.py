"""A save ends on its own, and its result is there, whatever the browser does meanwhile."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import NewPerson
from tests.browser.held_service import HoldingLog
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.support.dashboard import Place
from tests.support.pages import Person


def test_a_save_ends_when_the_browser_is_closed(
    configured: Place, new_person: NewPerson, service_log: HoldingLog
) -> None:
    """Closed in the middle of a save; a new browser finds the whole change, and its entry in the history."""
    item = configured.new_item(ANNA)
    leaving = new_person()
    leaving.open(configured.address(item)).reads("1 recipient can see this item")
    leaving.add(f"{BERTA} {CLARA}")
    leaving.reads_chips(2)
    service_log.hold(item)
    leaving.press("Save")
    service_log.wait_for_change()
    leaving.page.close()
    service_log.release()
    coming = new_person()
    coming.open(configured.address(item, "/history"))
    entries = coming.page.get_by_role("region", name=re.compile("^History of changes"))
    expect(entries.locator("canvas tbody tr")).to_have_count(1)
    coming.open(configured.address(item)).reads("3 recipients can see this item")
    assert service_log.changes(item) == [("addVisibility", BERTA), ("addVisibility", CLARA)]


def test_a_save_that_was_left_has_its_result_on_return(
    configured: Place, person: Person, service_log: HoldingLog
) -> None:
    """Another page is opened while it runs; back on the item, the result and the new list are there."""
    item = configured.new_item(ANNA, BERTA, CLARA)
    person.open(configured.address(item)).reads("3 recipients can see this item")
    person.tick(0)
    service_log.hold(item)
    person.press("Save")
    service_log.wait_for_change()
    person.reads(re.compile("^Saving, then reading"))
    person.go("Check")
    person.page.get_by_role("heading", level=1, name="Check").wait_for()
    service_log.release()
    person.go("Item")
    person.reads_saved(f"Removed {ANNA}")
    person.reads("2 recipients can see this item")
    assert service_log.changes(item) == [("removeVisibility", ANNA)]
    assert configured.recipients(item) == {BERTA, CLARA}


def test_another_page_drops_ticks_and_keeps_chips(
    configured: Place, person: Person, service_log: HoldingLog
) -> None:
    """Back on the item, what the form shows is what Save sends."""
    item = configured.new_item(ANNA, BERTA, CLARA)
    person.open(configured.address(item)).reads("3 recipients can see this item")
    person.tick(0)
    person.add(DORA)
    person.reads_chips(1)
    person.go("Connection")
    person.reads("Our side is fine.")
    person.go("Item")
    person.reads_chips(1)
    assert [row[0] for row in person.rows()] == ["true", "true", "true"]
    person.press("Save")
    person.reads_saved(f"Added {DORA}")
    assert service_log.changes(item) == [("addVisibility", DORA)]
