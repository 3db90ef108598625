"""XLSX in: the cells of the first sheet, read as a stream, each text once in memory."""

import posixpath
import re
import zipfile
from collections.abc import Iterator

from item_visibility.files.package import read_part, reading
from item_visibility.files.table import Table, TableRow, read_placed_rows
from item_visibility.files.xlsx_cells import RelationReader, SharedReader, SheetReader

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_SHEET, _SHARED = re.compile(r"/worksheet$"), re.compile(r"/sharedStrings$")


def read_xlsx(package: zipfile.ZipFile) -> Table:
    """The table on the first sheet."""
    return read_placed_rows(_rows(package))


def _rows(package: zipfile.ZipFile) -> Iterator[TableRow]:
    """The rows of the first sheet, as far as they hold anything."""
    relations = RelationReader()
    for part in (_WORKBOOK, _RELATIONS):
        read_part(package, part, relations)
    shared = SharedReader()
    if (name := relations.target_of_type(_SHARED)) is not None:
        read_part(package, _in_package(name), shared)
    sheet = SheetReader(shared.texts)
    for _ in reading(package, _in_package(relations.first_sheet(_SHEET)), sheet):
        yield from sheet.take_rows()


def _in_package(target: str) -> str:
    """The name of a part that the workbook names, from its own place or from the top."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
