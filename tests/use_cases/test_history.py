"""The history as the screens ask for it, and as a file."""

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.errors import RecordsError
from item_visibility.lists import writer
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import OthersChanges
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.history.spreadsheet import as_csv, as_xlsx
from tests.support.desk import ITEM, DeskKit, a_request, break_records, open_kit

EVERYTHING = HistoryFilter()


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on one item, with two saves on record."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        kit.save(a_request(ITEM, key="k1", base="AB", add="CD"))
        kit.fake.time.now_at += timedelta(minutes=1)
        kit.save(a_request(ITEM, key="k2", base="ABCD", remove="C"))
        yield kit


def entry_of(kit: DeskKit, key: str) -> HistoryEntry:
    """The entry with this key, which is there."""
    entry = kit.records.history.entry(key)
    assert entry is not None
    return entry


def test_an_undo_leaves_alone_what_a_later_save_changed(kit: DeskKit) -> None:
    """The rest is undone, and the request names the save."""
    undo = kit.desk.undo("k1", kit.desk.read(ITEM))
    assert (undo.request.add, undo.request.remove, undo.left_alone) == (frozenset(), frozenset("D"), ("C",))
    assert (undo.request.origin.kind, undo.request.origin.undo_of) == (ChangeKind.UNDO, "k1")


def test_there_is_no_undo_while_the_history_cannot_be_read(kit: DeskKit, tmp_path: Path) -> None:
    """Somebody may have changed a recipient since: the undo could remove their change."""
    reading = kit.desk.read(ITEM)
    break_records(tmp_path)
    with pytest.raises(RecordsError):
        kit.desk.undo("k1", reading)


def test_a_read_goes_on_when_the_history_cannot_be_written(kit: DeskKit, tmp_path: Path) -> None:
    """The item's recipients are told all the same."""
    break_records(tmp_path)
    assert kit.desk.read(ITEM).recipients == frozenset("ABD")


def test_a_read_that_shows_a_change_made_elsewhere_is_on_record(kit: DeskKit) -> None:
    """Between the last sight of the list and this one."""
    kit.fake.time.now_at += timedelta(minutes=1)
    kit.fake.put(ITEM, {"A"})
    kit.desk.read(ITEM)
    (line,) = kit.records.search.lines(HistoryFilter(kind=ChangeKind.OBSERVED), limit=9)
    assert (line.person, line.added, line.removed) == ("", 0, 2)


def test_what_others_changed_meanwhile_has_rows_of_its_own(kit: DeskKit) -> None:
    """In the file, too; an entry that was not read back says nothing of the list after it."""
    entry = entry_of(kit, "k2")
    assert entry.result is not None
    others = OthersChanges(added=frozenset("-"))
    entry = replace(entry, result=replace(entry.result, others=others, after=None))
    rows = list(csv.DictReader(io.StringIO(as_csv([entry]).decode("utf-8-sig"), newline="")))
    assert [
        (row["Recipient"], row["Change"], row["Could see before"], row["Could see after"]) for row in rows
    ] == [
        ("C", "not visible", "yes", ""),
        ("'-", "not by this save", "no", ""),
    ]


def test_a_full_sheet_is_followed_by_another(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet of XLSX has an end."""
    monkeypatch.setattr(writer, "ROWS_OF_A_SHEET", 2)
    with zipfile.ZipFile(io.BytesIO(as_xlsx(kit.records.search.all(EVERYTHING)))) as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
    assert len(sheets) == 2


def test_a_text_that_no_cell_can_hold_is_cut_and_says_so(kit: DeskKit) -> None:
    """32,767 characters, and no halves of characters."""
    entry = entry_of(kit, "k2")
    entry = replace(entry, request=replace(entry.request, reason="\ud800" + "x" * 40_000))
    with zipfile.ZipFile(io.BytesIO(as_xlsx([entry]))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "\\ud800xxx" in sheet
    assert "xxx … (cut here)" in sheet
