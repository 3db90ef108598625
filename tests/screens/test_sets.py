"""Recipient sets on the directory page."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT, break_records
from tests.support.known_names import put_names
from tests.support.screens import DIRECTORY_PAGE, Window

pytestmark = pytest.mark.screen

MEMBERS = "The recipients of the set"


def directory() -> Window:
    """A window on the sets of the directory."""
    window = Window()
    window.go_to(DIRECTORY_PAGE)
    window.switch("directory_part", "Recipient sets")
    return window


def test_a_set_is_changed_renamed_and_deleted(open_desk: OpenDesk) -> None:
    """Each says what it did."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", "AB")
    kit.records.directory.remember([ITEM], {"C1"})
    window = directory()
    window.find("entered", "C1", key="set_members")
    window.click("put_in")
    assert "1 added, 0 removed" in window.texts
    window.find("entered", "A", key="set_members")
    window.click("take_out")
    assert window.rows(MEMBERS) == [("", "B"), ("", "C1")]
    window.type("set_new_name", "Shops")
    window.click("rename_set")
    assert kit.records.sets.names() == ("Shops",)
    window.click("delete_set")
    assert kit.records.sets.names() == ()
    assert "The set was deleted. No item was changed." in window.alerts
    assert "put_in" not in window.keys


@pytest.mark.parametrize(
    ("entered", "new_name", "button", "headline"),
    [
        ("1\x01", "", "put_in", "The set was not changed."),
        ("A1", "SHOPS", "rename_set", "The set was not renamed."),
    ],
)
def test_a_refused_change_keeps_the_entered_texts(
    open_desk: OpenDesk, entered: str, new_name: str, button: str, headline: str
) -> None:
    """Nothing is changed."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", "A")
    kit.desk.sets.make("Shops", "B")
    kit.records.directory.remember([ITEM], {"A1", "1\x01"})
    window = directory()
    window.find("picked", entered, key="set_members")
    window.type("set_new_name", new_name)
    window.click(button)
    assert window.alerts == [headline]
    assert window.app.session_state["set_new_name"] == new_name
    assert [one["id"] for one in window.found("set_members")["chosen"]] == [entered]
    assert kit.records.sets.names() == ("Retailers", "Shops")


def test_a_set_that_was_deleted_elsewhere_is_reported(open_desk: OpenDesk) -> None:
    """It cannot be deleted twice."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", "A")
    window = directory()
    kit.desk.sets.delete("Retailers")
    window.click("delete_set")
    assert "The set was not deleted." in window.alerts


def test_sets_can_be_edited_in_a_read_only_environment(open_desk: OpenDesk) -> None:
    """Sets are our own; nothing is sent to the service."""
    kit = open_desk({ITEM: "AB"}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    kit.desk.sets.make("Retailers", "C")
    kit.records.directory.remember([ITEM], {"D1"})
    window = directory()
    window.find("entered", "D1", key="set_members")
    window.click("put_in")
    assert kit.desk.sets.open("Retailers").recipients == frozenset({"C", "D1"})


def test_a_set_is_filled_by_names(open_desk: OpenDesk) -> None:
    """Chips stay until a button takes them; those that it has are marked; half a text stops the button."""
    kit = open_desk()
    put_names(kit.records.directory, recipients=[("430", "Sonnenhof Markt"), ("431", "Sonnenhof Shop")])
    kit.desk.sets.make("Retailers", {"431"})
    window = directory()
    window.type_half("sonnenhof", key="set_members")
    window.click("put_in")
    assert "Nothing was changed: a text in the field is not decided yet." in window.alerts
    marks = {one["number"]: one["mark"] for one in window.found("set_members")["options"]}
    assert marks == {"430": "", "431": "in the set already"}
    window.type_half("", key="set_members")
    window.find("picked", "430", key="set_members")
    window.find("picked", "431", key="set_members")
    window.find("removed", "431", key="set_members")
    window.find("entered", "Grocer, Baker, Butcher, Florist", key="set_members")
    window.find("dropped", "Grocer", key="set_members")
    window.find("named", "Baker", "431", key="set_members")
    window.find("used", "Butcher", key="set_members")
    window.find("used", "no question", key="set_members")
    window.find("dropped all", key="set_members")
    assert [one["number"] for one in window.found("set_members")["chosen"]] == ["430", "431", "Butcher"]
    window.click("put_in")
    assert kit.desk.sets.open("Retailers").recipients == {"430", "431", "Butcher"}


def test_a_set_that_cannot_be_opened_is_told(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database failed between the list and the set."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", "C")
    monkeypatch.setattr(kit.records.sets, "names", lambda: ("Retailers",))
    break_records(tmp_path)
    window = directory()
    assert "The recipient sets could not be read. Nothing was changed." in window.alerts
