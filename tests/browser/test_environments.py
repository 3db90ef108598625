"""Address, badge, list and saves always belong to the same environment."""

import random
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from item_visibility_service.sample_data import with_check_digit
from item_visibility_service.store import Item, Store
from tests.browser.windows import Windows
from tests.support.bundled_service import (
    CLIENT_ID,
    CLIENT_SECRET,
    run_bundled,
    sqlite_url,
)
from tests.support.dashboard import SUPPLIER, Dashboard, running
from tests.support.pages import Person
from tests.support.program import ROOT
from tests.support.screen_states import ANNA, BERTA, CLARA, DORA, NARROW, WIDE
from tests.support.thorough import how_many

TEST = "test"
LIVE = "live"
PAGES = ["bulk", "check", "coverage", "history", "directory", "connection"]
ITEM = Item(SUPPLIER, f"{with_check_digit('0952199800001')}:276")
OF_ITEM = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
LISTS = {TEST: {ANNA}, LIVE: {ANNA, BERTA, CLARA}}
TITLES = {TEST: "1 recipient can see this item", LIVE: "3 recipients can see this item"}
OTHER_ADDRESS = (
    "The address now names another environment than this window. Nothing was read or "
    "changed."
)
UNKNOWN_ENVIRONMENT = (
    "The environment in this link is not configured here. Nothing was read or changed."
)
ROWS = f"Supplier\tItem\tRecipient\n{ITEM.supplier}\t{ITEM.supplier_item_id}\t{DORA}"
ADD_STEP_OF_OTHER = """name => {
    const here = location.href
    history.pushState({}, "", here.replace(/env=[a-z]+/, `env=${name}`))
    history.pushState({}, "", here)
}"""
"""Adds a step of another environment to the history of this window.

The dashboard itself never does this.
"""

_SECTION = """
[connections.{name}]
base_url = "{service.base_url}"
auth_url = "{service.auth_url}"
client_id = "{client_id}"
client_secret = "{client_secret}"
"""


@dataclass(frozen=True, slots=True)
class Both:
    """A dashboard with the environments "test", which is the default, and "live"."""

    url: str
    stores: dict[str, Store]

    def address(self, page: str = "", **params: str) -> str:
        address = f"{self.url}/{page}"
        return f"{address}?{urlencode(params)}" if params else address

    def item(self, environment: str) -> str:
        return self.address(**OF_ITEM, env=environment)

    @property
    def lists(self) -> dict[str, set[str]]:
        return {
            name: set(store.recipients(ITEM)) for name, store in self.stores.items()
        }


@pytest.fixture(scope="module")
def running_both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("environments")
    configuration = folder / ".streamlit"
    configuration.mkdir()
    shutil.copy(ROOT / ".streamlit/config.toml", configuration)

    with ExitStack() as stack:
        # Start a service for each environment.
        secrets = ""
        stores = {}
        for name in LISTS:
            (folder / name).mkdir()
            service = stack.enter_context(run_bundled(sqlite_url(folder / name)))
            stores[name] = service.service.store
            secrets += _SECTION.format(
                name=name,
                service=service,
                client_id=CLIENT_ID,
                client_secret=CLIENT_SECRET,
            )

        # Start the dashboard that knows both.
        (configuration / "secrets.toml").write_text(secrets, "utf-8")
        dashboard = Dashboard(folder, {}, started_in=folder)
        stack.enter_context(running(dashboard))
        yield Both(dashboard.url, stores)


@pytest.fixture
def both(running_both: Both) -> Both:
    for name, recipients in LISTS.items():
        running_both.stores[name].replace(ITEM, frozenset(recipients))
    return running_both


def open_environment(person: Person, name: str) -> None:
    """Open another environment from the menu."""
    person.press(re.compile("Environments"))
    person.page.get_by_role("link", name=name, exact=True).click()


def parameters(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query)


