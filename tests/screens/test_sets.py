"""Recipient sets on the directory page."""

from pathlib import Path

import pytest

from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, break_records
from tests.support.known_names import put_names
from tests.support.screens import DIRECTORY_PAGE, Window

MEMBERS = "The recipients of the set"
FILE = "recipient-sets_file"


def directory() -> Window:
    window = Window()
    window.go_to(DIRECTORY_PAGE)
    window.switch("directory_part", "Recipient sets")
    return window


def test_a_set_is_changed_renamed_and_deleted(open_desk: OpenDesk) -> None:
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
    assert "The set was deleted. No item was changed." in window.alerts
    kit.desk.sets.make("Shops", "A")
    window = directory()
    kit.desk.sets.delete("Shops")
    window.click("delete_set")
    assert "The set was not deleted." in window.alerts


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


def test_a_set_is_filled_by_names(open_desk: OpenDesk) -> None:
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
    window.find("entered", "Baker, Butcher, Florist", key="set_members")
    window.find("named", "Baker", "431", key="set_members")
    window.find("used", "Butcher", key="set_members")
    window.find("dropped all", key="set_members")
    assert [one["number"] for one in window.found("set_members")["chosen"]] == ["430", "431", "Butcher"]
    window.click("put_in")
    assert kit.desk.sets.open("Retailers").recipients == {"430", "431", "Butcher"}


def test_sets_from_a_file_are_looked_at_and_then_kept(open_desk: OpenDesk) -> None:
    kit = open_desk()
    kit.desk.sets.make("Old", "AB")
    window = directory()
    window.upload(FILE, b"Set,Recipient\nOld,B\nOld,C1\nNew,Sonnenhof\n")
    assert window.rows("What the file would change") == [
        ("New", "new", "1", "0"),
        ("Old", "changed", "1", "1"),
    ]
    assert "Entries that may not be numbers: Sonnenhof" in window.texts
    assert window.is_off("keep_file")
    window.switch("sets_file_as_numbers", value=True)
    window.click("keep_file")
    assert window.alerts == ["The sets are kept."]
    assert kit.desk.sets.open("Old").recipients == frozenset({"A", "B", "C1"})
    assert kit.desk.sets.open("New").recipients == frozenset({"Sonnenhof"})


def test_sets_that_cannot_be_read_or_kept_say_so(open_desk: OpenDesk, tmp_path: Path) -> None:
    kit = open_desk()
    kit.desk.sets.make("Händler", "A")
    window = directory()
    window.upload(FILE, b"Set,Recipient\nHANDLER,B1\n")
    window.click("keep_file")
    assert window.alerts[0] == "Not all sets were kept: check again what the file would change."
    assert kit.records.sets.names() == ("Händler",)
    break_records(tmp_path)
    assert "The recipient sets could not be read. Nothing was changed." in directory().alerts
