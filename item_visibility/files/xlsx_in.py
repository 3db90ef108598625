"""XLSX in: the cells of the first sheet, read as a stream, each text once in memory.

A workbook is a ZIP file of XML files. What a small one can blow up to is bounded before and while it
is read: its inflated size, its columns, entities (there may be none), and the texts that cells share.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.parsers import expat

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED, Table, TableRow, read_rows
from item_visibility.files.xlsx_cells import RelationReader, SharedReader, SheetReader, XmlReader

MAX_INFLATED_BYTES = 200 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_SHEET, _SHARED = re.compile(r"/worksheet$"), re.compile(r"/sharedStrings$")
_NOT_READABLE = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    LookupError,  # a part or a shared text that is not there
    ValueError,  # a number that is none
    RuntimeError,  # what zipfile says of a password; and of unknown packing
    EOFError,
)


def read_xlsx(content: bytes) -> Table:
    """The table on the first sheet. FileError when it cannot be read, or would take too much room."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            # Python reads no more of a member than the size that is declared here.
            if sum(member.file_size for member in package.infolist()) > MAX_INFLATED_BYTES:
                raise FileError(
                    "The file would take too much room when it is unpacked.",
                    advice=f"{NOTHING_CHANGED} Divide it into several files.",
                )
            return read_rows(_padded(_rows(package)))
    except _NOT_READABLE:
        raise FileError(
            "The file is no XLSX workbook that can be read: it is damaged, or protected by a password.",
            advice=f"{NOTHING_CHANGED} Save it again as a workbook (.xlsx), without a password.",
        ) from None


def _rows(package: zipfile.ZipFile) -> Iterator[TableRow]:
    """The rows of the first sheet, as far as they hold anything."""
    relations = RelationReader()
    for part in (_WORKBOOK, _RELATIONS):
        _read(package, part, relations)
    shared = SharedReader()
    if (name := relations.target_of_type(_SHARED)) is not None:
        _read(package, _in_package(name), shared)
    sheet = SheetReader(shared.texts)
    for _ in _reading(package, _in_package(relations.first_sheet(_SHEET)), sheet):
        yield from sheet.take_rows()


def _read(package: zipfile.ZipFile, part: str, reader: XmlReader) -> None:
    for _ in _reading(package, part, reader):
        pass


def _reading(package: zipfile.ZipFile, part: str, reader: XmlReader) -> Iterator[None]:
    """Feed a part to its reader, and pause after every piece."""
    with package.open(part) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            reader.feed(chunk)
            yield
    reader.end()
    yield


def _in_package(target: str) -> str:
    """The name of a part that the workbook names, from its own place or from the top."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def _padded(rows: Iterator[TableRow]) -> Iterator[TableRow]:
    """Rows as wide as the first one that holds anything: a workbook leaves out empty cells at the end."""
    width = 0
    for row in rows:
        width = width or len(row.cells)
        yield TableRow(row.number, row.cells + ("",) * (width - len(row.cells)))
