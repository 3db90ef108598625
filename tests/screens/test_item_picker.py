"""Picking a supplier and an item: known ones by number or name, any other as it is typed."""

import pytest

from item_visibility.client.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit, put_names
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

LINK = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
OTHER_LINK = {"supplier": OTHER_ITEM.supplier, "item": OTHER_ITEM.supplier_item_id}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    kit = open_desk({ITEM: {"R1", "R2"}, OTHER_ITEM: {"R3"}})
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk"), (OTHER_ITEM, "040", "Butter")],
    )
    return kit


def test_the_first_screen_offers_what_is_known(kit: DeskKit) -> None:
    window = Window()
    assert window.alerts == ["Choose a supplier and an item to see who can see the item."]
    (offered,) = window.found("supplier")["options"]
    assert (offered["name"], offered["number"]) == ("Nordmilch", ITEM.supplier)
    assert window.found("item")["isOff"]
    window.find("picked", ITEM.supplier, key="supplier")
    assert [one["note"] for one in window.found("item")["options"]] == ["Germany", "Austria"]
    window.find("picked", ITEM.supplier_item_id, key="item")
    assert window.address == LINK
    assert window.ticks == {"R1": True, "R2": True}
    assert [one["name"] for one in window.found("item")["chosen"]] == ["Whole milk"]
    assert kit.fake.writes == []


def test_a_name_that_nobody_has_is_asked_about(kit: DeskKit) -> None:
    window = Window(ITEM)
    read = len(kit.fake.calls)
    window.find("entered", "butter bread", key="item")
    (asked,) = window.found("item")["questions"]
    assert (asked["before"], asked["shown"], asked["use"]) == (
        "No item called",
        "butter bread",
        "Use 'butter bread' as an item number",
    )
    assert [one["name"] for one in asked["alike"]] == ["Butter"]
    assert (window.editors, window.address) == (0, {"supplier": ITEM.supplier})
    assert len(kit.fake.calls) == read
    window.find("named", "butter bread", OTHER_ITEM.supplier_item_id, key="item")
    assert window.ticks == {"R3": True}
    assert window.found("item")["questions"] == []


@pytest.mark.usefixtures("kit")
def test_a_text_can_be_used_as_the_number_itself() -> None:
    window = Window(ItemKey("4000001000006", "1"))
    assert window.says("check digit does not fit: 4000001000005 would")
    window.find("removed", "4000001000006", key="supplier")
    window.find("entered", "milch", key="supplier")
    window.find("dropped", "milch", key="supplier")
    assert window.found("supplier")["questions"] == []
    window.find("entered", "milch", key="supplier")
    window.find("named", "milch", "milch", key="supplier")
    window.find("entered", "any", key="item")
    window.find("named", "any", "any", key="item")
    assert window.says("Nothing is recorded for this item")
    assert window.address == {"supplier": "milch", "item": "any"}


@pytest.mark.usefixtures("kit")
def test_back_and_forward_change_the_item() -> None:
    window = Window(ITEM)
    window.go_back_to(**OTHER_LINK, recipient="R9")
    assert window.ticks == {"R3": True}
    assert window.address == OTHER_LINK | {"recipient": "R9"}
    window.go_back_to(**LINK)
    assert window.ticks == {"R1": True, "R2": True}
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert (window.address, window.ticks) == (LINK, {"R1": True, "R2": True})
    window.go_back_to()
    assert window.editors == 0


def test_recent_items_are_one_click_away(kit: DeskKit) -> None:
    kit.desk.remember_use(OTHER_ITEM)
    kit.fake.time.sleep(1)
    window = Window(ITEM)
    window.find("removed", ITEM.supplier, key="supplier")
    assert [heading.value for heading in window.app.header] == ["Recent items"]
    assert window.app.button(key="recent_0").label.startswith("Whole milk")
    window.click("recent_1")
    assert window.address == OTHER_LINK
    assert window.ticks == {"R3": True}


@pytest.mark.usefixtures("kit")
def test_what_comes_late_with_an_older_address_is_not_back() -> None:
    window = Window(ITEM)
    window.find("entered", OTHER_ITEM.supplier_item_id, key="item")
    window.send_address(**LINK)
    window.type_half("m", key="item")
    window.leave()
    assert window.address == OTHER_LINK
    window.leave()
    window.go_back_to(**LINK)
    assert window.ticks == {"R1": True, "R2": True}
