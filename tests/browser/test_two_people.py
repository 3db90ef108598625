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

from item_visibility_service.embedded import EmbeddedService, start_embedded
from item_visibility_service.http.accepted_ids import Item
from item_visibility_service.service_settings import ServiceSettings
from tests.browser.conftest import NewPerson
from tests.browser.recipients import ANNA, BERTA, CLARA, DORA
from tests.support.chosen_database import new_url
from tests.support.dashboard import Dashboard, Place, run_with_secrets
from tests.support.pages import Person

SUPPLIER = "9521000990008"
STAGED = re.compile(f"Removing {BERTA}")


@dataclass(frozen=True, slots=True)
class World:
    """The services and dashboards of both."""

    north: EmbeddedService
    south: EmbeddedService
    ann: Dashboard
    ben: Dashboard

    def new_item(self) -> Item:
        """An item of its own for one test: three can see it in north, four in south."""
        item = Item(SUPPLIER, f"item {uuid4()}")
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
    records = new_url(folder / "records.sqlite")

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


def stage(person: Person, address: str, recipients: int) -> None:
    """Open the item and untick one."""
    person.open(address).reads(f"{recipients} recipients can see this item")
    person.tick(1)
    person.reads(STAGED)


def test_what_one_person_staged_is_not_on_the_others_screen(
    world: World, person: Person, new_person: NewPerson
) -> None:
    """Neither from another environment nor from the same; what one has staged stays with that one."""
    ann, ben, item = person, new_person(), world.new_item()
    stage(ann, world.anns(item, "north"), 3)
    stage(ann, world.anns(item, "south"), 4)
    ben.open(world.bens(item, "south")).reads("4 recipients can see this item")
    ben.reads("Nothing to save")
    ben.reads_nowhere(STAGED)
    ann.open(world.anns(item, "south")).reads(STAGED)
    assert world.everywhere(item) == [{ANNA, BERTA, CLARA}, {ANNA, BERTA, CLARA, DORA}]


def test_what_is_remembered_of_one_environment_is_in_no_other(
    world: World, person: Person, new_person: NewPerson
) -> None:
    """A save in north is in north's history alone, and its item is offered in north alone."""
    ann, ben, item = person, new_person(), world.new_item()
    stage(ann, world.anns(item, "north"), 3)
    ann.press("Save")
    ann.reads_saved(f"Removed {BERTA}")
    ben.open(world.bens(item, "south", "/history")).reads("No change matches these filters.")
    ben.open(f"{world.ben.url}?env=south&supplier={SUPPLIER}")
    ben.enter("Item", item.supplier_item_id[:-1])
    ben.reads("No item called")
    ben.reads_nowhere(item.supplier_item_id)
    assert world.everywhere(item) == [{ANNA, CLARA}, {ANNA, BERTA, CLARA, DORA}]


def test_the_switcher_takes_nothing_along(world: World, person: Person) -> None:
    """Staged in north, not staged in south; saved in south, still staged in north."""
    item = world.new_item()
    stage(person, world.anns(item, "north"), 3)
    person.choose("Environment", "south")
    expect(person.page).to_have_url(re.compile(r"\?env=south$"))
    person.reads_nowhere(STAGED)
    person.open(world.anns(item, "south")).reads("4 recipients can see this item")
    person.reads("Nothing to save")
    person.tick(0)
    person.reads_staged()
    person.press("Save")
    person.reads_saved(f"Removed {ANNA}")
    person.choose("Environment", "north")
    expect(person.page).to_have_url(re.compile(r"\?env=north$"))
    person.open(world.anns(item, "north")).reads(STAGED)
    assert world.everywhere(item) == [{ANNA, BERTA, CLARA}, {BERTA, CLARA, DORA}]


def test_another_environment_is_not_opened_by_a_link(world: World, person: Person) -> None:
    """Ben has no credentials for north: it is said, and nothing is read."""
    person.open(world.bens(world.new_item(), "north"))
    person.reads("This link names an environment that is not configured here. Nothing was read or changed.")
    person.reads_nowhere(re.compile("recipients can see this item"))
