"""Recipient sets: made, changed, renamed and deleted, by hand and from files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.errors import FileError, IdentifierError, SetError
from item_visibility.lists.writer import FileKind
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.use_cases.directory import MAX_NAME_CHARACTERS, SetPreview
from tests.support.desk import PERSON, DeskKit, open_kit
from tests.support.hostile_texts import SENDABLE, UNSENDABLE


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk without sets."""
    with open_kit(tmp_path) as opened:
        yield opened


def test_a_set_is_made_by_whoever_works_here(kit: DeskKit) -> None:
    made = kit.desk.sets.make(" Retailers DE ", ["B", "C", "B"])
    assert (made.name, made.recipients, made.updated_by) == ("Retailers DE", frozenset("BC"), PERSON)
    assert kit.desk.sets.open("Retailers DE") == made


@pytest.mark.parametrize("text", ["", "..", *UNSENDABLE.values(), "\ud800"])
def test_a_set_takes_no_recipient_that_no_request_can_carry(kit: DeskKit, text: str) -> None:
    with pytest.raises(IdentifierError):
        kit.desk.sets.make("Odd", ["A", text])
    kit.desk.sets.make("Odd", ["A"])
    with pytest.raises(IdentifierError):
        kit.desk.sets.put_in("Odd", [text])
    assert kit.desk.sets.open("Odd").recipients == {"A"}


@pytest.mark.parametrize("name", ["", "  ", "x" * (MAX_NAME_CHARACTERS + 1), "a\nb", "\ud800", "a\u2028b"])
def test_a_set_needs_a_name_that_can_be_read(kit: DeskKit, name: str) -> None:
    with pytest.raises(SetError):
        kit.desk.sets.make(name, [])
    kit.desk.sets.make("Retailers", [])
    with pytest.raises(SetError):
        kit.desk.sets.rename("Retailers", name)
    assert kit.records.sets.names() == ("Retailers",)


def test_a_set_is_changed_renamed_and_deleted(kit: DeskKit) -> None:
    kit.desk.sets.make("Retailers", "AB")
    kit.desk.sets.put_in("Retailers", "BC")
    assert kit.desk.sets.take_out("Retailers", "AZ").recipients == frozenset("BC")
    renamed = kit.desk.sets.rename("Retailers", "Shops")
    assert (renamed.name, renamed.recipients) == ("Shops", frozenset("BC"))
    assert kit.desk.sets.delete("Shops") == renamed
    with pytest.raises(SetError, match="no longer there"):
        kit.desk.sets.open("Shops")


def test_a_file_of_sets_adds_recipients_and_removes_none(kit: DeskKit) -> None:
    kit.desk.sets.make("Old", "AB")
    kit.desk.sets.make("Same", "A")
    preview = kit.desk.sets.preview_sets(b"Set,Recipient\nOld,B\nOld,C\n New ,D\nNew,D\nSame,A\n")
    assert preview.sets == (
        SetPreview("New", is_new=True, added=frozenset("D"), already_in=0),
        SetPreview("Old", is_new=False, added=frozenset("C"), already_in=1),
        SetPreview("Same", is_new=False, added=frozenset(), already_in=1),
    )
    kit.desk.sets.apply_sets(preview)
    assert [(one.name, one.recipients) for one in kit.records.sets.all()] == [
        ("New", frozenset("D")),
        ("Old", frozenset("ABC")),
        ("Same", frozenset("A")),
    ]
    assert (preview.is_empty, kit.desk.sets.preview_sets(b"Set,Recipient\nSame,A\n").is_empty) == (
        False,
        True,
    )


def test_words_of_a_file_are_doubtful_unless_they_are_known(kit: DeskKit) -> None:
    kit.desk.directory.name(Kind.RECIPIENT, NameRow(("SHOP",), "Shop"))
    kit.desk.sets.make("Old", ["IN"])
    preview = kit.desk.sets.preview_sets(b"Set,Recipient\nOld,IN\nOld,SHOP\nOld,R1\nNew,Sonnenhof\n")
    assert preview.doubtful == ("Sonnenhof",)


@pytest.mark.parametrize("recipient_id", ["..", '"a\tb"'])
def test_a_row_with_a_recipient_that_no_request_can_carry_is_refused(kit: DeskKit, recipient_id: str) -> None:
    with pytest.raises(FileError, match="Row 3"):
        kit.desk.sets.preview_sets(f"Set,Recipient\nS,A\nS,{recipient_id}\n".encode())


@pytest.mark.parametrize("file_kind", FileKind)
def test_sets_come_back_as_they_went_out(kit: DeskKit, file_kind: FileKind) -> None:
    kit.desk.sets.make("=Händler, DE", SENDABLE.values())
    content = kit.desk.sets.write_sets(file_kind)
    kit.desk.sets.delete("=Händler, DE")
    kit.desk.sets.apply_sets(kit.desk.sets.preview_sets(content))
    assert kit.desk.sets.open("=Händler, DE").recipients == frozenset(SENDABLE.values())
