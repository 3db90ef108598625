"""A service, a server or a token that ends while a page is open; too many cookies."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import Store, open_database
from item_visibility_service.switches import Switches
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    OperationLog,
    sqlite_url,
)
from tests.support.dashboard import Place, run_configured
from tests.support.listening import free_port
from tests.support.pages import Person
from tests.support.screen_states import ANNA, BERTA, CLARA


class Plug:
    """A service that can be stopped and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.log = OperationLog()
        url = sqlite_url(folder)
        self._settings = ServiceSettings(url, CLIENT_ID, CLIENT_SECRET)
        self._port = free_port()
        self.put_in()
        self.store = Store(open_database(url))

    def pull(self) -> None:
        self.service.stop()

    def put_in(self) -> None:
        self.service = EmbeddedService(
            self._settings, port=self._port, on_operation=self.log
        )
        self.service.service.switches = Switches(token_lifetime_s=3)


@pytest.fixture(scope="module")
def plug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plug]:
    plug = Plug(tmp_path_factory.mktemp("plug"))
    yield plug
    plug.pull()
    plug.store.close()


@pytest.fixture(scope="module")
def place(plug: Plug, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The dashboard of this module.

    Its store can be read even while the service is stopped.
    """
    with run_configured(tmp_path_factory.mktemp("home"), plug.service) as place:
        yield replace(place, store=plug.store)


def test_a_browser_with_many_cookies_of_other_programs_shows_the_page(
    place: Place, person: Person
) -> None:
    item = place.new_item(ANNA)
    person.fill_with_cookies(place.dashboard.url, 31_000)
    person.open(place.address(item)).reads("1 recipient can see this item")

    person.waits_until_idle()
    person.add(BERTA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {BERTA}")


def test_a_browser_with_too_many_cookies_shows_what_to_do(
    place: Place, person: Person
) -> None:
    item = place.new_item(ANNA)
    person.watch.allow("431")
    person.fill_with_cookies(place.dashboard.url, 34_000)
    person.open(place.address(item)).reads("delete the cookies of 127.0.0.1")

    person.page.context.clear_cookies()
    person.open(place.address(item)).reads("1 recipient can see this item")


def test_an_expired_token_and_an_outage_of_the_service_lose_nothing(
    place: Place, person: Person, plug: Plug
) -> None:
    item = place.new_item(ANNA)
    person.open(place.address(item)).reads("1 recipient can see this item")

    person.page.wait_for_timeout(3_100)
    person.add(BERTA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {BERTA}")
    assert place.recipients(item) == {ANNA, BERTA}

    person.add(CLARA)
    person.reads_chips(1)
    plug.pull()
    person.press("Save")
    person.reads(re.compile("^Nothing was changed"))

    person.reads_chips(1)
    assert place.recipients(item) == {ANNA, BERTA}

    plug.put_in()
    # After a failed token request, all calls fail for a second.
    person.page.wait_for_timeout(1_100)
    person.press("Save")
    person.reads_saved(f"Added {CLARA}")
    assert place.recipients(item) == {ANNA, BERTA, CLARA}


def test_a_restart_of_the_dashboard_drops_ticks_and_saves_nothing(
    place: Place, person: Person
) -> None:
    item = place.new_item(ANNA, BERTA, CLARA)
    person.watch.allow_dead_server()
    person.open(place.address(item)).reads("3 recipients can see this item")

    person.tick(1)
    place.dashboard.stop()
    expect(person.button("Save")).to_be_disabled()

    place.dashboard.start()
    expect(person.button("Save")).to_be_enabled()

    person.waits_until_idle()
    assert [row[0] for row in person.rows()] == ["true", "true", "true"]

    person.press("Save")
    person.reads(re.compile("^Nothing to save"))
    assert place.recipients(item) == {ANNA, BERTA, CLARA}

    person.tick(1)
    person.press("Save")
    person.reads_saved(f"Removed {BERTA}")
