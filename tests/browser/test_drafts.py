"""Refreshed and closed in the middle of staging: nothing that was staged is lost; `test_unplugged` kills."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA, EMMA
from tests.support.dashboard import Place
from tests.support.pages import Person

LEFT = re.compile(r"^Staged (today|yesterday) \d\d:\d\d\. ")


def stage(person: Person) -> None:
    """Untick one and add one."""
    person.reads("3 recipients can see this item")
    person.tick(1)
    person.reads(re.compile(f"Removing {BERTA}"))
    person.add(DORA)
    person.reads(re.compile(f"Adding {DORA}"))


def assert_is_back(person: Person) -> None:
    """Everything that was staged, with its age."""
    person.reads(LEFT)
    person.reads(re.compile(f"Removing {BERTA}"))
    person.reads(re.compile(f"Adding {DORA}"))


def test_a_refresh_loses_nothing_and_another_tab_finds_and_saves_it(
    configured: Place, person: Person
) -> None:
    """F5; then a link in a new tab. The same browser keeps its cookie; no script can read it."""
    item = configured.new_item(ANNA, BERTA, CLARA)
    person.page.once("dialog", lambda dialog: dialog.accept())
    person.open(configured.address(item))
    stage(person)
    person.page.reload()
    assert_is_back(person)
    assert person.page.evaluate("document.cookie.includes('item_visibility')") is False
    tab = Person(person.page.context.new_page(), person.watch).open(configured.dashboard.url)
    tab.reads("Staged changes")
    tab.page.get_by_role("button", name=re.compile(rf"{item.supplier_item_id}.* staged ")).click()
    assert_is_back(tab)
    tab.press("Save")
    tab.reads_saved(f"Added {DORA}, removed {BERTA}")
    assert configured.recipients(item) == {ANNA, CLARA, DORA}


def test_two_browsers_have_two_drafts_until_one_takes_the_other_over(
    configured: Place, person: Person, new_person: NewPerson
) -> None:
    """Ben's Save sends Ben's changes alone; what Ann takes over is hers, and Ben is told."""
    item = configured.new_item(ANNA, BERTA, CLARA, EMMA)
    ann, ben = person.open(configured.address(item)), new_person().open(configured.address(item))
    ann.reads("4 recipients can see this item")
    ben.reads("4 recipients can see this item")
    ann.tick(0)
    ann.reads(re.compile(f"Removing {ANNA}"))
    ben.tick(1)
    ben.reads(re.compile(f"Removing {BERTA}"))
    ben.reads(re.compile("Staged in another browser"))
    ben.reads_staged()
    ben.press("Save")
    ben.reads_saved(f"Removed {BERTA}")
    assert configured.recipients(item) == {ANNA, CLARA, EMMA}
    ben.press("Take over")
    ben.reads(re.compile(f"Removing {ANNA}"))
    ann.press("Save")
    ann.reads(re.compile("taken over in another browser"))
    ann.reads("Nothing to save")
    assert configured.recipients(item) == {ANNA, CLARA, EMMA}
    ben.press("Discard")
    expect(ben.button("Save")).to_be_disabled()
