"""Coverage of a supplier: chosen, read, and looked at as a map and as a table."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

from components.table_state import key_for
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.coverage.wanted import Wanted
from item_visibility.records.scans.scan_state import ScanState
from tests.screens.conftest import OpenDesk
from tests.support.desk import TEST_ENVIRONMENT, DeskKit, break_records, wait_until
from tests.support.fake_visibilities import FakeCall, let_it_be, not_sent
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


def fail_to_read(_call: FakeCall) -> None:
    """Do not answer."""
    raise not_sent("get_visibilities")


def choose_cell(window: Window, heading: str) -> tuple[str, int]:
    """Choose a cell of the first row; return what is said of it, and the number of ways on."""
    table = next(one for one in window.app.dataframe if one.proto.alt == TABLE)
    window.app.session_state[table.key] = {"selection": {"rows": [], "columns": [], "cells": [[0, heading]]}}
    window.app.run()
    said = next(words for words in window.words if "last read TIME" in words and "items" not in words)
    return said, len(window.app.get("page_link"))


def charts(window: Window) -> dict[str, str]:
    """The specification of each chart, by what it says of itself to a screen reader."""
    found = (one.proto for one in window.app if getattr(one, "type", "") == "vega_lite_chart")
    return {chart.alt: chart.spec for chart in found}


def map_cells(window: Window) -> pd.DataFrame:
    """The cells of the map, with what is told of each."""
    chart = next(one.proto for one in window.app if getattr(getattr(one, "proto", None), "alt", "") == MAP[1])
    return convert_arrow_bytes_to_pandas_df(chart.data.data)


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
    assert window.address["table"] == "1"
    seen = [row[2:4] for row in window.rows(TABLE)]
    assert seen == [("can see", "can see"), ("cannot see", "can see")]
    assert kit.fake.writes == []


def test_where_nothing_may_be_changed_all_can_be_looked_at(open_desk: OpenDesk) -> None:
    """Items are read, each cell leads on, and the file can be had: nothing here changes anything."""
    kit = open_desk({OATS: "AB"}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    put_names(kit.records.directory, items=[(OATS, "276", "Oats")])
    window = look(supplier="S", against="chosen", recipient="A", table="1")
    window.click("scan_start")
    wait_until(lambda: not kit.desk.scans.progress("S").is_under_way)
    window.app.run()
    assert [row[2] for row in window.rows(TABLE)] == ["can see"]
    assert choose_cell(window, "A")[1] == 2
    assert "coverage_xlsx" in window.keys
    assert kit.fake.writes == []


def test_the_table_says_of_each_cell_what_the_map_says(open_desk: OpenDesk) -> None:
    """The answers in the order of the columns, and their age; also of an item that was not read."""
    kit = named(open_desk)
    kit.desk.read(OATS)
    window = look(supplier="S", against="chosen", recipient=["A", "B", "C"])
    rows = map_cells(window).groupby("Item")
    in_map = {item: [*cells["Answer"], *set(cells["Last read"])] for item, cells in rows}
    shown = [[*map_cells(window)[name].unique()] for name in ("Recipient", "Recipient number")]
    window.switch("coverage_view", "Table")
    in_table = {item: [*answers, read] for item, read, *answers, _number in window.rows(TABLE)}
    assert shown == [["Anna", "<b>Berta</b>", "C"], ["A", "B", "C"]]
    assert in_table == in_map
    assert in_map["Oats · Germany"][:3] == ["can see", "can see", "cannot see"]
    assert in_map["Rye · Austria"] == ["not read yet"] * 3 + ["never"]


def test_the_map_holds_names_as_values_alone(open_desk: OpenDesk) -> None:
    """No name or id stands in Vega's language, and nothing is fetched from outside."""
    kit = named(open_desk)
    kit.desk.read(OATS)
    window = look(supplier="S")
    found = charts(window)
    assert [*found][1:] == MAP
    titles = [json.loads(found[alt])["params"][0]["value"] for alt in MAP]
    assert titles == [["<b>Berta</b>", "Anna"], ["Oats · Germany", "Rye · Austria"]]
    assert not any("http" in spec for spec in found.values())


