"""People sign in with a real Keycloak, in a real browser: the three roles, none, and what ends a sign-in."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from item_visibility_service.server import EmbeddedService
from tests.peers.conftest import NewPerson
from tests.peers.keycloak import Keycloak
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import Dashboard, Place, running, variables_for
from tests.support.pages import Person
from tests.support.program import ROOT
from tests.support.screen_states import ANNA, BERTA, DORA


@pytest.fixture(scope="module")
def log() -> OperationLog:
    return OperationLog()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, log: OperationLog) -> Iterator[EmbeddedService]:
    with run_bundled(sqlite_url(tmp_path_factory.mktemp("service")), log) as service:
        yield service


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, service: EmbeddedService, keycloak: Keycloak, chromium: Browser
) -> Iterator[Place]:
    """A dashboard on which people sign in; it is not started where there is no browser."""
    assert chromium.is_connected()
    with run_signed_in(tmp_path_factory.mktemp("signed in") / "home", service, keycloak) as place:
        yield place


def writes(log: OperationLog) -> list[str]:
    names = [operation.operation_id for operation in log.operations]
    return [name for name in names if name != "getVisibilities"]


def test_an_editor_comes_back_to_the_link_and_saves(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    edgar = new_person()
    item = place.new_item(ANNA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_chips(1)
    edgar.press("Save")
    edgar.reads_saved(f"Added {DORA}")
    assert place.recipients(item) == {ANNA, DORA}
    open_menu(edgar)
    edgar.reads("Role: editor")
    edgar.go("History")
    expect(edgar.page.locator("canvas td", has_text="Edgar Ebner").first).to_be_attached()


def test_a_sign_out_ends_the_session_at_keycloak_too(
    new_person: NewPerson, place: Place, keycloak: Keycloak
) -> None:
    ada = new_person()
    ada.open(place.dashboard.url)
    sign_in(ada, "ada", keycloak)
    open_menu(ada)
    ada.reads("Role: admin")
    ada.page.keyboard.press("Escape")
    sign_out(ada)
    ada.press("Sign in")
    expect(ada.page.get_by_label("Password", exact=True)).to_be_visible()


def test_changes_are_carried_over_a_sign_out_in_another_tab(
    new_person: NewPerson, place: Place, keycloak: Keycloak, log: OperationLog
) -> None:
    edgar = new_person()
    item = place.new_item(ANNA, BERTA)
    edgar.open(place.address(item))
    sign_in(edgar, "edgar", keycloak)
    edgar.add(DORA)
    edgar.reads_chips(1)
    edgar.tick(0)
    other_tab = Person(edgar.page.context.new_page(), edgar.watch)
    other_tab.open(place.dashboard.url)
    sign_out(other_tab)
    written = len(writes(log))
    edgar.press("Save")
    edgar.reads("You were signed out. Nothing was changed.")
    edgar.reads("Your changes are not saved. They will be filled in again after you sign in.")
    assert (len(writes(log)), place.recipients(item)) == (written, {ANNA, BERTA})
    sign_in(edgar, "edgar", keycloak)
    edgar.reads_chips(1)
    edgar.press("Save")
    edgar.reads("Remove 1 recipient")
    assert len(writes(log)) == written
    edgar.confirm()
    edgar.reads_saved(f"Added {DORA}, removed {ANNA}")
    assert place.recipients(item) == {BERTA, DORA}


_SECRETS = """
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "{secret}{secret}"
client_id = "dashboard"
client_secret = "{secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""


@contextmanager
def run_signed_in(
    folder: Path, service: EmbeddedService, keycloak: Keycloak, **variables: str
) -> Iterator[Place]:
    secrets = _SECRETS.format(secret=keycloak.secret, issuer=keycloak.issuer)
    configuration = folder / ".streamlit"
    configuration.mkdir(parents=True)
    shutil.copy(ROOT / ".streamlit/config.toml", configuration)
    (configuration / "secrets.toml").write_text(secrets, "utf-8")
    dashboard = Dashboard(folder, variables_for(service) | variables, started_in=folder)
    with running(dashboard):
        yield Place(dashboard, service.service.store)


def sign_in(person: Person, username: str, keycloak: Keycloak) -> None:
    person.press(re.compile("^Sign in( again)?$"))
    person.page.get_by_label("Username or email").fill(username)
    person.page.get_by_label("Password", exact=True).fill(keycloak.secret)
    person.page.get_by_role("button", name="Sign In").click()
    person.page.wait_for_url(re.compile(r"^(?!.*/realms/)"))


def sign_out(person: Person) -> None:
    open_menu(person)
    person.press("Sign out")
    expect(person.button("Sign in")).to_be_visible()


def open_menu(person: Person) -> None:
    person.page.locator(".st-key-person_menu button").first.click()
