"""A dashboard on which people sign in with Keycloak, and the people who do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from item_visibility_service.server import EmbeddedService
from tests.peers.keycloak import Keycloak
from tests.support.dashboard import Place, run_in, variables_for
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
    secrets = _SECRETS.format(secret=keycloak.secret, issuer=keycloak.issuer)
    with run_in(folder, secrets, variables_for(service) | variables) as dashboard:
        yield Place(dashboard, service.service.store)


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
    person.page.locator(".st-key-person_menu button").first.click()
