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


def test_a_first_set_is_made_and_opened(open_desk: OpenDesk) -> None:
    """The page says what to do first, and what it did."""
    kit = open_desk()
    kit.records.directory.remember([ITEM], {"B1", "C1"})
    window = directory()
    assert window.says("There are no recipient sets yet: make the first.")
    window.type("new_set_name", "Retailers DE")
    window.find("entered", "B1, C1\nB1", key="new_set_recipients")
    window.click("make_set")
    assert window.alerts == ["The set was made."]
    assert window.rows(MEMBERS) == [("", "B1"), ("", "C1")]
    assert kit.desk.sets.open("Retailers DE").recipients == frozenset({"B1", "C1"})


def test_an_empty_list_of_sets_makes_an_example_with_one_click(open_desk: OpenDesk) -> None:
    """With the first recipient that is known, by its name."""
    kit = open_desk()
    put_names(kit.records.directory, recipients=[("B1", "Sonnenhof")])
    window = directory()
    assert window.label_of("example_set") == "Make a set 'Example' with Sonnenhof"
    window.click("example_set")
    assert window.alerts == ["The set was made."]
    assert window.rows(MEMBERS) == [("Sonnenhof", "B1")]


def test_where_nobody_is_known_no_example_of_a_set_is_offered(open_desk: OpenDesk) -> None:
    """There is nobody to put into it."""
    open_desk()
    assert "example_set" not in directory().keys


def test_a_set_is_changed_renamed_deleted_and_brought_back(open_desk: OpenDesk) -> None:
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
    window.click("bring_back_set")
    assert kit.desk.sets.open("Shops").recipients == frozenset({"B", "C1"})
    assert window.alerts == []


@pytest.mark.parametrize(
    ("key", "text", "field", "entered", "button", "headline"),
    [
        ("new_set_name", "", "new_set_recipients", "A1", "make_set", "No set was made."),
        ("new_set_name", "", "set_members", "1\x01", "put_in", "The set was not changed."),
        ("set_new_name", "SHOPS", "set_members", "A1", "rename_set", "The set was not renamed."),
    ],
)
def test_what_cannot_be_done_is_told_and_typed_words_stay(  # noqa: PLR0913, PLR0917  (one row, one case)
    open_desk: OpenDesk, key: str, text: str, field: str, entered: str, button: str, headline: str
) -> None:
    """Nothing is changed."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", "A")
    kit.desk.sets.make("Shops", "B")
    kit.records.directory.remember([ITEM], {"A1", "1\x01"})
    window = directory()
    window.find("picked", entered, key=field)
    window.type(key, text)
    window.click(button)
    assert window.alerts == [headline]
    assert window.app.session_state[key] == text
    assert [one["id"] for one in window.found(field)["chosen"]] == [entered]
    assert kit.records.sets.names() == ("Retailers", "Shops")


def test_a_set_that_somebody_deleted_meanwhile_is_told(open_desk: OpenDesk) -> None:
    """Neither deleted twice nor brought back over one that was made anew."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", "A")
    kit.desk.sets.make("Shops", "B")
    window = directory()
    kit.desk.sets.delete("Retailers")
    window.click("delete_set")
    assert "The set was not deleted." in window.alerts
    window.click("delete_set")
    kit.desk.sets.make("Shops", "Z")
    window.click("bring_back_set")
    assert "The set was not brought back." in window.alerts
    assert kit.desk.sets.open("Shops").recipients == frozenset("Z")


def test_sets_and_their_recipients_are_found(open_desk: OpenDesk) -> None:
    """A set by its name; long lists are shown in part, and the page says so."""
    kit = open_desk()
    kit.desk.sets.make("Retailers", [f"R{number:03}" for number in range(250)])
    kit.desk.sets.make("Shops", "B")
    window = directory()
    assert len(window.rows(MEMBERS)) == 200
    assert window.says("The first 200 of 250 are shown")
    window.enter("find_in_set", "24")
    assert len(window.rows(MEMBERS)) == 13
    window.switch("set_to_edit", "Shops")
    assert window.rows(MEMBERS) == [("", "B")]


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
    assert "The set could not be opened. Nothing was changed." in window.alerts
