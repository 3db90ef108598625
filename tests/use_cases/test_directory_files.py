"""Names and recipient sets from files and into files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.errors import FileError, SetError
from item_visibility.lists.writer import LIST_KINDS, FileKind
from item_visibility.use_cases.directory import Kind, NamedRow
from item_visibility.use_cases.table_files import NameConflict, SetPreview
from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.support.desk import DeskKit, open_kit
from tests.support.hostile_texts import LISTABLE, SENDABLE

NORTH, SOUTH = NamedRow(("1",), "Nord"), NamedRow(("2",), "Süd")


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with an empty directory."""
    with open_kit(tmp_path) as opened:
        yield opened


def put(kit: DeskKit, kind: Kind, *rows: NamedRow) -> None:
    """Keep rows in the directory."""
    kit.records.directory[kind].put(rows)


def known(kit: DeskKit, kind: Kind) -> list[NamedRow]:
    """All rows of a kind."""
    return list(kit.records.directory[kind].all())


def test_a_file_is_shown_before_it_is_kept(kit: DeskKit) -> None:
    """Additions, changes with the old name, and rows already in place."""
    put(kit, Kind.SUPPLIER, NORTH, NamedRow(("2",)), NamedRow(("3",), "Ost"))
    preview = kit.desk.files.preview_names(
        Kind.SUPPLIER, "Supplier,Name\n1,Nord\n2,Süd\n3,\n4,West\n1,Nord\n".encode()
    )
    assert preview.added == (NamedRow(("4",), "West"),)
    assert preview.changed == ((NamedRow(("2",)), SOUTH),)
    assert (preview.same, preview.conflicts) == (2, ())
    assert known(kit, Kind.SUPPLIER) == [NORTH, NamedRow(("2",)), NamedRow(("3",), "Ost")]
    assert not preview.is_empty
    assert kit.desk.files.apply_names(preview)
    assert known(kit, Kind.SUPPLIER) == [NORTH, SOUTH, NamedRow(("3",), "Ost"), NamedRow(("4",), "West")]


def test_an_id_that_a_file_names_differently_is_skipped(kit: DeskKit) -> None:
    """With the rows where it stands; the others are kept."""
    preview = kit.desk.files.preview_names(
        Kind.ITEM, b"Supplier,Item,Market,Name\nS,I,276,Brot\nS,J,,Wein\nS,I,040,Brot\nS,I,276,Brot\n"
    )
    assert preview.conflicts == (NameConflict(("S", "I"), (2, 4), ("Brot · 276", "Brot · 040")),)
    assert kit.desk.files.apply_names(preview)
    assert known(kit, Kind.ITEM) == [NamedRow(("S", "J"), "Wein")]


def test_a_preview_that_is_no_longer_true_is_not_applied(kit: DeskKit) -> None:
    """Somebody named the same number meanwhile."""
    preview = kit.desk.files.preview_names(Kind.SUPPLIER, b"Supplier,Name\n1,Nord\n")
    put(kit, Kind.SUPPLIER, NamedRow(("1",), "From elsewhere"))
    assert not kit.desk.files.apply_names(preview)
    assert known(kit, Kind.SUPPLIER) == [NamedRow(("1",), "From elsewhere")]


def test_an_empty_name_or_market_says_nothing(kit: DeskKit) -> None:
    """The known ones stay."""
    put(kit, Kind.ITEM, NamedRow(("S", "I"), "Brot", "276"))
    preview = kit.desk.files.preview_names(Kind.ITEM, b"Supplier,Item,Name\nS,I,Kuchen\n")
    assert kit.desk.files.apply_names(preview)
    assert known(kit, Kind.ITEM) == [NamedRow(("S", "I"), "Kuchen", "276")]


@pytest.mark.parametrize("file_kind", LIST_KINDS)
@pytest.mark.parametrize("kind", Kind)
def test_names_come_back_as_they_went_out(kit: DeskKit, kind: Kind, file_kind: FileKind) -> None:
    """Spaces around a name mean nothing, and a workbook holds no halves of characters."""
    width = 2 if kind is Kind.ITEM else 1
    texts = LISTABLE.values() if file_kind is FileKind.CSV else [*SENDABLE.values(), "R\x001", "R1\n# x"]
    rows = sorted((NamedRow((text,) * width, text.strip()) for text in texts), key=lambda row: row.ids)
    put(kit, kind, *rows)
    content = kit.desk.files.write_names(kind, file_kind)
    kit.records.directory[kind].forget([row.ids for row in rows])
    preview = kit.desk.files.preview_names(kind, content)
    assert (preview.changed, preview.same, preview.conflicts) == ((), 0, ())
    assert kit.desk.files.apply_names(preview)
    assert sorted(known(kit, kind), key=lambda row: row.ids) == rows


