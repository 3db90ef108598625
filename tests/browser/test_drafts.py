"""Refreshed, closed, killed in the middle of staging: nothing that was staged is lost."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from item_visibility_service.embedded import EmbeddedService
from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA, EMMA
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.dashboard import Place, run_configured
from tests.support.pages import Person

LEFT = re.compile(r"^Staged (today|yesterday) \d\d:\d\d\. ")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedService]:
    """A service that stays when the dashboard goes."""
    with run_bundled(sqlite_url(tmp_path_factory.mktemp("service"))) as running:
        yield running


@pytest.fixture(scope="module")
def place(service: EmbeddedService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The dashboard of this module."""
    with run_configured(tmp_path_factory.mktemp("home"), service) as place:
        yield place


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


def test_a_refresh_loses_nothing(place: Place, new_person: NewPerson) -> None:
    """F5, then Save."""
    person, item = new_person(), place.new_item(ANNA, BERTA, CLARA)
    person.page.on("dialog", lambda dialog: dialog.accept())
    person.open(place.address(item))
    stage(person)
    person.page.reload()
    assert_is_back(person)
    person.press("Save")
    person.reads_saved(f"Added {DORA}, removed {BERTA}")
    assert place.recipients(item) == {ANNA, CLARA, DORA}


def test_a_link_in_another_tab_finds_what_was_staged(place: Place, person: Person) -> None:
    """The same browser keeps its cookie; no script can read it."""
    item = place.new_item(ANNA, BERTA, CLARA)
    person.open(place.address(item))
    stage(person)
    assert person.page.evaluate("document.cookie.includes('item_visibility')") is False
    tab = Person(person.page.context.new_page(), person.watch).open(place.dashboard.url)
    tab.reads("Staged changes")
    tab.page.get_by_role("button", name=re.compile(rf"{item.supplier_item_id}.* staged ")).click()
    assert_is_back(tab)
    tab.press("Discard")
    tab.reads("Nothing to save")


def test_two_browsers_have_two_drafts_until_one_takes_the_other_over(
    place: Place, new_person: NewPerson
) -> None:
    """Ben's Save sends Ben's changes alone; what Ann takes over is hers, and Ben is told."""
    item = place.new_item(ANNA, BERTA, CLARA, EMMA)
    ann, ben = new_person().open(place.address(item)), new_person().open(place.address(item))
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
    assert place.recipients(item) == {ANNA, CLARA, EMMA}
    ben.press("Take over")
    ben.reads(re.compile(f"Removing {ANNA}"))
    ann.press("Save")
    ann.reads(re.compile("taken over in another browser"))
    ann.reads("Nothing to save")
    assert place.recipients(item) == {ANNA, CLARA, EMMA}
    ben.press("Discard")
    expect(ben.button("Save")).to_be_disabled()


def test_a_dashboard_that_was_killed_finds_what_was_staged(place: Place, new_person: NewPerson) -> None:
    """SIGKILL in the middle of staging; a new window of the same browser has it all."""
    item = place.new_item(ANNA, BERTA, CLARA)
    first = new_person()
    first.watch.allow_dead_server()
    first.open(place.address(item))
    stage(first)
    place.dashboard.kill()
    first.page.close()
    place.dashboard.start()
    second = Person(first.page.context.new_page(), first.watch).open(place.address(item))
    assert_is_back(second)
    assert place.recipients(item) == {ANNA, BERTA, CLARA}
    second.press("Save")
    second.reads_saved(f"Added {DORA}, removed {BERTA}")
    expect(second.page.get_by_text(LEFT)).to_have_count(0)
    assert place.recipients(item) == {ANNA, CLARA, DORA}
