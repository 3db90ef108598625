"""A dashboard on which people sign in with Keycloak, and the people who do."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from item_visibility_service.server import EmbeddedService
from tests.support.dashboard import ROOT, Dashboard, Place, variables_for
from tests.support.keycloak import Keycloak
from tests.support.pages import Person

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
    """Run a dashboard whose people sign in with Keycloak."""
    configuration = folder / ".streamlit"
    configuration.mkdir(parents=True)
    shutil.copy(ROOT / ".streamlit/config.toml", configuration)
    secrets = _SECRETS.format(secret=keycloak.secret, issuer=keycloak.issuer)
    (configuration / "secrets.toml").write_text(secrets, "utf-8")
    dashboard = Dashboard(folder, variables_for(service) | variables, started_in=folder)
    try:
        dashboard.start()
        yield Place(dashboard, service.service.store)
    finally:
        dashboard.stop()


def sign_in(person: Person, username: str, keycloak: Keycloak) -> None:
    """Press Sign in or Sign in again, and fill in the form of Keycloak."""
    person.press(re.compile("^Sign in( again)?$"))
    person.page.get_by_label("Username or email").fill(username)
    person.page.get_by_label("Password", exact=True).fill(keycloak.secret)
    person.page.get_by_role("button", name="Sign In").click()
    person.page.wait_for_url(re.compile(r"^(?!.*/realms/)"))


def sign_out(person: Person) -> None:
    """Sign out by the person menu, and wait for the screen that asks to sign in."""
    open_menu(person)
    person.press("Sign out")
    expect(person.button("Sign in")).to_be_visible()


def open_menu(person: Person) -> None:
    """Open the person menu."""
    person.page.locator(".st-key-person_menu button").first.click()
