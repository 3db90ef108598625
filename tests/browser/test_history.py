"""The history in a browser: one click away, drawn, and taken back."""

from playwright.sync_api import expect

from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.browser.test_support_journeys import CHEESE
from tests.support.dashboard import Place
from tests.support.pages import Person


def test_a_save_is_one_action_away_and_undone_in_two(either_database: Place, person: Person) -> None:
    """S3: open the folded history of the item; B3: Undo shows the plan, Confirm makes it so."""
    item = either_database.new_item(ANNA, BERTA)
    person.open(either_database.address(item)).reads("2 recipients can see this item")
    person.add(CLARA)
    person.press("Save")
    person.reads_saved(f"Added {CLARA}")
    person.settles()
    before = person.actions
    person.unfold("History of this item")
    entries = person.page.get_by_role("region", name="History of changes, newest first")
    expect(entries.locator("canvas tbody tr")).to_have_count(1)
    assert person.actions == before + 1
    person.press("Undo")
    person.reads("Undo this change?")
    person.confirm()
    person.reads_saved(f"Removed {CLARA}")
    assert person.actions == before + 3
    assert either_database.recipients(item) == {ANNA, BERTA}


def test_files_come(demo: Place, person: Person) -> None:
    """A file is made on the click."""
    person.open(demo.address(CHEESE, "/history"))
    person.press("Download")
    with person.page.expect_download() as download:
        person.press("XLSX")
    assert download.value.suggested_filename == "history.xlsx"
