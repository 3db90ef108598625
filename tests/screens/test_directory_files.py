"""Files on the directory page: looked at first, kept then, and written out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from item_visibility.lists.writer import write_csv, write_xlsx
from item_visibility.use_cases.directory import Kind, NameRow
from tests.screens.conftest import OpenDesk
from tests.support.desk import DeskKit, break_records
from tests.support.hostile_texts import SENDABLE
from tests.support.screens import DIRECTORY_PAGE, Window

pytestmark = pytest.mark.screen

PREVIEW = "What the file would change"
SENT = list(SENDABLE.values())


def directory(part: str) -> Window:
    """A window on a part of the directory."""
    window = Window()
    window.go_to(DIRECTORY_PAGE)
    window.switch("directory_part", part)
    return window


def drop(window: Window, key: str, content: bytes) -> None:
    """Drop a file."""
    window.app.file_uploader(key=key).set_value(("names.csv", content, "text/csv"))
    window.app.run()


def known(kit: DeskKit, kind: Kind) -> list[NameRow]:
    """All rows of a kind."""
    return list(kit.records.directory[kind].all())


@pytest.mark.parametrize("write", [write_csv, write_xlsx])
def test_names_from_a_file_are_looked_at_and_then_kept(
    open_desk: OpenDesk, write: Callable[..., bytes]
) -> None:
    """Additions, changes and conflicts are shown; nothing is kept before the button."""
    kit = open_desk()
    kit.records.directory[Kind.RECIPIENT].put([NameRow(("A",), "Alt")])
    window = directory("Recipients")
    rows = [("A", "Neu"), ("B", "Laden"), ("C", "Eins"), ("C", "Zwei")]
    drop(window, "recipient-names_file", write(("Recipient", "Name"), rows))
    assert window.rows(PREVIEW) == [
        ("conflict in rows 4, 5", "Eins / Zwei", "", "C"),
        ("changed", "Neu", "Alt", "A"),
        ("added", "Laden", "", "B"),
    ]
    assert window.says("1 added, 1 changed, 0 already known, 1 in conflict")
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Alt")]
    window.click("keep_file")
    assert "The names are kept." in window.alerts
    assert known(kit, Kind.RECIPIENT) == [NameRow(("A",), "Neu"), NameRow(("B",), "Laden")]
    assert window.says("0 added, 0 changed, 2 already known, 1 in conflict")


@pytest.mark.parametrize(
    ("part", "key"), [("Items", "item-names_file"), ("Recipient sets", "recipient-sets_file")]
)
def test_a_file_that_cannot_be_read_is_told(open_desk: OpenDesk, part: str, key: str) -> None:
    """The message says what to do."""
    open_desk()
    window = directory(part)
    drop(window, key, b"a,b\n1\n")
    assert window.alerts[0].endswith("Nothing was changed.")
    assert "Row 2 has 1 cells, but the first row has 2." in window.texts


def test_names_that_changed_meanwhile_are_looked_at_again(open_desk: OpenDesk) -> None:
    """The preview is made anew."""
    kit = open_desk()
    window = directory("Suppliers")
    drop(window, "supplier-names_file", b"Supplier,Name\n1,Nord\n")
    kit.records.directory[Kind.SUPPLIER].put([NameRow(("1",), "Elsewhere")])
    window.click("keep_file")
    assert window.alerts == ["Names were changed meanwhile: check again what the file would change."]
    assert window.rows(PREVIEW) == [("changed", "Nord", "Elsewhere", "1")]
    assert known(kit, Kind.SUPPLIER) == [NameRow(("1",), "Elsewhere")]


def test_names_that_cannot_be_kept_are_told(open_desk: OpenDesk, tmp_path: Path) -> None:
    """Nothing was changed."""
    open_desk()
    window = directory("Suppliers")
    drop(window, "supplier-names_file", b"Supplier,Name\n1,Nord\n")
    break_records(tmp_path)
    window.click("keep_file")
    assert "The names were not kept. Nothing was changed." in window.alerts


def test_sets_from_a_file_are_looked_at_and_then_kept(open_desk: OpenDesk) -> None:
    """New ones are made, others grow."""
    kit = open_desk()
    kit.desk.sets.make("Old", "AB")
    window = directory("Recipient sets")
    drop(window, "recipient-sets_file", b"Set,Recipient\nOld,B\nOld,C1\nNew,D1\n")
    assert window.rows(PREVIEW) == [("New", "new", "1", "0"), ("Old", "changed", "1", "1")]
    window.click("keep_file")
    assert window.alerts == ["The sets are kept."]
    assert kit.desk.sets.open("Old").recipients == frozenset({"A", "B", "C1"})
    assert kit.desk.sets.open("New").recipients == frozenset({"D1"})


def test_words_of_a_file_are_kept_in_sets_only_when_the_person_says_so(open_desk: OpenDesk) -> None:
    """They are named, and nothing is kept before the box is ticked."""
    kit = open_desk()
    window = directory("Recipient sets")
    drop(window, "recipient-sets_file", b"Set,Recipient\nNew,1\nNew,Sonnenhof\n")
    assert "Entries that may not be numbers: Sonnenhof" in window.texts
    assert window.is_off("keep_file")
    window.switch("sets_file_as_numbers", value=True)
    window.click("keep_file")
    assert kit.desk.sets.open("New").recipients == {"1", "Sonnenhof"}


def test_sets_that_cannot_be_kept_are_told(open_desk: OpenDesk) -> None:
    """Their name looks like another's."""
    kit = open_desk()
    kit.desk.sets.make("Händler", "A")
    window = directory("Recipient sets")
    drop(window, "recipient-sets_file", b"Set,Recipient\nHANDLER,B1\n")
    window.click("keep_file")
    assert window.alerts[0] == "Not all sets were kept: check again what the file would change."
    assert kit.records.sets.names() == ("Händler",)


def test_any_text_in_a_file_is_shown_as_it_is(open_desk: OpenDesk) -> None:
    """Ids and names, in the preview and then in the table."""
    open_desk()
    window = directory("Recipients")
    rows = [(text, text) for text in SENT if text.strip() == text]
    drop(window, "recipient-names_file", write_csv(("Recipient", "Name"), rows))
    assert window.rows(PREVIEW) == [("added", text, "", text) for text, _ in rows]
    window.click("keep_file")
    assert set(window.editor.value["Recipient number"]) == {text for text, _ in rows}
    assert set(window.editor.value["name"]) == {text for text, _ in rows}
