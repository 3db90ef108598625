"""B6: the recipients of a sibling item or of another market, in three actions."""

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.request import ChangeKind
from tests.screens.conftest import OpenDesk, on_both_databases
from tests.support.desk import ITEM, DeskKit
from tests.support.fake_visibilities import Fault, not_sent
from tests.support.known_names import put_names
from tests.support.screens import Window

pytestmark = pytest.mark.screen

AUSTRIA = ItemKey(ITEM.supplier, "04012345678901:040")


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Two items; the other one is known."""
    kit: DeskKit = open_desk({ITEM: "AB", AUSTRIA: "BCD"})
    kit.records.directory.remember([AUSTRIA])
    return kit


@on_both_databases
def test_another_market_is_copied_in_three_actions(kit: DeskKit) -> None:
    """Choose, Add them, Save; what would change is told first."""
    window = Window(ITEM)
    assert window.label_of("copy_suggest_0") == "`04012345678901:040` · Austria"
    window.click("copy_suggest_0")
    assert window.says("`04012345678901:040` · 3 can see it, read TIME · 2 would be added, 1 are only here")
    window.click("copy_add")
    assert window.staged == ["Add `C`", "Add `D`"]
    assert kit.fake.writes == []
    window.click("save")
    assert window.alerts == ["Added C and D · verified TIME"]
    assert window.actions == 3
    assert kit.fake.recipients_of(ITEM) == frozenset("ABCD")
    entry = kit.records.history.latest(ITEM)
    assert entry is not None
    assert (entry.request.origin.kind, entry.request.origin.set_name) == (
        ChangeKind.COPY,
        "04012345678901:040",
    )


def test_exactly_the_others_recipients(kit: DeskKit) -> None:
    """Recipients of this item alone are staged to go."""
    window = Window(ITEM)
    window.find("picked", AUSTRIA.supplier_item_id, key="copy_from")
    window.click("copy_exactly")
    assert window.staged == ["Add `C`", "Add `D`", "Remove `A`"]
    window.click("save")
    assert window.actions == 3
    assert kit.fake.recipients_of(ITEM) == kit.fake.recipients_of(AUSTRIA) == frozenset("BCD")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("04012345678901:756", "Nobody can see the other item: there is nothing to copy."),
        (
            "nothing here",
            "There is nothing to copy: the other item is not in your directory. Is the number right?",
        ),
    ],
)
def test_an_item_that_nobody_can_see_offers_nothing(kit: DeskKit, number: str, told: str) -> None:
    """It is said, and nothing is staged. Nobody is told that an item without a name is not to be seen."""
    kit.records.directory.remember([ItemKey(ITEM.supplier, "04012345678901:756")])
    window = Window(ITEM)
    window.find("used", number, key="copy_from")
    assert window.alerts == [told]
    assert "copy_add" not in window.keys


def test_an_item_that_cannot_be_read_is_told(kit: DeskKit) -> None:
    """The message says why, and that nothing was changed."""
    window = Window(ITEM)
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window.click("copy_suggest_0")
    assert window.alerts == ["The other item could not be read. Nothing was changed."]
    assert "The service cannot be reached." in window.texts


@pytest.mark.usefixtures("kit")
def test_what_was_chosen_can_be_dropped() -> None:
    """Without the number, nothing is offered."""
    window = Window(ITEM)
    window.find("picked", AUSTRIA.supplier_item_id, key="copy_from")
    window.find("removed", AUSTRIA.supplier_item_id, key="copy_from")
    assert "copy_add" not in window.keys


@pytest.mark.usefixtures("kit")
def test_what_was_chosen_for_one_item_is_not_offered_for_another() -> None:
    """Each item chooses anew."""
    window = Window(ITEM)
    window.click("copy_suggest_0")
    window.go_back_to(supplier=ITEM.supplier, item=AUSTRIA.supplier_item_id)
    assert "copy_add" not in window.keys


def test_a_name_that_no_item_has_is_asked_about(kit: DeskKit) -> None:
    """Nothing is read and nothing offered until it is answered."""
    window = Window(ITEM)
    read = len(kit.fake.calls)
    window.find("entered", "bread", key="copy_from")
    assert [one["shown"] for one in window.found("copy_from")["asked"]] == ["bread"]
    assert len(kit.fake.calls) == read
    window.find("named", "bread", AUSTRIA.supplier_item_id, key="copy_from")
    assert window.found("copy_from")["asked"] == []
    assert [one["number"] for one in window.found("copy_from")["chosen"]] == [AUSTRIA.supplier_item_id]
    assert "copy_add" in window.keys


def test_an_item_of_another_supplier_is_entered_with_its_supplier(kit: DeskKit) -> None:
    """Both numbers, as a row of a table."""
    other = ItemKey("4000001000012", "04012345678901:276")
    kit.fake.put(other, ["Z"])
    kit.records.directory.remember([other])
    window = Window(ITEM)
    window.find("entered", f"{other.supplier}\t{other.supplier_item_id}", key="copy_from")
    window.click("copy_add")
    assert window.staged == ["Add `Z`"]


def test_a_name_behind_another_supplier_is_asked_about(kit: DeskKit) -> None:
    """The nearest of that supplier are offered, and its item is taken."""
    other = ItemKey("4000001000012", "04012345678901:276")
    kit.fake.put(other, ["Z"])
    put_names(kit.records.directory, suppliers=[(other.supplier, "Mill")], items=[(other, "276", "Oat milk")])
    window = Window(ITEM)
    window.find("entered", f"{other.supplier} oat bread", key="copy_from")
    (asked,) = window.found("copy_from")["asked"]
    assert [one["name"] for one in asked["alike"]] == ["Oat milk"]
    window.find("named", "oat bread", other.supplier_item_id, key="copy_from")
    window.click("copy_add")
    assert window.staged == ["Add `Z`"]
