"""The directory page: names are found, entered and forgotten."""

from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.use_cases.directory import Kind, NameRow
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, TEST_ENVIRONMENT, DeskKit, break_records
from tests.support.screens import DIRECTORY_PAGE, Window

pytestmark = pytest.mark.screen


def directory(part: str = "Recipients") -> Window:
    """A window on a part of the directory."""
    window = Window()
    window.go_to(DIRECTORY_PAGE)
    window.switch("directory_part", part)
    return window


def put(kit: DeskKit, kind: Kind, *rows: NameRow) -> None:
    """Keep rows in the directory."""
    kit.records.directory[kind].put(rows)


def known(kit: DeskKit, kind: Kind) -> list[NameRow]:
    """All rows of a kind."""
    return list(kit.records.directory[kind].all())


def save(window: Window, rows: dict[object, object]) -> None:
    """Edit the table, and press Save changes."""
    window.forge_along({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    window.click("save_names")


@pytest.mark.parametrize(
    ("part", "words"), [("Suppliers", "suppliers"), ("Items", "items"), ("Recipients", "recipients")]
)
def test_an_empty_directory_says_what_to_do(open_desk: OpenDesk, part: str, words: str) -> None:
    """Ids that are used come by themselves, a file brings many."""
    open_desk()
    window = directory(part)
    assert window.says(f"No {words} are known yet.")
    assert window.editors == 0


def test_names_are_shown_in_a_table(open_desk: OpenDesk) -> None:
    """Items by name first, with the market that was entered or that the number says, and their supplier."""
    kit = open_desk()
    put(kit, Kind.SUPPLIER, NameRow((ITEM.supplier,), "Nordmilch"))
    put(kit, Kind.ITEM, NameRow((ITEM.supplier, ITEM.supplier_item_id), "Käse"))
    put(kit, Kind.ITEM, NameRow((ITEM.supplier, OTHER_ITEM.supplier_item_id), "Butter", "EU"))
    table = directory("Items").editor.value
    columns = ["name", "market", "supplier", "Item number", "Supplier number"]
    assert table[columns].to_numpy().tolist() == [
        ["Käse", "Germany", "Nordmilch", ITEM.supplier_item_id, ITEM.supplier],
        ["Butter", "EU", "Nordmilch", OTHER_ITEM.supplier_item_id, ITEM.supplier],
    ]
    assert list(table.columns) == [*columns, "note", "delete"]


def test_names_are_saved_when_save_changes_is_pressed(open_desk: OpenDesk) -> None:
    """A later save keeps what somebody else changed meanwhile."""
    kit = open_desk()
    put(kit, Kind.RECIPIENT, NameRow(("A",)), NameRow(("B",), "Old"))
    window = directory()
    save(window, {0: {"name": " Laden "}})
    assert known(kit, Kind.RECIPIENT)[0] == NameRow(("A",), "Laden")
    put(kit, Kind.RECIPIENT, NameRow(("A",), "From elsewhere"))
    save(window, {1: {"name": None}})
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "From elsewhere"), NameRow(("B",))]


def test_a_market_is_kept_of_items_only(open_desk: OpenDesk) -> None:
    """A forged message cannot give one to a recipient, nor touch rows that are not there."""
    kit = open_desk()
    put(kit, Kind.ITEM, NameRow(("S", "I"), "Käse"))
    put(kit, Kind.RECIPIENT, NameRow(("A",), "Laden"))
    save(directory("Items"), {0: {"market": "040"}})
    save(directory(), {0: {"market": "040", "Recipient": "Z"}, 7: {"name": "x"}, "y": {"name": "x"}})
    assert known(kit, Kind.ITEM) == [NameRow(("S", "I"), "Käse", "040")]
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Laden")]


