"""B7: park and restore, in two actions each, beside typing."""

import pytest

from item_visibility.changes.request import ChangeKind
from tests.screens.conftest import OpenDesk, on_both_databases
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit
from tests.support.screens import ITEM_PAGE, ROOT, Window

pytestmark = pytest.mark.screen

PARKED_PAGE = str(ROOT / "pages/items/parked.py")
ABC = frozenset("ABC")


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Two items; three can see the one, two the other."""
    kit: DeskKit = open_desk({ITEM: ABC, OTHER_ITEM: "AX"})
    return kit


def park(window: Window) -> None:
    """Press Park this item…, type the count, press Enter."""
    window.click("park")
    window.confirm("3")


@on_both_databases
def test_parking_takes_two_actions(kit: DeskKit) -> None:
    """The count is typed; everybody is taken away, verified, and on record as parked."""
    window = Window(ITEM)
    park(window)
    assert window.alerts == ["Removed A, B and C · verified TIME"]
    assert window.actions == 2
    assert kit.fake.recipients_of(ITEM) == frozenset()
    entry = kit.records.history.latest(ITEM)
    assert entry is not None
    assert (entry.request.origin.kind, entry.request.base) == (ChangeKind.PARK, ABC)
    assert window.says("Parked TIME. It was taken away from A, B and C.")


@on_both_databases
def test_restoring_takes_two_actions(kit: DeskKit) -> None:
    """Restore shows what will be added, Save makes it so; then nothing waits to be restored."""
    park(Window(ITEM))
    window = Window(ITEM)
    window.click("restore")
    assert window.staged == ["Add `A`", "Add `B`", "Add `C`"]
    window.click("save")
    assert window.alerts == ["Added A, B and C · verified TIME"]
    assert window.actions == 2
    assert kit.fake.recipients_of(ITEM) == ABC
    entry = kit.records.history.latest(ITEM)
    assert entry is not None
    assert entry.request.origin.kind is ChangeKind.RESTORE
    assert "restore" not in window.keys


def test_a_part_can_be_restored(kit: DeskKit) -> None:
    """A recipient taken back before saving stays away, and it is still a restore."""
    park(Window(ITEM))
    window = Window(ITEM)
    window.click("restore")
    window.take_back("B")
    window.click("save")
    assert kit.fake.recipients_of(ITEM) == frozenset("AC")
    assert kit.records.parks.latest(limit=1)[0].restored_at is not None


def test_a_number_that_does_not_fit_parks_nothing(kit: DeskKit) -> None:
    """The dialog stays open, and its button off."""
    window = Window(ITEM)
    window.click("park")
    assert window.says("**Remove:** A, B and C")
    window.confirm("2")
    assert window.is_off("confirm")
    assert (window.staged, kit.fake.writes) == ([], [])


@pytest.mark.usefixtures("kit")
def test_what_is_staged_comes_first() -> None:
    """Parking is not offered on top of other changes, and not mixed with what stands in the box."""
    window = Window(ITEM)
    window.type_half("N1")
    window.click("park")
    assert window.alerts == ["Nothing was parked: first add or clear the text in Add recipients."]
    window.type_half("")
    window.forge_along({"edited_rows": {0: {"visible": False}}})
    window.click("park")
    assert window.alerts == ["Nothing was parked: save or discard what you changed, then park."]
    assert window.staged == ["Remove `A`"]
    assert "park" not in window.keys


@pytest.mark.usefixtures("kit")
def test_what_is_staged_while_the_count_is_typed_parks_nothing() -> None:
    """A tick that comes late is another change."""
    window = Window(ITEM)
    window.click("park")
    window.forge_along({"edited_rows": {0: {"visible": False}}})
    window.confirm("3")
    assert window.alerts == ["Nothing was saved: the staged changes have changed. Check them, then save."]
    assert window.staged == ["Remove `A`"]


def test_a_list_that_changed_meanwhile_is_parked_after_a_second_look(kit: DeskKit) -> None:
    """Somebody else took one away: nothing is sent before the person typed the count of the rest."""
    window = Window(ITEM)
    kit.fake.put(ITEM, "AB")
    park(window)
    assert kit.fake.writes == []
    window.click("save")
    window.confirm("2")
    assert window.alerts == ["Removed A and B · verified TIME"]
    assert kit.records.parks.latest(limit=1)[0].recipients == frozenset("AB")


@pytest.mark.usefixtures("kit")
def test_without_parked_items_the_page_says_what_to_do() -> None:
    """An empty state."""
    window = Window()
    window.go_to(PARKED_PAGE)
    assert window.alerts == ["No item is parked. To park one, open it and choose Park this item."]


def test_the_page_lists_what_is_parked_and_restores_it_in_two_actions(kit: DeskKit) -> None:
    """Restore opens the item with everybody staged; Save."""
    park(Window(ITEM))
    window = Window()
    window.go_to(PARKED_PAGE)
    assert window.says("Parked TIME: 3 recipients · by ann")
    assert window.says("It was taken away from A, B and C.")
    assert window.rows("The recipients that the item was taken away from") == [
        ("", "A"),
        ("", "B"),
        ("", "C"),
    ]
    window.click("restore_0")
    assert window.staged == ["Add `A`", "Add `B`", "Add `C`"]
    window.app.switch_page(ITEM_PAGE)  # where the person is by now
    window.click("save")
    assert window.actions == 2
    assert kit.fake.recipients_of(ITEM) == ABC
    window.go_to(PARKED_PAGE)
    assert window.says("restored TIME")


def test_parked_recipients_are_restored_onto_another_item(kit: DeskKit) -> None:
    """Staged there as additions; who is there already is not. A name that no item has leads nowhere."""
    park(Window(ITEM))
    window = Window()
    window.go_to(PARKED_PAGE)
    (parked,) = kit.desk.parks.latest()
    window.find("entered", "Oat biscuits", key=f"restore_onto_{parked.key}")
    assert window.app.button(key="restore_there_0").disabled
    window.find("entered", OTHER_ITEM.supplier_item_id, key=f"restore_onto_{parked.key}")
    window.click("restore_there_0")
    assert window.staged == ["Add `B`", "Add `C`"]
    window.app.switch_page(ITEM_PAGE)  # where the person is by now
    window.click("save")
    assert kit.fake.recipients_of(OTHER_ITEM) == frozenset("ABCX")
    assert kit.fake.recipients_of(ITEM) == frozenset()


def test_everybody_there_already_leaves_nothing_to_restore(kit: DeskKit) -> None:
    """It is said, and nothing is staged."""
    park(Window(ITEM))
    window = Window()
    window.go_to(PARKED_PAGE)
    kit.fake.put(ITEM, ABC)
    window.click("restore_0")
    assert window.alerts[-1] == "Nothing to restore: all of them can see the item already."
    assert window.staged == []
