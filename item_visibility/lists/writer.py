"""Writes tables as XLSX with every cell as text, and as CSV: every table that is downloaded."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

from xlsxwriter import Workbook  # type: ignore[import-untyped]  # it has no types
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]  # the same

from item_visibility.errors import FileError
from item_visibility.lists.table import MAX_CELL_CHARACTERS

ROWS_OF_A_SHEET = 1_000_000
"""The limit of rows below the header. A sheet of XLSX ends at 1,048,576 rows."""

_HALF = re.compile("[\ud800-\udfff]")
_TO_ENCODE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4})")
_OPTIONS = {"constant_memory": True}
_COLUMN_WIDTH = 24
_CUT = " … (cut here)"


class FileKind(StrEnum):
    """The formats of a table. All are exact, and can be read in again."""

    XLSX = "xlsx"
    """Safe in a spreadsheet, too."""
    CSV = "csv"
    """For programs: a spreadsheet could run formulas from it, so its label and file name say so."""

    @property
    def words(self) -> str:
        """The label of its button."""
        return "XLSX" if self is FileKind.XLSX else "CSV, exact, for programs"

    def file_name(self, stem: str) -> str:
        """Return the file name of a download. A CSV is marked in its name too, as on its button."""
        return f"{stem}-for-programs.csv" if self is FileKind.CSV else f"{stem}.{self}"

    def write(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
        """Return the table as a file. FileError when this format cannot hold a text."""
        return write_xlsx(header, rows) if self is FileKind.XLSX else write_csv(header, rows)


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the table for programs, with every text quoted and unchanged.

    A spreadsheet would read numbers and formulas into it, so people get XLSX. Half characters (lone
    surrogates), which a service's ids can hold, are written as they are.
    """
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows((header, *rows))
    return text.getvalue().encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet to write with its name, which Excel allows 31 characters."""

    name: str
    header: Sequence[str]
    rows: Iterable[Sequence[str]]


def write_xlsx(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the table as a workbook of one sheet.

    Raise FileError when a text or the table is too long for one. Raise it too for half a character:
    spreadsheet programs lose it, and can lose the text beside it.
    """
    content = io.BytesIO()
    with Workbook(content, _OPTIONS) as workbook:
        some = islice(rows, ROWS_OF_A_SHEET + 1)
        if _fill(workbook, "Sheet1", header, some, fit=_exact) > ROWS_OF_A_SHEET:
            raise _too_long_for_sheet()
    return content.getvalue()


def write_report(sheets: Iterable[Sheet]) -> bytes:
    """Return a workbook to look at. A full sheet is followed by another one.

    A text too long for a cell is cut, and says so; half a character is written as an escape.
    """
    content = io.BytesIO()
    with Workbook(content, _OPTIONS) as workbook:
        for one in sheets:
            rest, number, written = iter(one.rows), 1, ROWS_OF_A_SHEET
            while written == ROWS_OF_A_SHEET:
                name = one.name if number == 1 else f"{one.name} {number}"
                written = _fill(workbook, name, one.header, islice(rest, ROWS_OF_A_SHEET), fit=_shown)
                number += 1
    return content.getvalue()


def _fits_a_cell(text: str) -> bool:
    """True when a cell can hold the whole text. Spreadsheets count UTF-16 units."""
    if len(text) <= MAX_CELL_CHARACTERS // 2:
        return True
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 <= MAX_CELL_CHARACTERS


class _TextSheet(Worksheet):  # type: ignore[misc]  # it has no types
    """A sheet that stores every text exactly as it is.

    XlsxWriter 3.3 does not encode every text that looks like `_x0000_`, and takes a text between `<r>` and
    `</r>` for its own markup.
    """

    @staticmethod
    def _escape_control_characters(data: str) -> str:
        return _TO_ENCODE.sub(lambda found: f"_x{ord(found[0]):04X}_", data)

    def _xml_rich_inline_string(self, string: str, attributes: list[tuple[str, object]]) -> None:
        self._xml_inline_string(string, True, attributes)  # noqa: FBT003  (XlsxWriter's)


def _fill(
    workbook: Workbook,
    name: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    fit: Callable[[str], str],
) -> int:
    """Write a sheet with the rows below the header, and return how many they are."""
    text = workbook.add_format({"num_format": "@"})
    sheet = workbook.add_worksheet(name, worksheet_class=_TextSheet)
    sheet.set_column(0, len(header) - 1, _COLUMN_WIDTH, text)
    number = 0
    for number, cells in enumerate(chain([header], rows)):
        for column, cell in enumerate(cells):
            if cell:
                sheet.write_string(number, column, fit(cell), text)
    return number


def _shown(cell: str) -> str:
    shown = cell.encode("utf-8", "backslashreplace").decode()
    if _fits_a_cell(shown):
        return shown
    units = shown.encode("utf-16-le")[: 2 * (MAX_CELL_CHARACTERS - len(_CUT))]
    return units.decode("utf-16-le", "ignore") + _CUT


def _exact(cell: str) -> str:
    if not _fits_a_cell(cell):
        raise _too_long_for_sheet()
    if _HALF.search(cell):
        raise FileError(
            "A text contains half a character, which spreadsheets cannot store.", advice="Export it as CSV."
        )
    return cell


def _too_long_for_sheet() -> FileError:
    return FileError("A text, or the table, is too long for a spreadsheet.", advice="Export it as CSV.")
