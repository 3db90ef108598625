"""Writes XLSX. Every cell is a text, so that no number is shortened and no formula runs.

Workbooks write a character that XML cannot hold as `_x0000_`. A text that looks like that must be escaped
too. XlsxWriter 3.3 overlooks some of these, and takes a text between `<r>` and `</r>` for its own markup.
Both are corrected here.
"""

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO

from xlsxwriter import Workbook  # type: ignore[import-untyped]  # it has no types
from xlsxwriter.format import Format  # type: ignore[import-untyped]  # the same
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]  # the same

from item_visibility.errors import FileError
from item_visibility.files.table import MAX_CELL_CHARACTERS

ROWS_OF_A_SHEET = 1_000_000
"""The limit of rows below the header. A sheet of XLSX ends at 1,048,576 rows."""

_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4})")
_HALVES = re.compile("[\ud800-\udfff]")
_OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
_WIDTH = 24


def write_xlsx(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the table as a workbook of one sheet.

    Raise FileError when a text or the table is too long for one. Raise it too for half a character:
    spreadsheet programs lose it, and can lose the text beside it.
    """
    content = io.BytesIO()
    write_sheets(header, _rows_of_one_sheet(rows), content)
    return content.getvalue()


def write_sheets(header: Sequence[str], rows: Iterable[Sequence[str]], target: BinaryIO) -> None:
    """Write the table as a workbook of as many sheets as needed, each with the header.

    Raise FileError when a cell cannot hold a text.
    """
    rest = iter(rows)
    with Workbook(target, _OPTIONS) as workbook:
        text = workbook.add_format({"num_format": "@"})
        is_full = True
        while is_full:
            sheet = workbook.add_worksheet(worksheet_class=_TextSheet)
            is_full = _fill(sheet, header, islice(rest, ROWS_OF_A_SHEET), text) == ROWS_OF_A_SHEET


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet with its name, which Excel allows 31 characters."""

    name: str
    header: Sequence[str]
    rows: Iterable[Sequence[str]]


def write_named_sheets(sheets: Iterable[Sheet]) -> bytes:
    """Return a workbook of these sheets.

    Raise FileError when a cell cannot hold a text, or a sheet its rows.
    """
    content = io.BytesIO()
    with Workbook(content, _OPTIONS) as workbook:
        text = workbook.add_format({"num_format": "@"})
        for one in sheets:
            sheet = workbook.add_worksheet(one.name, worksheet_class=_TextSheet)
            _fill(sheet, one.header, _rows_of_one_sheet(one.rows), text)
    return content.getvalue()


def fits_a_cell(text: str) -> bool:
    """True when a cell can hold the whole text. Spreadsheets count UTF-16 units."""
    if len(text) <= MAX_CELL_CHARACTERS // 2:
        return True
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 <= MAX_CELL_CHARACTERS


class _TextSheet(Worksheet):  # type: ignore[misc]  # it has no types
    """A sheet that stores every text exactly as it is."""

    @staticmethod
    def _escape_control_characters(data: str) -> str:
        return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", data)

    def _xml_rich_inline_string(self, string: str, attributes: list[tuple[str, object]]) -> None:
        self._xml_inline_string(string, True, attributes)  # noqa: FBT003  (XlsxWriter's)


def _fill(sheet: Worksheet, header: Sequence[str], rows: Iterable[Sequence[str]], text: Format) -> int:
    """Write the rows below the header, and return how many they are."""
    sheet.set_column(0, len(header) - 1, _WIDTH, text)
    number = 0
    for number, cells in enumerate(chain([header], rows)):
        for column, cell in enumerate(cells):
            if cell:
                sheet.write_string(number, column, _fitting(cell), text)
    return number


def _rows_of_one_sheet(rows: Iterable[Sequence[str]]) -> Iterable[Sequence[str]]:
    for number, row in enumerate(rows):
        if number == ROWS_OF_A_SHEET:
            raise _too_long()
        yield row


def _fitting(cell: str) -> str:
    if not fits_a_cell(cell):
        raise _too_long()
    if _HALVES.search(cell):
        raise FileError(
            "A text holds half a character, which spreadsheets do not keep.", advice="Export it as CSV."
        )
    return cell


def _too_long() -> FileError:
    return FileError("A text, or the table, is too long for a spreadsheet.", advice="Export it as CSV.")
