"""Services and servers that go away under an open page, and tokens that expire there."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from item_visibility_service.embedded import start_embedded
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.open_points.switches import Switches
from item_visibility_service.service_settings import ServiceSettings
from item_visibility_service.storage.service_database import open_database
from item_visibility_service.storage.visibility_store import Store
from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.browser.test_drafts import LEFT, assert_is_back, stage
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, sqlite_url
from tests.support.dashboard import Place, run_configured
from tests.support.pages import Person
from tests.support.ports import free_port

ITEM = Item("unplugged supplier", "item")


class Plug:
    """A service that can be unplugged and plugged in again, on the same port."""

    def __init__(self, folder: Path) -> None:
        switches, url = Switches(token_lifetime_s=3), sqlite_url(folder)
        self._settings = ServiceSettings(url, CLIENT_ID, CLIENT_SECRET, switches)
        self._port = free_port()
        self.service = start_embedded(self._settings, port=self._port)
        self.store = Store(open_database(url))

    def pull(self) -> None:
        """Stop answering."""
        self.service.stop()

    def put_in(self) -> None:
        """Answer again."""
        self.service = start_embedded(self._settings, port=self._port)


@pytest.fixture(scope="module")
def plug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plug]:
    """The service of this module, with tokens that live for three seconds."""
    plug = Plug(tmp_path_factory.mktemp("plug"))
    yield plug
    plug.pull()
    plug.store.close()


@pytest.fixture(scope="module")
def place(plug: Plug, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The dashboard of this module. The service's store is read beside it, also while the service is away."""
    with run_configured(tmp_path_factory.mktemp("home"), plug.service) as place:
        yield replace(place, store=plug.store)


def test_a_token_that_expires_is_renewed_and_nothing_is_lost_while_the_service_is_away(
    place: Place, person: Person, plug: Plug
) -> None:
    """Nobody notices that a token lives for three seconds. Saved in vain, said so, kept; saved later."""
    item = place.new_item(ANNA)
    person.open(place.address(item)).reads("1 recipient can see this item")
    person.page.wait_for_timeout(3_100)
    person.add(BERTA)
    person.press("Save")
    person.reads_saved(f"Added {BERTA}")
    assert place.recipients(item) == {ANNA, BERTA}
    person.add(CLARA)
    person.reads_staged()
    plug.pull()
    person.press("Save")
    person.reads(re.compile("^Nothing was changed"))
    person.reads(re.compile(f"Adding {CLARA}"))
    assert place.recipients(item) == {ANNA, BERTA}
    plug.put_in()
    person.page.wait_for_timeout(1_100)  # for a second, a failed token request speaks for all calls
    person.press("Save")
    person.reads_saved(f"Added {CLARA}")
    assert place.recipients(item) == {ANNA, BERTA, CLARA}


def test_the_page_finds_the_dashboard_again_after_its_restart(place: Place, person: Person) -> None:
    """The browser still holds its ticks and the reason: the first press is told of, the next saves."""
    item = place.new_item(ANNA, BERTA, CLARA)
    person.watch.allow_dead_server()
    person.open(place.address(item)).reads("3 recipients can see this item")
    person.tick(1)
    person.reads_staged()
    person.page.get_by_label("Why (optional)").fill("ticket 4711")
    person.settles()
    place.dashboard.stop()
    expect(person.button("Save")).to_be_disabled()
    place.dashboard.start()
    person.press("Save")
    person.reads(re.compile("^Nothing was saved: the dashboard was restarted"))
    person.reads(re.compile(f"Removing {BERTA}"))
    expect(person.page.get_by_label("Why (optional)")).to_have_value("ticket 4711")
    assert place.recipients(item) == {ANNA, BERTA, CLARA}
    person.reads_staged()
    person.press("Save")
    person.reads_saved(f"Removed {BERTA}")
    assert place.recipients(item) == {ANNA, CLARA}


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
