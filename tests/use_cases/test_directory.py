"""Names and recipient sets that a person enters or imports."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.errors import (
    FileError,
    IdentifierError,
    NotPossibleError,
    OtherEnvironmentError,
)
from item_visibility.lists.writer import FileKind
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.directory import MAX_NAME_CHARACTERS
from tests.lists.workbooks import text_row, workbook, xlsx_sheets
from tests.support.desk import PERSON, TEST_ENVIRONMENT, DeskKit, open_kit
from tests.support.hostile_texts import LISTABLE, SENDABLE, UNSENDABLE

NORTH = NameRow(("1",), "Nord")
SOUTH = NameRow(("2",), "Süd")
EAST = NameRow(("3",), "Ost")


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path) as opened:
        yield opened


def put(kit: DeskKit, kind: Kind, *rows: NameRow) -> None:
    kit.records.directory[kind].put(rows)


def stored_rows(kit: DeskKit, kind: Kind) -> list[NameRow]:
    return list(kit.records.directory[kind].current().rows)


def test_the_first_rows_are_returned_and_all_are_counted(kit: DeskKit) -> None:
    rows = [NameRow((f"{number:03}",)) for number in range(9)]
    put(kit, Kind.RECIPIENT, *rows)
    assert kit.desk.directory.found(Kind.RECIPIENT, "", limit=5) == (tuple(rows[:5]), 9)
    assert kit.desk.directory.found(Kind.RECIPIENT, "8", limit=5) == ((rows[8],), 1)


def test_a_change_keeps_the_rest_of_a_row(kit: DeskKit) -> None:
    put(kit, Kind.ITEM, NameRow(("S", "I"), "Käse", "276"), NameRow(("S", "J"), "Brot"))
    changes = {("S", "I"): {"market": "040"}, ("S", "J"): {"name": ""}, ("S", "K"): {}}
    kit.desk.directory.change(Kind.ITEM, changes)
    rows = [
        NameRow(("S", "I"), "Käse", "040"),
        NameRow(("S", "J")),
        NameRow(("S", "K")),
    ]

    assert stored_rows(kit, Kind.ITEM) == rows


def test_a_file_is_imported_only_in_the_environment_of_its_preview(
    kit: DeskKit, tmp_path: Path
) -> None:
    names = kit.desk.directory.preview_names(
        Kind.RECIPIENT, b"Recipient,Name\n1,Nord\n"
    )
    sets = kit.desk.sets.preview_sets(b"Set,Recipient\nall,1\n")
    with open_kit(tmp_path, environment=replace(TEST_ENVIRONMENT, name="live")) as live:
        with pytest.raises(OtherEnvironmentError):
            live.desk.directory.apply_names(names)
        with pytest.raises(OtherEnvironmentError):
            live.desk.sets.apply_sets(sets)
        assert stored_rows(live, Kind.RECIPIENT) == []
        assert live.records.sets.all() == ()


@pytest.mark.parametrize(
    ("ids", "word"), [(("", "I"), "supplier"), (("S", ".."), "item")]
)
def test_an_id_that_no_request_can_carry_gets_no_name(
    kit: DeskKit, ids: tuple[str, str], word: str
) -> None:
    with pytest.raises(IdentifierError, match=word):
        kit.desk.directory.change(Kind.ITEM, {ids: {"name": "Käse"}})
    assert stored_rows(kit, Kind.ITEM) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ["1", "2", "ABC", "abc"]),
        ("LODZ", ["1"]),
        ("ódź m", ["1"]),
        ("ab", ["abc"]),
        ("%", ["2"]),
        ("\u0301", []),
        ("zzz", []),
    ],
)
def test_rows_are_found_by_part_of_an_id_or_a_name(
    kit: DeskKit, text: str, ids: list[str]
) -> None:
    put(
        kit,
        Kind.RECIPIENT,
        NameRow(("1",), "Łódź Młyn"),
        NameRow(("2",), "100 %"),
        NameRow(("ABC",)),
        NameRow(("abc",)),
    )
    rows, count = kit.desk.directory.found(Kind.RECIPIENT, text, limit=9)

    assert [row.id for row in rows] == ids
    assert count == len(ids)


def test_a_file_is_shown_before_it_is_saved(kit: DeskKit) -> None:
    put(kit, Kind.SUPPLIER, NORTH, NameRow(("2",)), EAST)
    before = stored_rows(kit, Kind.SUPPLIER)
    preview = kit.desk.directory.preview_names(
        Kind.SUPPLIER, "Supplier,Name\n1,Nord\n2,Süd\n3,\n4,West\n1,Nord\n".encode()
    )
    west = NameRow(("4",), "West")

    assert preview.changes == ((NameRow(("2",)), SOUTH), (None, west))
    assert preview.unchanged_count == 2
    assert stored_rows(kit, Kind.SUPPLIER) == before

    kit.desk.directory.apply_names(preview)
    assert stored_rows(kit, Kind.SUPPLIER) == [NORTH, SOUTH, EAST, west]
    with pytest.raises(FileError, match="Somebody changed names meanwhile"):
        kit.desk.directory.apply_names(preview)


def test_a_file_that_names_an_id_differently_is_refused(kit: DeskKit) -> None:
    file = (
        b"Supplier,Item,Market,Name\n"
        b"S,I,276,Brot\nS,J,,Wein\nS,I,040,Brot\nS,I,276,Brot\n"
    )

    with pytest.raises(FileError, match="Row 4 repeats a number"):
        kit.desk.directory.preview_names(Kind.ITEM, file)


def test_an_empty_cell_of_a_file_changes_nothing(kit: DeskKit) -> None:
    put(kit, Kind.ITEM, NameRow(("S", "J"), "Bier", "276"))
    file = b"Supplier,Item,Market,Name\nS,J,,Wein\n"
    kit.desk.directory.apply_names(kit.desk.directory.preview_names(Kind.ITEM, file))
    assert stored_rows(kit, Kind.ITEM) == [NameRow(("S", "J"), "Wein", "276")]


@pytest.mark.parametrize("file_kind", FileKind)
@pytest.mark.parametrize("kind", Kind)
def test_exported_names_can_be_imported_again(
    kit: DeskKit, kind: Kind, file_kind: FileKind
) -> None:
    width = 2 if kind is Kind.ITEM else 1
    texts = (
        LISTABLE.values()
        if file_kind is FileKind.CSV
        else [*SENDABLE.values(), "R\x001", "R1\n# x"]
    )
    rows = sorted(
        (NameRow((text,) * width, text.strip()) for text in texts),
        key=lambda row: row.ids,
    )
    put(kit, kind, *rows)
    content = kit.desk.directory.write_names(kind, file_kind)
    kit.desk.directory.forget(kind, [row.ids for row in rows])
    preview = kit.desk.directory.preview_names(kind, content)

    assert {old for old, _ in preview.changes} == {None}
    assert preview.unchanged_count == 0

    kit.desk.directory.apply_names(preview)
    assert sorted(stored_rows(kit, kind), key=lambda row: row.ids) == rows


def test_only_the_rows_that_a_person_sees_in_a_file_are_read(kit: DeskKit) -> None:
    names = text_row(1, "Supplier", "Name") + text_row(2, "1", "Nord")
    hidden = names.replace('<row r="2"', '<row r="2" hidden="1"')
    one_visible = xlsx_sheets(
        [("Data", "hidden", text_row(1, "x")), ("Names", "visible", names)]
    )
    several = xlsx_sheets([("old", "visible", names), ("new", "visible", names)])

    preview = kit.desk.directory.preview_names(Kind.SUPPLIER, one_visible)
    assert len(preview.changes) == 1

    for content, message in (
        (workbook(hidden), "The file hides row 2"),
        (several, "These sheets contain data"),
    ):
        with pytest.raises(FileError, match=message) as caught:
            kit.desk.directory.preview_names(Kind.SUPPLIER, content)
        assert caught.value.advice.startswith("Nothing was changed.")


def test_a_set_records_who_made_it(kit: DeskKit) -> None:
    made = kit.desk.sets.make(" Retailers DE ", ["B", "C", "B"])
    assert made.name == "Retailers DE"
    assert made.recipients == frozenset("BC")
    assert made.updated_by == PERSON
    assert kit.records.sets.open("Retailers DE") == made


@pytest.mark.parametrize("text", ["", "..", *UNSENDABLE.values(), "\ud800"])
def test_a_set_refuses_a_recipient_that_no_request_can_carry(
    kit: DeskKit, text: str
) -> None:
    with pytest.raises(IdentifierError):
        kit.desk.sets.make("Odd", ["A", text])

    kit.desk.sets.make("Odd", ["A"])
    with pytest.raises(IdentifierError):
        kit.desk.sets.change("Odd", add=[text])
    assert kit.records.sets.open("Odd").recipients == {"A"}


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * (MAX_NAME_CHARACTERS + 1), "a\nb", "\ud800", "a\u2028b"]
)
def test_a_set_needs_a_name_that_can_be_read(kit: DeskKit, name: str) -> None:
    with pytest.raises(NotPossibleError):
        kit.desk.sets.make(name, [])

    kit.desk.sets.make("Retailers", [])
    with pytest.raises(NotPossibleError):
        kit.desk.sets.change("Retailers", new_name=name)
    assert [stored.name for stored in kit.records.sets.all()] == ["Retailers"]


def test_a_file_of_sets_adds_recipients_and_removes_none(kit: DeskKit) -> None:
    kit.desk.sets.make("Old", "AB")
    kit.desk.sets.make("Same", "A")
    preview = kit.desk.sets.preview_sets(
        b"Set,Recipient\nOld,B\nOld,C\n New ,D\nNew,D\nSame,A\n"
    )

    assert preview.in_file == {
        "New": frozenset("D"),
        "Old": frozenset("BC"),
        "Same": frozenset("A"),
    }
    assert preview.stored == {"Old": frozenset("AB"), "Same": frozenset("A")}

    kit.desk.sets.apply_sets(preview)
    assert [(stored.name, stored.recipients) for stored in kit.records.sets.all()] == [
        ("New", frozenset("D")),
        ("Old", frozenset("ABC")),
        ("Same", frozenset("A")),
    ]


def test_words_of_a_file_are_doubtful_unless_they_are_known(kit: DeskKit) -> None:
    put(kit, Kind.RECIPIENT, NameRow(("SHOP",), "Shop"))
    kit.desk.sets.make("Old", ["IN"])
    preview = kit.desk.sets.preview_sets(
        b"Set,Recipient\nOld,IN\nOld,SHOP\nOld,R1\nNew,Sonnenhof\n"
    )

    assert preview.doubtful == ("Sonnenhof",)


@pytest.mark.parametrize("recipient_id", ["..", '"a\tb"'])
def test_a_row_with_a_recipient_that_no_request_can_carry_is_refused(
    kit: DeskKit, recipient_id: str
) -> None:
    with pytest.raises(FileError, match="Row 3"):
        kit.desk.sets.preview_sets(f"Set,Recipient\nS,A\nS,{recipient_id}\n".encode())


@pytest.mark.parametrize("file_kind", FileKind)
def test_exported_sets_can_be_imported_again(kit: DeskKit, file_kind: FileKind) -> None:
    kit.desk.sets.make("=Händler, DE", SENDABLE.values())
    content = kit.desk.sets.write_sets(file_kind)
    kit.desk.sets.delete("=Händler, DE")
    kit.desk.sets.apply_sets(kit.desk.sets.preview_sets(content))

    assert kit.records.sets.open("=Händler, DE").recipients == frozenset(
        SENDABLE.values()
    )