def test_a_file_of_sets_puts_in_and_takes_nobody_out(kit: DeskKit) -> None:
    """New sets are made, others grow; what is already in place changes nothing."""
    kit.desk.sets.make("Old", "AB")
    kit.desk.sets.make("Same", "A")
    preview = kit.desk.files.preview_sets(b"Set,Recipient\nOld,B\nOld,C\n New ,D\nNew,D\nSame,A\n")
    assert preview.sets == (
        SetPreview("New", is_new=True, added=frozenset("D"), already_in=0),
        SetPreview("Old", is_new=False, added=frozenset("C"), already_in=1),
        SetPreview("Same", is_new=False, added=frozenset(), already_in=1),
    )
    assert not preview.is_empty
    kit.desk.files.apply_sets(preview)
    assert {one.name: one.recipients for one in kit.records.sets.all()} == {
        "New": frozenset("D"),
        "Old": frozenset("ABC"),
        "Same": frozenset("A"),
    }


def test_a_file_of_what_is_known_already_keeps_nothing(kit: DeskKit) -> None:
    """Neither a name nor a set."""
    put(kit, Kind.SUPPLIER, NORTH)
    kit.desk.sets.make("Same", "A")
    assert kit.desk.files.preview_names(Kind.SUPPLIER, b"Supplier,Name\n1,Nord\n").is_empty
    assert kit.desk.files.preview_sets(b"Set,Recipient\nSame,A\n").is_empty


def test_words_of_a_file_are_doubtful_unless_they_are_known(kit: DeskKit) -> None:
    """Here, or in the very set."""
    kit.desk.directory.name(Kind.RECIPIENT, NamedRow(("SHOP",), "Shop"))
    kit.desk.sets.make("Old", ["IN"])
    preview = kit.desk.files.preview_sets(b"Set,Recipient\nOld,IN\nOld,SHOP\nOld,R1\nNew,Sonnenhof\n")
    assert preview.doubtful == ("Sonnenhof",)


def test_a_column_of_recipients_belongs_to_a_set_that_is_named(kit: DeskKit) -> None:
    """Without a name the person is asked for one."""
    with pytest.raises(FileError, match="no column 'Set'") as caught:
        kit.desk.files.preview_sets(b"Recipient\nA\n", set_name=" ")
    assert "Enter the name of the set" in caught.value.advice
    (one,) = kit.desk.files.preview_sets(b"Recipient\nA\nB\n", set_name=" Retailers ").sets
    assert (one.name, one.added) == ("Retailers", frozenset("AB"))


@pytest.mark.parametrize("recipient_id", ["..", '"a\tb"'])
def test_a_recipient_that_no_request_can_carry_is_told_with_its_row(kit: DeskKit, recipient_id: str) -> None:
    """A set never holds one."""
    with pytest.raises(FileError, match="Row 3"):
        kit.desk.files.preview_sets(f"Set,Recipient\nS,A\nS,{recipient_id}\n".encode())


def test_a_set_whose_name_cannot_be_kept_is_told(kit: DeskKit) -> None:
    """It looks like another set's."""
    kit.desk.sets.make("Händler", "A")
    preview = kit.desk.files.preview_sets(b"Set,Recipient\nHANDLER,B\n")
    with pytest.raises(SetError):
        kit.desk.files.apply_sets(preview)
    assert kit.records.sets.names() == ("Händler",)


@pytest.mark.parametrize("file_kind", LIST_KINDS)
def test_sets_come_back_as_they_went_out(kit: DeskKit, file_kind: FileKind) -> None:
    """With every recipient that can be sent."""
    kit.desk.sets.make("=Händler, DE", SENDABLE.values())
    before = kit.desk.sets.open("=Händler, DE").recipients
    content = kit.desk.files.write_sets(file_kind)
    kit.desk.sets.delete("=Händler, DE")
    kit.desk.files.apply_sets(kit.desk.files.preview_sets(content))
    assert kit.desk.sets.open("=Händler, DE").recipients == before == frozenset(SENDABLE.values())


def test_a_hidden_row_of_names_is_not_taken(kit: DeskKit) -> None:
    """Nobody has said that it counts."""
    hidden = text_row(2, "1", "Nord").replace("<row", '<row hidden="1"')
    content = workbook(text_row(1, "Supplier", "Name") + hidden + text_row(3, "2", "Ost"))
    with pytest.raises(FileError, match="The file hides row 2") as caught:
        kit.desk.files.preview_names(Kind.SUPPLIER, content)
    assert caught.value.advice == "Nothing was changed. Show them in the file, or delete them there."


def test_names_come_from_the_only_sheet_that_holds_something(kit: DeskKit) -> None:
    """Never from a hidden one; of several, none is chosen by itself."""
    names = text_row(1, "Supplier", "Name") + text_row(2, "1", "Nord")
    one = xlsx_sheets([("Data", "hidden", text_row(1, "x")), ("Names", "visible", names)])
    several = xlsx_sheets([("old", "visible", names), ("new", "visible", names)])
    assert len(kit.desk.files.preview_names(Kind.SUPPLIER, one).added) == 1
    with pytest.raises(FileError, match="Several sheets"):
        kit.desk.files.preview_names(Kind.SUPPLIER, several)


@pytest.mark.parametrize("kind", list(Kind))
def test_the_example_is_a_file_that_can_be_read_in(kit: DeskKit, kind: Kind) -> None:
    """One invented name of each kind."""
    preview = kit.desk.files.preview_names(kind, kit.desk.files.write_example(kind))
    assert [bool(row.name) for row in preview.added] == [True]
