"""Every page in the states that matter, photographed for people to look at: tests/output/.

`--thorough` photographs every state in light and dark, wide and narrow; otherwise it is some of them. With
`DOCS_IMAGES=1` in the environment the two pictures of the README are taken anew.
"""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import ViewportSize

from tests.browser.recipients import ANNA, BERTA, CLARA, DORA, EMMA
from tests.support.dashboard import Place, run_demo
from tests.support.pages import Person
from tests.support.thorough import sample

OUTPUT = Path(__file__).resolve().parents[1] / "output"
IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
View = tuple[ViewportSize, Literal["dark", "light"]]
VIEWS: list[View] = [(NARROW, "dark"), (NARROW, "light"), (WIDE, "dark"), (WIDE, "light")]


def photograph(person: Person, name: str, views: Sequence[View] = VIEWS) -> Path:
    """The screen as these views show it; the path of the picture in light and wide."""
    OUTPUT.mkdir(exist_ok=True)
    for viewport, scheme in views:
        person.page.set_viewport_size(viewport)
        person.page.emulate_media(color_scheme=scheme)
        person.settles()
        person.page.wait_for_timeout(400)  # the table is a canvas: nothing tells when it was drawn anew
        person.page.screenshot(path=OUTPUT / f"{name}-{scheme}-{viewport['width']}.png")
    return OUTPUT / f"{name}-light-{WIDE['width']}.png"


def stage(place: Place, person: Person) -> None:
    """Two to add and one to remove."""
    person.open(place.dashboard.url).reads("12 recipients can see this item")
    person.tick(2)
    person.reads_staged()
    person.add("9522000130002, 9522000140001")
    person.reads("2 new, staged to add")


def save(place: Place, person: Person) -> None:
    """The item that has five recipients, one more saved."""
    person.open(place.address(place.new_item(ANNA, BERTA, CLARA, DORA))).reads("4 recipients can see this")
    person.add(EMMA)
    person.press("Save")
    person.reads("1 added · verified")


def remove_most(place: Place, person: Person) -> None:
    """More than half is to go: the count is asked for."""
    person.open(place.address(place.new_item(ANNA, BERTA, CLARA))).reads("3 recipients can see this item")
    person.tick(0)
    person.tick(1)
    person.reads("That is more than half.")


def meet_others(place: Place, person: Person) -> None:
    """Somebody else changed the item between reading and saving."""
    item = place.new_item(ANNA, BERTA, CLARA)
    person.open(place.address(item)).reads("3 recipients can see this item")
    place.store.add(item, DORA)
    place.store.remove(item, BERTA)
    person.add(EMMA)
    person.press("Save")
    person.reads("The list had changed since it was read here.")


def open_empty(place: Place, person: Person) -> None:
    """An item that nobody can see."""
    person.open(place.address(place.new_item())).reads("nobody can see it")


def bring_list(place: Place, person: Person) -> None:
    """A list with damaged numbers, previewed, with a large removal to confirm."""
    item = place.new_item(ANNA, BERTA, CLARA)
    ids = f"{item.supplier},{item.supplier_item_id}"
    rows = (
        f"{ids},{ANNA},remove\n{ids},{BERTA},remove\n{ids},{DORA}\N{NO-BREAK SPACE},add\n{ids},4.5E+12,add\n"
    )
    person.open(f"{place.dashboard.url}/bulk")
    person.drop("Upload", f"Supplier,Item,Recipient,Action\n{rows}".encode())
    person.reads("2 numbers may be damaged")
    person.press("Accept all")
    person.reads("Type 2 to confirm")


def ask_yes(place: Place, person: Person) -> None:
    """A question whose answer is yes."""
    person.open(place.address(place.new_item(ANNA), "/check", recipient=ANNA)).reads(re.compile("^Yes"))


def ask_no(place: Place, person: Person) -> None:
    """A question whose answer is no."""
    person.open(place.address(place.new_item(ANNA), "/check", recipient=BERTA)).reads(re.compile("^No"))


def ask_too_little(place: Place, person: Person) -> None:
    """A question that cannot be answered."""
    person.open(f"{place.dashboard.url}/check?supplier=9521000010000").reads("does not say")


def look_at_connection(place: Place, person: Person) -> None:
    """The connection, and the switches of the demo."""
    person.open(f"{place.dashboard.url}/connection").reads("Everything works.")


@pytest.mark.parametrize(
    "state",
    sample(
        [
            stage,
            save,
            meet_others,
            bring_list,
            remove_most,
            open_empty,
            ask_yes,
            ask_no,
            ask_too_little,
            look_at_connection,
        ],
        4,
    ),
)
def test_the_state_can_be_looked_at(
    demo: Place, person: Person, state: Callable[[Place, Person], None]
) -> None:
    """Nothing of a page leaves the window to the right, on a wide screen and on a telephone."""
    state(demo, person)
    photograph(person, state.__name__, sample(VIEWS, 2))
    person.page.set_viewport_size(NARROW)
    assert person.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


@pytest.mark.skipif("DOCS_IMAGES" not in os.environ, reason="set DOCS_IMAGES=1 to take the README's pictures")
def test_the_pictures_of_the_readme_are_taken(tmp_path: Path, person: Person) -> None:
    """A filled item with staged changes, as a new demo shows it."""
    with run_demo(tmp_path) as demo:
        stage(demo, person)
        light = photograph(person, "item")
    IMAGES.mkdir(parents=True, exist_ok=True)
    shutil.copy(light, IMAGES / "item-light.png")
    shutil.copy(light.with_name(light.name.replace("-light-", "-dark-")), IMAGES / "item-dark.png")
