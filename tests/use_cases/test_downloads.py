"""Every file that a person downloads: nothing in it runs in a spreadsheet, or its button says so."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError
from item_visibility.lists.reader import read_table
from item_visibility.lists.writer import FileKind, write_safe_csv
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import JobRow
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.bulk.lists import write_template
from item_visibility.use_cases.check.answer_words import answers_as_xlsx
from item_visibility.use_cases.coverage import CoverageChoice, read_coverage, write_coverage
from item_visibility.use_cases.history import as_csv, as_xlsx
from tests.support.desk import DeskKit, a_request, open_kit

LIVE = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
COMMANDS = (
    "=cmd|'/C calc'!A0",
    '=HYPERLINK("http://192.0.2.1/","look")',
    "+1",
    "-2",
    "@SUM(1)",
    'a;=1+1;"=2";b',
    '"=1',
    "\uff1d1",
)
ITEM = ItemKey("=SUPPLIER", "-ITEM;=1+1")
READ_AS = (",", ";", "\t")
"""Separators that a spreadsheet may expect: its country decides, not the file."""

Download = Callable[[DeskKit, str], bytes]
XLSX: dict[str, Download] = {
    "results": lambda kit, job: kit.desk.bulk.results.write(job, FileKind.XLSX),
    "supplier names": lambda kit, _: kit.desk.directory.write_names(Kind.SUPPLIER, FileKind.XLSX),
    "item names": lambda kit, _: kit.desk.directory.write_names(Kind.ITEM, FileKind.XLSX),
    "recipient names": lambda kit, _: kit.desk.directory.write_names(Kind.RECIPIENT, FileKind.XLSX),
    "sets": lambda kit, _: kit.desk.sets.write_sets(FileKind.XLSX),
    "history": lambda kit, _: as_xlsx(kit.records.search.all(HistoryFilter())),
    "export": lambda kit, _: kit.desk.exports.export([ITEM], FileKind.XLSX).content,
    "changes": lambda kit, _: kit.desk.exports.changes_as_list(ITEM, add=["=1"], remove=["@2"]),
    "coverage": lambda kit, _: write_coverage(read_coverage(kit.records, CoverageChoice(ITEM.supplier))),
    "answers": lambda kit, _: answers_as_xlsx(kit.desk.check.answer(kit.desk.check.read("=1+1"))),
    "template": lambda _kit, _: write_template(),
}
SAFE_CSV: dict[str, Download] = {
    "history": lambda kit, _: as_csv(kit.records.search.all(HistoryFilter())),
    "export": lambda kit, _: kit.desk.exports.export([ITEM], FileKind.EXCEL_CSV).content,
}


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on which everything that can hold a text holds what would run."""
    with open_kit(tmp_path, {ITEM: COMMANDS}) as kit:
        rows = kit.records.directory
        rows[Kind.SUPPLIER].put([NameRow((ITEM.supplier,), COMMANDS[0])])
        rows[Kind.ITEM].put([NameRow((ITEM.supplier, ITEM.supplier_item_id), COMMANDS[1])])
        rows[Kind.RECIPIENT].put([NameRow((one,), one) for one in COMMANDS])
        kit.desk.sets.make(COMMANDS[0], COMMANDS)
        kit.save(replace(a_request(ITEM, base=COMMANDS, add={"=NEW"}), person=COMMANDS[1]))
        yield kit


@pytest.fixture
def job(kit: DeskKit) -> str:
    """The key of a job whose rows did not end as asked, in the service's own words."""
    key = kit.desk.bulk.start_preview([BulkItem(item=ITEM, add=frozenset(COMMANDS))], title="=1+1.csv")
    rows = [
        JobRow(position=0, recipient_id=one, goal=Goal.VISIBLE, outcome=Outcome.REFUSED, message=one)
        for one in COMMANDS
    ]
    kit.records.jobs.settle_item(key, 0, rows)
    return key


def cells(content: bytes, separator: str) -> list[str]:
    """The cells of the file in a spreadsheet with this separator."""
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    return [cell for row in csv.reader(text, delimiter=separator) for cell in row]


@pytest.mark.parametrize("write", SAFE_CSV.values(), ids=SAFE_CSV)
@pytest.mark.parametrize("separator", READ_AS)
def test_nothing_in_a_file_for_people_runs(kit: DeskKit, job: str, write: Download, separator: str) -> None:
    """The separator does not matter."""
    content = write(kit, job)
    assert "'=SUPPLIER" in cells(content, ",")
    assert [cell for cell in cells(content, separator) if cell.startswith(LIVE)] == []


@pytest.mark.parametrize("write", SAFE_CSV.values(), ids=SAFE_CSV)
def test_a_file_that_is_not_exact_does_not_come_back(kit: DeskKit, job: str, write: Download) -> None:
    """An id with an apostrophe before it would be another one."""
    with pytest.raises(FileError, match="for reading in Excel"):
        read_table(write(kit, job))


@pytest.mark.parametrize("write", XLSX.values(), ids=XLSX)
def test_no_workbook_holds_a_formula(kit: DeskKit, job: str, write: Download) -> None:
    """Every cell is a text."""
    with zipfile.ZipFile(io.BytesIO(write(kit, job))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert re.findall(r"<f[ >/]", sheet) == []
    assert re.findall("<c [^>]*>", sheet) == re.findall('<c [^>]*t="inlineStr"[^>]*>', sheet) != []


TEXTS = st.lists(st.text(alphabet="=+-@\t\r\n;,\"' a1\uff1d", max_size=12), min_size=2, max_size=4)


@given(rows=st.lists(TEXTS, min_size=1, max_size=3), separator=st.sampled_from(READ_AS))
@example(rows=[["x", 'a;"=1+1;b']], separator=";")
@example(rows=[["x;", "=1"]], separator=";")
@example(rows=[["x\n=1", "y\t=1"]], separator="\t")
def test_no_text_whatever_runs_from_a_safe_file(rows: list[list[str]], separator: str) -> None:
    """Also where what stands in a cell looks like the end of one."""
    content = write_safe_csv(("One", "Two"), rows)
    assert [cell for cell in cells(content, separator) if cell.startswith(LIVE)] == []
