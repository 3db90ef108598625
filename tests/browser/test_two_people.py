"""Two people, two environments, two sets of credentials, one database: nobody sees what is another's.

Ann may work in north and in south, Ben in south alone. Each has a dashboard of her or his own, as
the operating system knows them; both keep their records in the same database.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from item_visibility_service.sample import with_check_digit
from item_visibility_service.server import EmbeddedService, start_embedded
from item_visibility_service.settings import ServiceSettings
from item_visibility_service.store import Item
from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.support.dashboard import Dashboard, Place, run_with_secrets
from tests.support.pages import Person

SUPPLIER = "9521000990008"


@dataclass(frozen=True, slots=True)
class World:
    """The services and dashboards of both."""

    north: EmbeddedService
    south: EmbeddedService
    ann: Dashboard
    ben: Dashboard

    def new_item(self) -> Item:
        """An item of its own for one test: three can see it in north, four in south."""
        number = with_check_digit(f"0952198{uuid4().int % 1_000_000:06}")
        item = Item(SUPPLIER, f"{number}:276")
        self.north.service.store.replace(item, frozenset({ANNA, BERTA, CLARA}))
        self.south.service.store.replace(item, frozenset({ANNA, BERTA, CLARA, DORA}))
        return item

    def anns(self, item: Item, environment: str) -> str:
        """Ann's link to the item in an environment."""
        return Place(self.ann, self.north.service.store).address(item, env=environment)

    def bens(self, item: Item, environment: str, page: str = "/") -> str:
        """Ben's link to it."""
        return Place(self.ben, self.south.service.store).address(item, page, env=environment)

    def everywhere(self, item: Item) -> list[set[str]]:
        """The item's recipients, in north and in south."""
        return [set(one.service.store.recipients(item)) for one in (self.north, self.south)]


def connection(running: EmbeddedService, name: str) -> dict[str, str]:
    """The lines of secrets.toml for a service."""
    urls = {"base_url": running.base_url, "auth_url": running.auth_url}
    return urls | {"client_id": name, "client_secret": f"only-{name}"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Both services and both dashboards."""
    folder = tmp_path_factory.mktemp("two_people")
    records = f"sqlite:///{folder}/records.sqlite"

    def service(name: str) -> EmbeddedService:
        url = f"sqlite:///{folder / f'{name}.sqlite'}"
        return opened.enter_context(start_embedded(ServiceSettings(url, name, f"only-{name}")))

    def dashboard(person: str, *connections: tuple[str, EmbeddedService]) -> Dashboard:
        tables = {name: connection(one, name) for name, one in connections}
        variables = {"LOGNAME": person, "ITEM_VISIBILITY_DATABASE_URL": records}
        return opened.enter_context(run_with_secrets(folder / person, tables, **variables))

    with ExitStack() as opened:
        north, south = service("north"), service("south")
        ann, ben = dashboard("ann", ("north", north), ("south", south)), dashboard("ben", ("south", south))
        yield World(north, south, ann, ben)


def test_what_is_remembered_of_one_environment_is_in_no_other(
    world: World, person: Person, new_person: NewPerson
) -> None:
    """A save in north is in north's history alone, and its item is offered in north alone."""
    ann, ben, item = person, new_person(), world.new_item()
    ann.open(world.anns(item, "north")).reads("3 recipients can see this item")
    ann.tick(1)
    ann.press("Save")
    ann.reads_saved(f"Removed {BERTA}")
    ben.open(world.bens(item, "south", "/history")).reads("No change matches these filters")
    ben.open(f"{world.ben.url}?env=south&supplier={SUPPLIER}")
    ben.enter("Item", item.supplier_item_id[:-1])
    ben.reads("No item called")
    ben.reads_nowhere(item.supplier_item_id)
    assert world.everywhere(item) == [{ANNA, CLARA}, {ANNA, BERTA, CLARA, DORA}]


def test_switching_the_environment_drops_ticks_and_chips(world: World, person: Person) -> None:
    """What was edited in north is neither saved in south nor there on return."""
    item = world.new_item()
    person.open(world.anns(item, "north")).reads("3 recipients can see this item")
    person.tick(1)
    person.add(DORA)
    person.reads_chips(1)
    person.choose("Environment", "south")
    person.reads("Choose an item")
    expect(person.page).to_have_url(re.compile(r"\?env=south$"))
    person.enter("Supplier", item.supplier)
    person.enter("Item", item.supplier_item_id)
    person.reads("4 recipients can see this item")
    person.reads_chips(0)
    person.tick(0)
    person.press("Save")
    person.reads_saved(f"Removed {ANNA}")
    person.choose("Environment", "north")
    person.reads("Choose an item")
    expect(person.page).to_have_url(re.compile(r"\?env=north$"))
    person.enter("Supplier", item.supplier)
    person.enter("Item", item.supplier_item_id)
    person.reads("3 recipients can see this item")
    person.reads_chips(0)
    person.press("Save")
    person.reads(re.compile("^Nothing to save"))
    assert world.everywhere(item) == [{ANNA, BERTA, CLARA}, {BERTA, CLARA, DORA}]


def test_another_environment_is_not_opened_by_a_link(world: World, person: Person) -> None:
    """Ben has no credentials for north: it is said, and nothing is read."""
    person.open(world.bens(world.new_item(), "north"))
    person.reads("The environment in this link is not configured here. Nothing was read or changed.")
    person.reads_nowhere(re.compile("recipients can see this item"))
