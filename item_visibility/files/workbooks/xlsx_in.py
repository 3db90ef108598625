"""Reads the cells of one XLSX sheet as a stream, with each text only once in memory."""

import posixpath
import re
from collections.abc import Iterator

from item_visibility.files.table import CountedFrom1904, NotText, Table, TableRow
from item_visibility.files.workbooks.package import Package, read_part, reading
from item_visibility.files.workbooks.sheets import FoundSheet, read_sheet
from item_visibility.files.workbooks.xlsx_cells import SharedReader, SheetReader
from item_visibility.files.workbooks.xlsx_parts import RelationReader

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_SHEET, _SHARED = re.compile(r"/worksheet$"), re.compile(r"/sharedStrings$")


def read_xlsx(package: Package, sheet: str | None) -> Table:
    """Return the table on the sheet of this name, or on the only visible one that holds something."""
    relations = RelationReader()
    for part in (_WORKBOOK, _RELATIONS):
        read_part(package, part, relations)
    shared = SharedReader()
    if (name := relations.target_of_type(_SHARED)) is not None:
        read_part(package, _in_package(name), shared)
    found = []
    for one in relations.sheets(_SHEET):
        reader = SheetReader(shared.texts, CountedFrom1904 if relations.is_from_1904 else NotText)
        rows = _rows(package, _in_package(one.target), reader)
        found.append(
            FoundSheet(
                one.name, is_hidden=one.is_hidden, rows=rows, hidden=reader.hidden, marks=reader.marks.found
            )
        )
    return read_sheet(found, sheet)


def _rows(package: Package, part: str, reader: SheetReader) -> Iterator[TableRow]:
    """Yield the filled rows of the sheet."""
    for _ in reading(package, part, reader):
        yield from reader.take_rows()


def _in_package(target: str) -> str:
    """Return the full name of a part from the workbook's reference, which may be relative or absolute."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
