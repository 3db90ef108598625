"""A server's first request: any address is shown inside the frame, never as a bare page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.dashboard import Place, run_demo
from tests.support.pages import Person
from tests.support.thorough import this_is_thorough

NO_SUCH_PAGE = "The page that you have requested does not seem to exist"
ADDRESSES = [
    ("/check", re.compile("rows copied from a table will do")),
    ("/connection", re.compile("^Their service answers")),
    ("/items/item", re.compile("^12 recipients can see this item")),
]


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Place]:
    """A server that was just started."""
    with run_demo(tmp_path) as place:
        yield place


@pytest.mark.parametrize(
    ("address", "words"),
    ADDRESSES if this_is_thorough() else ADDRESSES[:1],
)
def test_a_cold_server_shows_every_address_inside_the_frame(
    cold: Place, person: Person, address: str, words: re.Pattern[str]
) -> None:
    """Navigation and banner are there, and then the page; the address of its file leads to the first one."""
    person.open(f"{cold.dashboard.url}{address}").reads(words)
    person.reads("Demo: sample data")
    expect(person.page.get_by_role("navigation").get_by_role("link")).to_contain_text(
        ["Item", "Check", "Connection"]
    )


@pytest.mark.parametrize("address", ["/item", "/nowhere"])
def test_an_address_that_is_no_page_says_so_above_the_first_page(
    demo: Place, person: Person, address: str
) -> None:
    """The frame is there, and behind the message the first page."""
    person.watch.allow(NO_SUCH_PAGE)
    person.open(f"{demo.dashboard.url}{address}").reads(re.compile("Page not found"))
    person.reads("12 recipients can see this item")
    expect(person.page.get_by_role("navigation").get_by_role("link")).to_contain_text(
        ["Item", "Check", "Connection"]
    )
