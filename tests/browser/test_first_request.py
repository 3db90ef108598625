"""Any address is shown inside the frame, never as a bare page; also by a server that was just started."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.dashboard import Place, run_demo
from tests.support.pages import Person

NO_SUCH_PAGE = "The page that you have requested does not seem to exist"


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Place]:
    with run_demo(tmp_path) as place:
        yield place


def reads_frame(person: Person) -> None:
    links = person.page.get_by_role("navigation").get_by_role("link")
    expect(links).to_contain_text(["Item", "Check", "Connection"])


def test_a_cold_server_shows_a_page_inside_the_frame(cold: Place, person: Person) -> None:
    person.open(f"{cold.dashboard.url}/check").reads(re.compile("rows copied from a table will do"))
    person.reads("Demo: sample data")
    reads_frame(person)


@pytest.mark.parametrize("address", ["/item", "/nowhere"])
def test_an_address_that_is_no_page_says_so_above_the_first_page(
    demo: Place, person: Person, address: str
) -> None:
    person.watch.allow(NO_SUCH_PAGE)
    person.open(f"{demo.dashboard.url}{address}").reads(re.compile("Page not found"))
    person.reads("12 recipients can see this item")
    reads_frame(person)