def test_the_address_holds_the_choice(open_desk: OpenDesk) -> None:
    """A link's choice is drawn, and later choices go into the address."""
    kit = named(open_desk)
    kit.desk.read(OATS)
    kit.desk.sets.make("Shops", ["A", "C"])
    window = look(supplier="S", items="rye", against="set", set="Shops", table="1")
    assert window.tables == {TABLE}
    window.switch("coverage_view", "Map")
    assert "table" not in window.address
    assert window.says("**1 item of 2** · 1 not read yet")
    window.enter("coverage_items", "none such")
    assert window.says("These words are in no name, market or number")
    assert window.address["items"] == "none such"
    window.switch("coverage_against", "Recipient sets")
    window.enter("coverage_items", "")
    window.switch("coverage_view", "Table")
    assert [row[2] for row in window.rows(TABLE)] == ["1 of 2 can see", "not read yet"]
    window.go_back_to(supplier="S", against="chosen", recipient="C", table="1")
    assert [row[2] for row in window.rows(TABLE)] == ["cannot see", "not read yet"]


def test_back_brings_the_view_of_its_address(open_desk: OpenDesk) -> None:
    """Each press of Map or Table is a step: what is drawn is what the address says."""
    named(open_desk).desk.read(OATS)
    window = look(supplier="S")
    window.switch("coverage_view", "Table")
    window.go_back_to(supplier="S")
    assert (window.tables, window.value_of("coverage_view")) == (set(), "Map")
    window.go_back_to(supplier="S", table="1")
    assert (window.tables, window.value_of("coverage_view")) == ({TABLE}, "Table")


def test_a_chosen_cell_leads_to_the_item_and_its_check(open_desk: OpenDesk) -> None:
    """With its recipient; a cell that is about the item alone leads to the item."""
    kit = named(open_desk)
    kit.desk.read(OATS)
    window = look(supplier="S")
    window.switch("coverage_view", "Table")
    assert window.says("Choose a cell to see its age")
    for_recipient, for_item = (choose_cell(window, heading) for heading in ("Anna (A)", "Item"))
    assert for_recipient == ("Anna `A`: **can see** · Oats · Germany `1` · last read TIME", 2)
    assert for_item == ("Oats · Germany `1` · last read TIME", 1)
    kit.desk.sets.make("Shops", ["A", "C"])
    window.switch("coverage_against", "Recipient sets")
    assert choose_cell(window, "Shops")[1] == 1


def test_a_scan_is_followed_cancelled_and_resumed(open_desk: OpenDesk) -> None:
    """While the service does not answer the scan waits, and says until when; a cancelled one goes on."""
    kit = named(open_desk)
    kit.fake.before_call = fail_to_read
    window = look(supplier="S")
    window.click("scan_start")
    wait_until(lambda: kit.desk.scans.progress("S").state is ScanState.WAITING)
    window.app.run()
    assert window.says("0 of 2 items checked")
    assert window.says("The service does not answer.")
    window.click("scan_cancel")
    assert window.says("The scan was cancelled: 0 of 2 items checked.")
    kit.fake.before_call = let_it_be
    window.click("scan_resume")
    wait_until(lambda: not kit.desk.scans.progress("S").is_under_way)
    window.app.run()
    assert window.says("**2 items** · last read")


def test_many_items_are_shown_in_pages(open_desk: OpenDesk) -> None:
    """It is said which part is drawn; the next one is a click away. Another choice begins at the first."""
    kit = named(open_desk)
    put_names(kit.records.directory, items=[(ItemKey("S", f"N{number:03}"), "", "") for number in range(200)])
    kit.desk.read(OATS)
    window = look(supplier="S")
    assert window.says("Items 1 to 200 of 202")
    window.switch("coverage_view", "Table")
    window.switch(key_for("coverage_page_items_2", Wanted("S")), 2)
    assert len(window.rows(TABLE)) == 2
    assert window.says("Items 201 to 202 of 202")
    window.go_back_to(supplier="S", against="chosen", recipient="B")
    assert window.says("Items 1 to 200 of 202")


def test_what_is_not_there_is_said(open_desk: OpenDesk, tmp_path: Path) -> None:
    """No supplier, no items, no set, nobody seen, and records that cannot be used."""
    named(open_desk)
    assert look().says("Choose a supplier, and whom to show: its items are listed here.")
    assert look(supplier="other").says("This supplier has no known items here.")
    assert look(supplier="S").says(
        "There is no recipient to show yet: the items were not read, or their lists are empty."
    )
    assert look(supplier="S", against="sets").says("There is no recipient set yet.")
    assert look(supplier="S", against="set", set="gone").app.get_by_key("coverage_set").value is None
    break_records(tmp_path)
    assert look(supplier="S").says("The coverage could not be shown.")