def is_address_of(url: str, environment: str, page: str) -> bool:
    is_page = urlsplit(url).path == f"/{page}"
    return is_page and parameters(url).get("env") == [environment]


def sees(person: Person, environment: str, *, page: str = "") -> None:
    """Wait for this page. Its badge names the environment in its address."""
    person.page.wait_for_url(lambda url: is_address_of(url, environment, page))
    badge = person.page.locator(".st-key-environment .stMarkdownBadge")
    expect(badge).to_contain_text(environment)
    person.waits_until_idle()
    expect(badge).to_contain_text(environment)
    assert is_address_of(person.page.url, environment, page)


def sees_item(person: Person, environment: str) -> None:
    sees(person, environment)
    person.reads(TITLES[environment])
    assert parameters(person.page.url) == {
        "supplier": [ITEM.supplier],
        "item": [ITEM.supplier_item_id],
        "env": [environment],
    }


def test_back_over_a_switch_opens_the_item_of_the_environment_before(
    both: Both, person: Person
) -> None:
    person.open(both.address(**OF_ITEM))
    sees_item(person, TEST)

    open_environment(person, LIVE)
    sees(person, LIVE)
    person.reads("Choose an item")

    person.page.go_back()
    sees_item(person, TEST)

    person.page.reload()
    sees_item(person, TEST)

    person.page.go_back()
    sees_item(person, TEST)

    person.page.go_forward()
    person.page.go_forward()
    sees(person, LIVE)
    person.reads("Choose an item")

    person.page.evaluate("history.go(-2)")
    sees_item(person, TEST)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_stays_in_the_environment_of_its_address(
    both: Both, person: Person, page: str
) -> None:
    person.open(both.item(LIVE))
    sees_item(person, LIVE)

    person.go(page.capitalize())
    sees(person, LIVE, page=page)

    open_environment(person, TEST)
    sees(person, TEST, page=page)

    person.page.go_back()
    sees(person, LIVE, page=page)

    person.page.reload()
    sees(person, LIVE, page=page)

    person.go("Item")
    sees(person, LIVE)

    person.page.go_back()
    # The script writes the environment into the address after its run.
    person.page.wait_for_url(lambda url: parameters(url).get("env") == [LIVE])


