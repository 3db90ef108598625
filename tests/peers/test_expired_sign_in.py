"""A sign-in that expires while somebody edits: nothing is lost, with a real Keycloak and a real browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from item_visibility.timeouts import LOOK_AT_PAGE_EVERY_S
from item_visibility_service.server import EmbeddedService
from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, DORA
from tests.peers.keycloak import Keycloak
from tests.peers.signed_in_dashboard import run_signed_in, sign_in
from tests.support.bundled_service import run_bundled, sqlite_url
from tests.support.dashboard import Place

_LASTS_S = 36.0


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedService]:
    with run_bundled(sqlite_url(tmp_path_factory.mktemp("service"))) as service:
        yield service


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, service: EmbeddedService, keycloak: Keycloak, chromium: Browser
) -> Iterator[Place]:
    assert chromium.is_connected()
    hours = {"ITEM_VISIBILITY_SIGN_IN_HOURS": f"{_LASTS_S / 3600}"}
    with run_signed_in(tmp_path_factory.mktemp("expires") / "home", service, keycloak, **hours) as place:
        yield place


def test_a_form_outlasts_its_sign_in_and_is_filled_in_after_the_next(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    edgar = new_person()
    item = place.new_item(ANNA, BERTA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_chips(1)
    edgar.tick(0)
    edgar.page.wait_for_timeout((_LASTS_S + 2 * LOOK_AT_PAGE_EVERY_S) * 1000)
    edgar.reads_chips(1)
    edgar.press("Save")
    edgar.reads("Your sign-in has ended. Nothing was changed.")
    assert place.recipients(item) == {ANNA, BERTA}
    edgar.press("Sign in again")
    expect(edgar.table).to_be_visible()
    edgar.reads_chips(1)
    assert not re.search("add=|remove=", edgar.page.url)
    edgar.press("Save")
    edgar.reads("Remove 1 recipient")
    edgar.confirm()
    edgar.reads_saved(f"Added {DORA}, removed {ANNA}")
    assert place.recipients(item) == {BERTA, DORA}
