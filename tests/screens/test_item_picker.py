"""Picking a supplier and an item: known ones by number or name, any other as it is typed."""

import pytest

from components.shell.browser_cookie import NO_BROWSER
from item_visibility.api.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit
from tests.support.known_names import put_names
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

LINK = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
OTHER_LINK = {"supplier": OTHER_ITEM.supplier, "item": OTHER_ITEM.supplier_item_id}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """A desk that knows two items of Nordmilch."""
    kit = open_desk({ITEM: {"R1", "R2"}, OTHER_ITEM: {"R3"}})
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk"), (OTHER_ITEM, "040", "Butter")],
    )
    return kit


def test_the_first_screen_offers_what_is_known(kit: DeskKit) -> None:
    """One click chooses the supplier, one more the item."""
    window = Window()
    assert window.alerts == ["Choose a supplier and an item to see who can see the item."]
    assert window.says("Known ones; type to find others:")
    window.click("suggest_supplier_0")
    window.click("suggest_item_0")
    assert window.actions == 2
    assert window.address == LINK
    assert window.ticks == {"R1": True, "R2": True}
    assert window.says("Nordmilch · GLN, check digit fits")
    assert window.says("Whole milk · GTIN 04012345678901 · Germany")
    assert kit.fake.writes == []


@pytest.mark.usefixtures("kit")
def test_a_part_of_a_name_is_not_taken_for_an_id() -> None:
    """The person chooses what was found; until then nothing is read."""
    window = Window()
    window.enter("supplier", "nordm")
    assert window.says("Found by name:")
    assert window.editors == 0
    window.click("suggest_supplier_0")
    window.enter("item", "butt")
    assert window.editors == 0
    window.click("suggest_item_0")
    assert window.address == OTHER_LINK
    assert window.ticks == {"R3": True}


@pytest.mark.usefixtures("kit")
def test_a_text_that_fits_a_name_can_be_used_as_the_number_itself() -> None:
    """An id may be a word."""
    window = Window()
    window.enter("supplier", "milch")
    window.click("as_typed_supplier")
    window.enter("item", "any")
    assert window.says("Nothing is recorded for this item")
    assert window.address == {"supplier": "milch", "item": "any"}


@pytest.mark.usefixtures("kit")
def test_a_text_that_only_fits_a_name_is_not_in_the_address() -> None:
    """A link is made of choices, not of searches."""
    window = Window(ITEM)
    window.enter("item", "butt")
    assert window.address == {"supplier": ITEM.supplier}


@pytest.mark.usefixtures("kit")
def test_a_link_is_taken_as_it_is() -> None:
    """Also where what it names is unknown here and stands in a known name."""
    window = Window(ItemKey("milch", "milk"))
    assert window.says("Nothing is recorded for this item")
    assert window.address == {"supplier": "milch", "item": "milk"}


@pytest.mark.usefixtures("kit")
def test_a_number_that_begins_like_a_known_one_is_taken_and_the_known_one_offered() -> None:
    """Free entry always; a slip of the hand is one click away from the right one."""
    window = Window()
    window.enter("supplier", ITEM.supplier[:-1])
    window.enter("item", "new")
    assert window.says("Similar known numbers:")
    assert window.says("Nothing is recorded for this item")


@pytest.mark.usefixtures("kit")
def test_another_supplier_empties_the_item() -> None:
    """The item belonged to the supplier before."""
    window = Window(ITEM)
    window.enter("supplier", "another")
    assert window.app.text_input(key="item").value == ""
    assert window.address == {"supplier": "another"}


@pytest.mark.usefixtures("kit")
def test_no_supplier_no_item() -> None:
    """Emptying the supplier leads back to the first screen."""
    window = Window(ITEM)
    window.enter("supplier", "")
    assert window.address == {}
    assert window.alerts == ["Choose a supplier and an item to see who can see the item."]


@pytest.mark.usefixtures("kit")
def test_back_and_forward_change_the_item() -> None:
    """The address decides when it changes from outside, and other parts of it are left alone."""
    window = Window(ITEM)
    window.go_back_to(**OTHER_LINK, recipient="R9")
    assert window.ticks == {"R3": True}
    assert window.address == OTHER_LINK | {"recipient": "R9"}
    window.go_back_to(**LINK)
    assert window.ticks == {"R1": True, "R2": True}
    window.go_back_to()
    assert window.editors == 0


@pytest.mark.usefixtures("kit")
def test_the_item_is_still_open_after_a_look_at_another_page() -> None:
    """The navigation clears the address; the session knows."""
    window = Window(ITEM)
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert window.address == LINK
    assert window.ticks == {"R1": True, "R2": True}


@pytest.mark.usefixtures("kit")
def test_typing_after_a_link_follows_the_hand() -> None:
    """The old address does not pull the choice back."""
    window = Window(ITEM)
    window.enter("item", OTHER_ITEM.supplier_item_id)
    assert window.address == OTHER_LINK
    assert window.ticks == {"R3": True}


def test_items_used_last_are_one_click_away(kit: DeskKit) -> None:
    """Newest first; what is staged is listed before them."""
    kit.desk.remember_use(NO_BROWSER, OTHER_ITEM)
    kit.fake.time.sleep(1)
    window = Window(ITEM)
    window.untick("R1")
    window.enter("supplier", "")
    assert [heading.value for heading in window.app.subheader] == [
        "Staged changes",
        "Used last",
    ]
    assert window.app.button(key="recent_0").label.startswith("Whole milk")
    window.click("recent_1")
    assert window.address == OTHER_LINK
    window.enter("supplier", "")
    window.click("staged_0")
    assert window.address == LINK
    assert window.ticks == {"R1": False, "R2": True}


@pytest.mark.usefixtures("kit")
def test_a_choice_is_kept_when_the_browsers_address_is_late() -> None:
    """On a slow line the next entry is sent with the address from before the last one; that is not Back."""
    window = Window()
    window.enter("supplier", ITEM.supplier)
    window.app.query_params.clear()
    window.enter("item", ITEM.supplier_item_id)
    assert window.address == LINK
    assert window.ticks == {"R1": True, "R2": True}