@pytest.mark.parametrize("seed", range(how_many(usual=2, thorough=20)))
def test_back_and_forward_at_any_moment_end_in_one_environment(
    both: Both, person: Person, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311
    for environment in (TEST, LIVE, TEST, LIVE):
        person.page.goto(both.item(environment), wait_until="commit")
    sees_item(person, LIVE)

    back = person.page.go_back
    forward = person.page.go_forward
    for move in (back, back, forward, back, forward):
        person.page.wait_for_timeout(chance.choice([20, 60, 120, 250, 500]))
        # The document has begun then, and its script has not run yet.
        move(wait_until="commit")
    person.page.wait_for_timeout(1_000)
    sees_item(person, TEST if f"env={TEST}" in person.page.url else LIVE)


def test_a_link_to_an_unknown_environment_offers_the_known_ones(
    both: Both, person: Person
) -> None:
    person.open(both.address("check", **OF_ITEM, env="gone"))
    person.reads(UNKNOWN_ENVIRONMENT)
    expect(person.page.locator(".st-key-environment")).to_have_count(0)

    person.page.get_by_role("link", name=LIVE, exact=True).click()
    sees(person, LIVE, page="check")

    person.page.go_back()
    person.reads(UNKNOWN_ENVIRONMENT)
    expect(person.page.locator(".st-key-environment")).to_have_count(0)

    person.go("History")
    sees(person, TEST, page="history")


def test_two_windows_save_to_the_environment_of_their_badge(
    both: Both, person: Person, windows: Windows
) -> None:
    with windows.lend() as other:
        person.open(both.item(TEST))
        other.open(both.item(LIVE))
        sees_item(person, TEST)
        sees_item(other, LIVE)

        person.add(DORA)
        person.reads_chips(1)
        other.tick(0)
        other.press("Save")
        other.reads_saved(f"Removed {ANNA}")

        person.press("Save")
        person.reads_saved(f"Added {DORA}")
        sees(person, TEST)
        sees(other, LIVE)
    assert both.lists == {TEST: {ANNA, DORA}, LIVE: {BERTA, CLARA}}


@pytest.mark.parametrize("by", ["link", "menu"])
def test_what_was_chosen_in_one_environment_is_not_chosen_in_another(
    both: Both, person: Person, by: Literal["link", "menu"]
) -> None:
    person.open(both.item(TEST))
    sees_item(person, TEST)

    person.add(DORA)
    person.tick(0)
    person.reads_chips(1)
    if by == "menu":
        open_environment(person, LIVE)
        sees(person, LIVE)
    person.open(both.item(LIVE))
    sees_item(person, LIVE)

    person.reads_chips(0)
    person.press("Save")
    person.reads("Nothing to save: no tick was changed, and no recipient was added.")
    assert both.lists == LISTS


def test_rows_and_filters_of_one_environment_are_not_shown_in_another(
    both: Both, person: Person
) -> None:
    person.open(both.address("bulk", env=TEST))
    sees(person, TEST, page="bulk")

    person.paste("Or paste rows", ROWS)
    person.press("Preview")
    person.reads(re.compile("not applied yet"))

    open_environment(person, LIVE)
    sees(person, LIVE, page="bulk")
    expect(person.field("Or paste rows")).to_have_value("")
    person.reads(re.compile("^No jobs yet"))

    person.go("Coverage")
    sees(person, LIVE, page="coverage")

    person.add(DORA, to="Recipients")
    person.reads_chips(1)
    open_environment(person, TEST)
    sees(person, TEST, page="coverage")

    person.reads_chips(0)
    assert both.lists == LISTS


def test_a_job_of_one_environment_cannot_be_opened_in_another(
    both: Both, person: Person
) -> None:
    person.open(both.address("bulk", env=TEST))
    person.paste("Or paste rows", ROWS)
    person.press("Preview")
    person.reads(re.compile("not applied yet"))

    (job,) = parameters(person.page.url)["job"]
    person.open(both.address("bulk", job=job, env=LIVE))
    sees(person, LIVE, page="bulk")
    person.reads("The job in this link does not exist here. Nothing was changed.")
    expect(person.button("Apply")).to_have_count(0)
    assert both.lists == LISTS


def test_an_address_of_another_environment_shows_nothing_of_this_one(
    both: Both, person: Person
) -> None:
    person.open(both.item(TEST))
    sees_item(person, TEST)

    person.press("More")
    person.press("Remove all")
    expect(person.button("Confirm")).to_be_visible()

    person.page.evaluate(ADD_STEP_OF_OTHER, LIVE)
    person.page.go_back()
    person.reads(OTHER_ADDRESS)

    person.waits_until_idle()
    expect(person.button("Confirm")).to_have_count(0)
    expect(person.page.locator(".st-key-environment")).to_have_count(0)

    error = person.page.locator(".st-key-error_card")
    error.get_by_role("link", name=LIVE, exact=True).click()
    sees(person, LIVE)
    assert both.lists == LISTS


def test_the_menu_of_environments_is_accessible(both: Both, person: Person) -> None:
    person.open(both.item(LIVE))
    sees_item(person, LIVE)
    violations = []
    for viewport, scheme in ((WIDE, "light"), (NARROW, "dark")):
        person.page.set_viewport_size(viewport)
        person.page.emulate_media(color_scheme=scheme)
        person.waits_until_idle()
        person.press(re.compile("Environments"))
        expect(person.page.get_by_role("link", name=TEST, exact=True)).to_be_visible()
        person.waits_until_idle()
        results = Axe().run(person.page, context=".st-key-environment_links")
        violations += results.response["violations"]
        person.page.keyboard.press("Escape")
        person.waits_until_idle()
    assert violations == []
