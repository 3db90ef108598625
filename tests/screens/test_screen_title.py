"""The heading of each screen: what is open, by its name."""

import pytest

from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM
from tests.support.known_names import put_names
from tests.support.screens import (
    CHECK_PAGE,
    CONNECTION_PAGE,
    DIRECTORY_PAGE,
    HISTORY_PAGE,
    Window,
)

pytestmark = pytest.mark.screen


def headings(window: Window) -> list[str]:
    """The headings of the first level."""
    return [heading.value for heading in window.app.title]


def test_an_item_is_headed_by_its_name_and_market_and_its_number_stands_below(open_desk: OpenDesk) -> None:
    """Names first, numbers second."""
    put_names(open_desk({ITEM: {"R1"}}).records.directory, items=[(ITEM, "276", "Oat biscuits 250 g")])
    window = Window(ITEM)
    assert headings(window) == ["Oat biscuits 250 g · Germany"]
    assert window.says(f"`{ITEM.supplier_item_id}`")


def test_an_item_without_a_name_is_headed_by_its_number(open_desk: OpenDesk) -> None:
    """With its market, when the number says one."""
    open_desk({ITEM: {"R1"}})
    assert headings(Window(ITEM)) == [f"{ITEM.supplier_item_id} · Germany"]


def test_the_first_page_without_an_item_says_what_to_do(open_desk: OpenDesk) -> None:
    """There is a heading on it, too."""
    open_desk({ITEM: {"R1"}})
    assert headings(Window()) == ["Choose an item"]


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        (CHECK_PAGE, "Check"),
        (DIRECTORY_PAGE, "Directory"),
        (HISTORY_PAGE, "History"),
        (CONNECTION_PAGE, "Connection"),
    ],
)
def test_every_other_page_is_headed_by_its_name(open_desk: OpenDesk, page: str, heading: str) -> None:
    """The one that the navigation gives it."""
    open_desk({ITEM: {"R1"}})
    window = Window()
    window.go_to(page)
    assert headings(window) == [heading]
