"""The directory page: find, enter, change and import names and recipient sets."""

from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.model.known_ids import Kind, NameRow
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, break_records, put_names
from tests.support.screens import DIRECTORY_PAGE, Window

FILE = "recipient-names_file"
PREVIEW = "What the file would change"
MEMBERS = "The recipients of the set"
SETS_FILE = "recipient-sets_file"


def directory(part: str = "Recipients") -> Window:
    window = Window.on(DIRECTORY_PAGE)
    window.switch("directory_part", part)
    return window


def put(kit: DeskKit, kind: Kind, *rows: NameRow) -> None:
    kit.records.directory[kind].put(rows)


def known(kit: DeskKit, kind: Kind = Kind.RECIPIENT) -> list[NameRow]:
    return list(kit.records.directory[kind].current().rows)


def save(window: Window, rows: dict[object, object]) -> None:
    window.forge_along({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    window.click("save_names")


def test_edits_are_saved_and_ticked_rows_deleted_when_save_changes_is_pressed(
    open_desk: OpenDesk,
) -> None:
    kit = open_desk(environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    put(kit, Kind.RECIPIENT, NameRow(("A",)), NameRow(("B",)), NameRow(("C",), "Old"))
    window = directory()
    save(window, {0: {"name": " Laden "}, 1: {"name": "Gone", "delete": True}})
    assert known(kit) == [NameRow(("A",), "Laden"), NameRow(("C",), "Old")]
    assert window.alerts == [
        "Saved in the directory. Nothing was changed at the service."
    ]
    assert {"Saved: A", "Deleted: B"} <= set(window.texts)

    put(kit, Kind.RECIPIENT, NameRow(("A",), "From elsewhere"))
    save(window, {1: {"name": None}})
    assert known(kit) == [NameRow(("A",), "From elsewhere"), NameRow(("C",))]

    window.click("save_names")
    assert "Nothing was changed." in window.alerts[0]


def test_a_forged_message_changes_no_other_cells_and_no_other_rows(
    open_desk: OpenDesk,
) -> None:
    kit = open_desk()
    put(kit, Kind.RECIPIENT, NameRow(("A",), "Berlin 1"), NameRow(("B",), "Berlin 2"))
    save(
        directory(),
        {0: {"market": "040", "Recipient": "Z"}, 7: {"name": "x"}, "y": {"name": "x"}},
    )
    assert known(kit) == [NameRow(("A",), "Berlin 1"), NameRow(("B",), "Berlin 2")]

    window = directory()
    window.enter("directory_text", "berlin")
    save(window, {0: {"name": "Bonn"}})
    assert known(kit) == [NameRow(("A",), "Bonn"), NameRow(("B",), "Berlin 2")]
    assert list(window.editor.value["Recipient number"]) == ["B"]


def test_the_first_500_are_shown_and_the_others_are_found(open_desk: OpenDesk) -> None:
    rows = [NameRow((f"{number:03}",), f"Nr {number}") for number in range(510)]
    put(open_desk(), Kind.RECIPIENT, *rows)
    window = directory()
    assert window.says("510 recipients · search to see more than the first 500")
    assert len(window.editor.value) == 500

    window.enter("directory_text", "nr 50")
    found = list(window.editor.value["Recipient number"])
    assert found == ["050", *map(str, range(500, 510))]

    window.enter("directory_text", "nothing")
    assert window.says("Nothing matches your search.")


@pytest.mark.parametrize(
    ("part", "fields", "kind", "row"),
    [
        ("Suppliers", ["S", "Nord"], Kind.SUPPLIER, NameRow(("S",), "Nord")),
        (
            "Items",
            ["S", "I", "Käse", "276"],
            Kind.ITEM,
            NameRow(("S", "I"), "Käse", "276"),
        ),
        ("Recipients", ["A", "Laden"], Kind.RECIPIENT, NameRow(("A",), "Laden")),
    ],
)
def test_an_id_can_be_given_a_name(
    open_desk: OpenDesk, part: str, fields: list[str], kind: Kind, row: NameRow
) -> None:
    kit = open_desk()
    window = directory(part)
    assert window.says(f"No {part.lower()} are known yet.")

    window.type("new_name_0", "..")
    window.click("keep_name")
    assert window.alerts == ["Nothing was changed."]
    assert known(kit, kind) == []
    assert window.app.session_state["new_name_0"] == ".."

    for number, text in enumerate(fields):
        window.type(f"new_name_{number}", text)
    window.click("keep_name")
    assert known(kit, kind) == [row]
    assert window.alerts == ["The name was saved."]


def test_names_from_a_file_are_shown_before_they_are_saved(open_desk: OpenDesk) -> None:
    kit = open_desk()
    put(kit, Kind.RECIPIENT, NameRow(("A",), "Alt"))
    window = directory()
    window.upload(FILE, b"Recipient,Name\nB,Laden\nA,Neu\n")
    assert window.rows(PREVIEW) == [
        ("changed", "Neu", "Alt", "A"),
        ("added", "Laden", "", "B"),
    ]
    assert window.says("1 added, 1 changed, 0 already known")
    assert known(kit) == [NameRow(("A",), "Alt")]

    window.click("keep_file")
    assert "The names were saved." in window.alerts
    assert known(kit) == [NameRow(("A",), "Neu"), NameRow(("B",), "Laden")]


def test_unreadable_files_and_failed_saves_are_errors(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    put(open_desk(), Kind.RECIPIENT, NameRow(("A",)))
    window = directory()
    window.upload(FILE, b"a,b\n1\n")
    assert window.alerts[0].endswith("Nothing was changed.")
    assert "Row 2 has 1 cells, but the first row has 2." in window.texts

    window.upload(FILE, b"Recipient,Name\n1,Nord\n")
    break_records(tmp_path)
    window.click("keep_file")
    assert "The names were not saved. Nothing was changed." in window.alerts
    assert "The names could not be read. Nothing was changed." in window.alerts


def test_a_set_is_changed_renamed_and_deleted(open_desk: OpenDesk) -> None:
    kit = open_desk()
    kit.desk.sets.make("Retailers", "AB")
    kit.records.directory.remember([ITEM], {"C1"})
    window = directory("Recipient sets")
    window.find("entered", "C1", key="set_members")
    window.click("put_in")
    assert "1 added, 0 removed" in window.texts

    window.find("entered", "A", key="set_members")
    window.click("take_out")
    assert window.rows(MEMBERS) == [("", "B"), ("", "C1")]

    window.type("set_new_name", "Shops")
    window.click("rename_set")
    (stored,) = kit.records.sets.all()
    assert stored.name == "Shops"

    window.click("delete_set")
    assert "The set was deleted. No item was changed." in window.alerts

    kit.desk.sets.make("Shops", "A")
    window = directory("Recipient sets")
    kit.desk.sets.delete("Shops")
    window.click("delete_set")
    assert "Nothing was changed." in window.alerts


def test_a_set_is_filled_by_names(open_desk: OpenDesk) -> None:
    kit = open_desk()
    put_names(
        kit.records.directory,
        recipients=[("430", "Sonnenhof Markt"), ("431", "Sonnenhof Shop")],
    )
    kit.desk.sets.make("Retailers", {"431"})
    window = directory("Recipient sets")
    window.type_half("sonnenhof", key="set_members")
    window.click("put_in")
    question = "Nothing was changed. First decide what this text in the field means:"
    assert window.alerts == [question]

    options = window.found("set_members")["options"]
    marks = {option["number"]: option["mark"] for option in options}
    assert marks == {"430": "", "431": "in the set already"}

    window.type_half("", key="set_members")
    window.find("picked", "430", key="set_members")
    window.find("entered", "Baker, Butcher, Florist", key="set_members")
    window.find("named", "Baker", "431", key="set_members")
    window.find("named", "Butcher", "Butcher", key="set_members")
    window.find("dropped all", key="set_members")
    chosen = [chip["number"] for chip in window.found("set_members")["chosen"]]
    assert chosen == ["430", "431", "Butcher"]

    window.click("put_in")
    assert kit.records.sets.open("Retailers").recipients == {"430", "431", "Butcher"}


def test_sets_from_a_file_are_shown_before_they_are_saved(open_desk: OpenDesk) -> None:
    kit = open_desk()
    kit.desk.sets.make("Old", "AB")
    window = directory("Recipient sets")
    window.upload(SETS_FILE, b"Set,Recipient\nOld,B\nOld,C1\nNew,Sonnenhof\n")
    assert window.rows(PREVIEW) == [
        ("New", "new", "1", "0"),
        ("Old", "changed", "1", "1"),
    ]
    assert "Entries that may not be numbers: Sonnenhof" in window.texts
    assert window.is_off("keep_file")

    window.switch("sets_file_as_numbers", value=True)
    window.click("keep_file")
    assert window.alerts == ["The sets were saved."]
    assert kit.records.sets.open("Old").recipients == frozenset({"A", "B", "C1"})
    assert kit.records.sets.open("New").recipients == frozenset({"Sonnenhof"})