def test_ticked_rows_are_deleted_and_the_others_saved(open_desk: OpenDesk) -> None:
    """Pressed again without an edit, it changes nothing; nothing at the service changes."""
    kit = open_desk()
    put(kit, Kind.RECIPIENT, NameRow(("A",)), NameRow(("B",)))
    window = directory()
    save(window, {0: {"name": "Laden"}, 1: {"name": "Gone", "delete": True}})
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Laden")]
    assert window.alerts == ["Saved in the directory. At the service, nothing was changed."]
    assert {"Saved: A", "Deleted: B"} <= set(window.texts)
    window.click("save_names")
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Laden")]
    assert "Nothing was changed." in window.alerts[0]


def test_the_first_500_are_shown_and_the_others_are_found(open_desk: OpenDesk) -> None:
    """By part of a name or number."""
    put(open_desk(), Kind.RECIPIENT, *(NameRow((f"{number:03}",), f"Nr {number}") for number in range(510)))
    window = directory()
    assert window.says("510 recipients · the first 500 are shown: look for the others")
    assert len(window.editor.value) == 500
    window.enter("directory_text", "nr 50")
    assert list(window.editor.value["Recipient number"]) == ["050", *(str(one) for one in range(500, 510))]
    window.enter("directory_text", "nothing")
    assert window.says("Nothing matches your search.")


def test_an_edit_after_which_a_row_is_not_found_changes_no_other_row(open_desk: OpenDesk) -> None:
    """The table is drawn anew with the rows that are found then."""
    kit = open_desk()
    put(kit, Kind.RECIPIENT, NameRow(("A",), "Berlin 1"), NameRow(("B",), "Berlin 2"))
    window = directory()
    window.enter("directory_text", "berlin")
    save(window, {0: {"name": "Bonn"}})
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Bonn"), NameRow(("B",), "Berlin 2")]
    assert list(window.editor.value["Recipient number"]) == ["B"]


@pytest.mark.parametrize(
    ("part", "fields", "kind", "row"),
    [
        ("Suppliers", ["S", "Nord"], Kind.SUPPLIER, NameRow(("S",), "Nord")),
        ("Items", ["S", "I", "Käse", "276"], Kind.ITEM, NameRow(("S", "I"), "Käse", "276")),
        ("Recipients", ["A", "Laden"], Kind.RECIPIENT, NameRow(("A",), "Laden")),
    ],
)
def test_a_number_is_named(
    open_desk: OpenDesk, part: str, fields: list[str], kind: Kind, row: NameRow
) -> None:
    """Known or not."""
    kit = open_desk()
    window = directory(part)
    for number, text in enumerate(fields):
        window.type(f"new_name_{number}", text)
    window.click("keep_name")
    assert known(kit, kind) == [row]
    assert window.alerts == ["The name is kept."]


def test_a_number_that_cannot_be_sent_is_not_named(open_desk: OpenDesk) -> None:
    """The typed text stays, to be put right."""
    kit = open_desk()
    window = directory()
    window.type("new_name_0", "..")
    window.click("keep_name")
    assert window.alerts == ["The name was not kept."]
    assert (known(kit, Kind.RECIPIENT), window.app.session_state["new_name_0"]) == ([], "..")


def test_names_can_be_edited_where_all_is_read_only(open_desk: OpenDesk) -> None:
    """They are ours: the service knows nothing of them."""
    kit = open_desk(environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    put(kit, Kind.RECIPIENT, NameRow(("A",)))
    save(directory(), {0: {"name": "Laden"}})
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Laden")]


def test_a_directory_that_cannot_be_read_is_told(open_desk: OpenDesk, tmp_path: Path) -> None:
    """Also changes that were not saved."""
    kit = open_desk()
    put(kit, Kind.RECIPIENT, NameRow(("A",)))
    window = directory()
    break_records(tmp_path)
    save(window, {0: {"delete": True}})
    assert window.alerts[0] == "Not all changes were saved."
    assert window.alerts[-1] == "The names could not be read. Nothing was changed."
