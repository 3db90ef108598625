"""The recipients as a list of checkboxes: the same draft, without a canvas."""

from threading import Event

import pytest

from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit
from tests.support.known_names import put_names
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

MANY = frozenset(f"R{number:03}" for number in range(120))


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Four recipients, two with names."""
    kit = open_desk({ITEM: {"R1", "R2", "R3", "R4"}})
    put_names(kit.records.directory, recipients=[("R4", "Kaufhaus"), ("R3", "Sonnenhof")])
    return kit


@pytest.mark.usefixtures("kit")
def test_the_list_shows_names_first_and_the_draft_as_it_is() -> None:
    """A box unticked in the table is unticked here, and the other way round."""
    window = Window(ITEM)
    window.untick("R2")
    window.switch("list_view", value=True)
    assert window.editors == 0
    assert window.boxes == {"Kaufhaus · R4": True, "Sonnenhof · R3": True, "R1": True, "R2": False}
    window.set_box("R3", is_ticked=False)
    window.set_box("R2", is_ticked=True)
    assert window.staged == ["Remove Sonnenhof `R3`"]
    window.switch("list_view", value=False)
    assert window.ticks == {"R4": True, "R3": False, "R1": True, "R2": True}


def test_what_is_taken_back_or_saved_shows_in_the_list(kit: DeskKit) -> None:
    """The checkboxes follow the draft."""
    window = Window(ITEM)
    window.switch("list_view", value=True)
    window.set_box("R1", is_ticked=False)
    window.set_box("R2", is_ticked=False)
    window.take_back("R2")
    assert window.boxes == {"Kaufhaus · R4": True, "Sonnenhof · R3": True, "R1": False, "R2": True}
    window.click("save")
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert window.boxes == {"Kaufhaus · R4": True, "Sonnenhof · R3": True, "R2": True}
    assert kit.fake.recipients_of(ITEM) == {"R2", "R3", "R4"}


@pytest.mark.usefixtures("kit")
def test_the_choice_of_the_list_is_kept_for_the_window() -> None:
    """A look at another page does not bring the table back."""
    window = Window(ITEM)
    window.switch("list_view", value=True)
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert (window.editors, len(window.boxes)) == (0, 4)


def test_a_long_list_has_pages_and_can_be_searched(open_desk: OpenDesk) -> None:
    """Fifty a page; a search begins at its first page, and says when it finds nobody."""
    open_desk({ITEM: MANY})
    window = Window(ITEM)
    window.switch("list_view", value=True)
    window.click("list_next")
    window.click("list_next")
    assert list(window.boxes) == [f"R{number:03}" for number in range(100, 120)]
    assert window.says("Page 3 of 3")
    assert window.is_off("list_next")
    window.set_box("R119", is_ticked=False)
    assert (len(window.boxes), window.staged) == (20, ["Remove `R119`"])
    window.enter("find_recipient", "R11")
    assert list(window.boxes) == [f"R{number:03}" for number in range(110, 120)]
    assert window.boxes["R119"] is False
    window.enter("find_recipient", "nobody")
    assert window.says("No recipient of this item matches your search.")


def test_the_list_is_locked_while_a_save_runs(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the table is."""
    opened = Event()
    kit.fake.before_call = lambda call: assert_opened(call.operation, opened)
    monkeypatch.setattr("components.saving.press.WAIT_FOR_SAVE_S", 0.1)
    window = Window(ITEM)
    window.switch("list_view", value=True)
    window.set_box("R1", is_ticked=False)
    window.click("save")
    assert {box.disabled for box in window.app.checkbox} == {True}
    opened.set()


def assert_opened(operation: str, opened: Event) -> None:
    """Let reads through; hold writes until they may go."""
    assert operation == "getVisibilities" or opened.wait(60)
