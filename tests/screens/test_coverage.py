"""Coverage of a supplier: chosen, read, and looked at as a map and as a table."""

import json
from pathlib import Path

import pytest

from item_visibility.api.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.support.desk import DeskKit, break_records, wait_until
from tests.support.known_names import put_names
from tests.support.screens import COVERAGE_PAGE, Window

pytestmark = pytest.mark.screen

OATS, RYE = ItemKey("S", "1"), ItemKey("S", "2")
TABLE = "Which recipients can see which items, as last read"
MAP = ["The titles of the columns below", "Which recipients can see which items. The table says the same"]


def named(open_desk: OpenDesk) -> DeskKit:
    """Two items with names, of which none was read, and three recipients."""
    kit = open_desk({OATS: "AB", RYE: "B"})
    put_names(
        kit.records.directory,
        suppliers=[("S", "Mill")],
        items=[(OATS, "276", "Oats"), (RYE, "040", "Rye")],
        recipients=[("A", "Anna"), ("B", "<b>Berta</b>")],
    )
    return kit


def look(**address: object) -> Window:
    """A window on the page."""
    window = Window()
    window.app.switch_page(COVERAGE_PAGE)
    window.app.query_params.clear()
    window.app.query_params.update(address)
    window.app.run()
    return window


def charts(window: Window) -> dict[str, str]:
    """The specification of each chart, by what it says of itself to a screen reader."""
    found = (one.proto for one in window.app if getattr(one, "type", "") == "vega_lite_chart")
    return {chart.alt: chart.spec for chart in found}


def test_a_press_reads_the_items_and_changes_nothing(open_desk: OpenDesk) -> None:
    """Before, they are said not to be read; after, the map and the table say what was seen."""
    kit = named(open_desk)
    window = look(supplier="S", against="chosen", recipient=["A", "B"])
    assert window.says("**2 items** · 2 not read yet")
    window.switch("coverage_view", "Table")
    assert window.rows(TABLE) == [
        ("Oats · Germany", "never", "not read yet", "not read yet", "1"),
        ("Rye · Austria", "never", "not read yet", "not read yet", "2"),
    ]
    window.click("scan_start")
    wait_until(lambda: not kit.desk.scans.progress("S").is_under_way)
    window.app.run()
    seen = [row[2:4] for row in window.rows(TABLE)]
    assert seen == [("can see", "can see"), ("cannot see", "can see")]
    assert kit.fake.writes == []


def test_the_map_holds_names_as_values_alone(open_desk: OpenDesk) -> None:
    """No name or id stands in Vega's language, and nothing is fetched from outside."""
    kit = named(open_desk)
    kit.desk.read(OATS)
    window = look(supplier="S")
    found = charts(window)
    assert [*found][:2] == MAP
    titles = [json.loads(found[alt])["params"][0]["value"] for alt in MAP]
    assert titles == [["<b>Berta</b>", "Anna"], ["Oats · Germany", "Rye · Austria"]]
    assert not any("http" in spec for spec in found.values())


def test_the_address_holds_the_choice(open_desk: OpenDesk) -> None:
    """What a link holds is drawn, and what is chosen afterwards stands in it."""
    kit = named(open_desk)
    kit.desk.read(OATS)
    kit.desk.sets.make("Shops", ["A", "C"])
    window = look(supplier="S", items="rye", against="set", set="Shops")
    assert window.says("**1 item of 2** · 1 not read yet")
    window.enter("coverage_items", "none such")
    assert window.says("These words are in no name, market or number")
    assert window.address["items"] == "none such"
    window.switch("coverage_against", "Recipient sets")
    window.enter("coverage_items", "")
    window.switch("coverage_view", "Table")
    assert [row[2] for row in window.rows(TABLE)] == ["1 of 2 can see", "not read yet"]
    window.go_back_to(supplier="S", against="chosen", recipient="C")
    assert [row[2] for row in window.rows(TABLE)] == ["cannot see", "not read yet"]


def test_what_is_not_there_is_said(open_desk: OpenDesk, tmp_path: Path) -> None:
    """No supplier, no items, no set, nobody seen, and records that cannot be used."""
    named(open_desk)
    assert not look().says("not read yet")
    assert look(supplier="other").says("This supplier has no known items here.")
    assert look(supplier="S").says("The items were not read yet, or their lists are empty.")
    assert look(supplier="S", against="sets").says("There is no recipient set yet.")
    assert look(supplier="S", against="set", set="gone").app.get_by_key("coverage_set").value is None
    break_records(tmp_path)
    assert look(supplier="S").says("The coverage could not be shown.")
