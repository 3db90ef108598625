"""Every file that a person downloads: nothing in it runs in a spreadsheet, or its button says so."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.writer import FileKind
from item_visibility.saving.job import BulkItem, JobRow
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.bulk_lists import write_template
from item_visibility.use_cases.check.answer import answer_questions
from item_visibility.use_cases.check.answer_words import answers_as_xlsx
from item_visibility.use_cases.check.question import read_questions
from item_visibility.use_cases.coverage import CoverageChoice, read_coverage, write_coverage
from item_visibility.use_cases.exports import changes_as_list, start_export
from item_visibility.use_cases.history import as_xlsx
from tests.support.desk import DeskKit, a_request, ended_export, open_kit

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

Download = Callable[[DeskKit, str], bytes]
XLSX: dict[str, Download] = {
    "results": lambda kit, job: kit.desk.bulk.write_results(job, FileKind.XLSX),
    "supplier names": lambda kit, _: kit.desk.directory.write_names(Kind.SUPPLIER, FileKind.XLSX),
    "item names": lambda kit, _: kit.desk.directory.write_names(Kind.ITEM, FileKind.XLSX),
    "recipient names": lambda kit, _: kit.desk.directory.write_names(Kind.RECIPIENT, FileKind.XLSX),
    "sets": lambda kit, _: kit.desk.sets.write_sets(FileKind.XLSX),
    "history": lambda kit, _: as_xlsx(kit.records.search.all(HistoryFilter())),
    "export": lambda kit, _: ended_export(start_export(kit.desk, [ITEM], FileKind.XLSX)).content,
    "changes": lambda _kit, _: changes_as_list(ITEM, add=["=1"], remove=["@2"]),
    "coverage": lambda kit, _: write_coverage(read_coverage(kit.records, CoverageChoice(ITEM.supplier))),
    "answers": lambda kit, _: answers_as_xlsx(answer_questions(kit.desk, read_questions(kit.desk, "=1+1"))),
    "template": lambda _kit, _: write_template(),
}


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
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


@pytest.mark.parametrize("write", XLSX.values(), ids=XLSX)
def test_no_workbook_holds_a_formula(kit: DeskKit, job: str, write: Download) -> None:
    with zipfile.ZipFile(io.BytesIO(write(kit, job))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert re.findall(r"<f[ >/]", sheet) == []
    assert re.findall("<c [^>]*>", sheet) == re.findall('<c [^>]*t="inlineStr"[^>]*>', sheet) != []
