"""Pictures and files of the history."""

import pytest
import time_machine

from item_visibility.client.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.screens.test_history import NEXT_DAY, look, save
from tests.support.desk import ITEM, PERSON
from tests.support.known_names import put_names
from tests.support.screens import Window

pytestmark = pytest.mark.screen

OF_THE_ITEM = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}


def charts(window: Window) -> list[str]:
    """The charts' descriptions for a screen reader."""
    return [chart.proto.alt for chart in window.app if getattr(chart, "type", "") == "vega_lite_chart"]


def test_an_item_has_a_timeline_and_its_table(open_desk: OpenDesk) -> None:
    """Since when and until when each recipient could see it."""
    kit = open_desk({ITEM: {"A", "B"}})
    put_names(kit.records.directory, recipients=[("A", "Anna")])
    save(kit, "k1", base="AB", add="C", remove="B")
    with time_machine.travel(NEXT_DAY):
        window = look(**OF_THE_ITEM)
    assert window.rows("Since when and until when each recipient could see the item") == [
        ("Anna", "A", "before the first entry", "still, after the last entry"),
        ("", "B", "before the first entry", "yesterday 14:10"),
        ("", "C", "yesterday 14:10", "still, after the last entry"),
    ]
    assert charts(window) == [
        "A timeline: one line a recipient, a bar for each time in which it could see the item"
    ]


def test_a_timeline_of_many_recipients_shows_those_that_changed(open_desk: OpenDesk) -> None:
    """The table has them all."""
    many = {f"R{number:02}" for number in range(40)}
    kit = open_desk({ITEM: many})
    save(kit, "k1", base=many, add=["Z"])
    window = look(**OF_THE_ITEM)
    assert window.says("The first 30 recipients, those that changed first")
    assert len(window.rows("Since when and until when each recipient could see the item")) == 41


def test_a_save_that_nothing_is_known_of_has_no_timeline(open_desk: OpenDesk) -> None:
    """The item's other entries are filtered out, not its timeline."""
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    assert charts(look(**OF_THE_ITEM, person="nobody")) == []


def test_a_supplier_has_its_changes_per_week(open_desk: OpenDesk) -> None:
    """By kind and person."""
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    save(kit, "k2", item=ItemKey(ITEM.supplier, "I"), add="B")
    window = look(supplier=ITEM.supplier)
    assert window.rows("Changes of each week, by kind and person") == [("2026-11-16", "Change", PERSON, 2)]
    assert charts(window) == ["Changes of each week, by kind", "Changes of each week, by person"]


def test_what_the_filter_finds_can_be_downloaded(open_desk: OpenDesk) -> None:
    """As XLSX and as CSV, made when it is asked for."""
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    window = look()
    assert {"history_xlsx", "history_csv"} <= window.keys
