"""Several environments in a browser: nothing of one follows to another."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, run_bundled
from tests.support.dashboard import Dashboard, Place, run_with_secrets
from tests.support.pages import Person

ITEM = Item("9521000990005", "09521980000015:276")


@dataclass(frozen=True, slots=True)
class World:
    """A dashboard of two environments, whose services hold different lists of one item."""

    north: EmbeddedService
    south: EmbeddedService
    dashboard: Dashboard

    def address(self, page: str = "/") -> str:
        return Place(self.dashboard, self.north.service.store).address(ITEM, page, env="north")

    def everywhere(self) -> list[set[str]]:
        """The item's recipients, in north and in south."""
        return [set(one.service.store.recipients(ITEM)) for one in (self.north, self.south)]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("environments")
    with ExitStack() as opened:
        north, south = (
            opened.enter_context(run_bundled(f"sqlite:///{folder / name}.sqlite"))
            for name in ("north", "south")
        )
        north.service.store.replace(ITEM, frozenset({ANNA, BERTA, CLARA}))
        south.service.store.replace(ITEM, frozenset({ANNA, BERTA, CLARA, DORA}))
        secrets = {
            name: {
                "base_url": one.base_url,
                "auth_url": one.auth_url,
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
            }
            for name, one in (("north", north), ("south", south))
        }
        records = {"ITEM_VISIBILITY_DATABASE_URL": f"sqlite:///{folder}/records.sqlite"}
        dashboard = opened.enter_context(run_with_secrets(folder / "home", secrets, **records))
        yield World(north, south, dashboard)


def test_switching_the_environment_drops_ticks_and_chips(world: World, person: Person) -> None:
    person.open(world.address()).reads("3 recipients can see this item")
    person.tick(1)
    person.add(DORA)
    person.reads_chips(1)
    for environment, count in (("south", 4), ("north", 3)):
        person.choose("Environment", environment)
        person.reads("Choose an item")
        expect(person.page).to_have_url(re.compile(rf"\?env={environment}$"))
        person.enter("Supplier", ITEM.supplier)
        person.enter("Item", ITEM.supplier_item_id)
        person.reads(f"{count} recipients can see this item")
        person.reads_chips(0)
        person.press("Save")
        person.reads(re.compile("^Nothing to save"))
    person.tick(1)
    person.press("Save")
    person.reads_saved(f"Removed {BERTA}")
    person.open(world.address("/history").replace("env=north", "env=south"))
    person.reads(re.compile("^No change matches these filters"))
    assert world.everywhere() == [{ANNA, CLARA}, {ANNA, BERTA, CLARA, DORA}]
