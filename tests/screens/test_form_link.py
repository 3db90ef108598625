"""Links that open an item with the form filled in."""

import pytest

from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit
from tests.support.fake_visibilities import Fault, not_sent
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

LINK = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
OTHER_LINK = {"supplier": OTHER_ITEM.supplier, "item": OTHER_ITEM.supplier_item_id}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    return open_desk({ITEM: {"R1", "R2", "R3"}, OTHER_ITEM: {"R3", "R9"}})


@pytest.mark.usefixtures("kit")
def test_a_link_to_the_open_item_starts_a_new_form() -> None:
    window = Window(ITEM)
    window.add("R5")
    window.untick("R1")
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE, **LINK, add="R6", remove="R2")
    assert [one["id"] for one in window.found()["chosen"]] == ["R6"]
    assert window.ticks == {"R2": False, "R1": True, "R3": True}


def test_a_link_fills_in_the_form_and_a_removal_is_never_saved_unseen(kit: DeskKit) -> None:
    window = Window(ITEM, add=["R6", "R1", ".."], remove=["R3", "R2", "R8"])
    assert window.address == LINK
    assert window.says("Parts of the link are left out")
    assert [one["id"] for one in window.found()["chosen"]] == ["R6"]
    assert list(window.ticks.items()) == [("R2", False), ("R3", False), ("R1", True)]
    window.tick("R3")
    window.save()
    assert (kit.fake.writes, window.plan) == ([], {"remove": ["R2"], "add": ["R6"]})
    window.confirm()
    assert kit.fake.recipients_of(ITEM) == {"R1", "R3", "R6"}
    window.click("reload")
    assert window.found()["chosen"] == []


def test_a_read_that_failed_does_not_use_up_the_link(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window = Window(ITEM, add="R6")
    window.click("try_again")
    assert [one["id"] for one in window.found()["chosen"]] == ["R6"]


@pytest.mark.parametrize("is_read", [True, False], ids=["link without an item", "item not read"])
def test_a_link_never_fills_in_the_form_of_another_item(kit: DeskKit, *, is_read: bool) -> None:
    kit.fake.faults.extend([Fault("getVisibilities", not_sent("getVisibilities"))][int(is_read) :])
    window = Window(add="R6", remove="R3", **({} if is_read else LINK))
    window.find("entered", OTHER_ITEM.supplier, key="supplier")
    window.find("entered", OTHER_ITEM.supplier_item_id, key="item")
    assert window.address == OTHER_LINK
    assert window.found()["chosen"] == []
    assert window.ticks == {"R3": True, "R9": True}
    window.go_back_to(**LINK)
    assert window.found()["chosen"] == []


@pytest.mark.usefixtures("kit")
def test_copy_link_carries_the_item_and_the_chips() -> None:
    window = Window(ITEM)
    window.add("R6\nR7")
    window.open_more()
    window.click("copy_link")
    assert any(text.endswith("&add=R6&add=R7") for text in window.texts)
