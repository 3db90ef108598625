"""Writes the tables that users download, as XLSX with only text cells, or as CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain

from xlsxwriter import Workbook  # type: ignore[import-untyped]  # it has no types
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]  # the same

from item_visibility.errors import FileError
from item_visibility.lists.table import MAX_CELL_CHARACTERS

ROWS_OF_A_SHEET = 1_000_000
"""The limit of rows in a sheet, without its header. XLSX allows 1,048,576."""

_HALF = re.compile("[\ud800-\udfff]")
_TO_ENCODE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4})")
_COLUMN_WIDTH = 24
_CUT = " … (cut here)"


class FileKind(StrEnum):
    """The formats of a table.

    Both keep every text unchanged, and can be imported again.
    """

    XLSX = "xlsx"
    """For people: safe to open in a spreadsheet program."""
    CSV = "csv"
    """For programs: a spreadsheet program could run formulas in it."""

    @property
    def words(self) -> str:
        """The label of the download button."""
        return "XLSX" if self is FileKind.XLSX else "CSV, exact, for programs"

    def file_name(self, stem: str) -> str:
        """Return the file name of a download."""
        return f"{stem}-for-programs.csv" if self is FileKind.CSV else f"{stem}.{self}"

    def write(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
        """Return the content of the file.

        Raises FileError if the format cannot store a text.
        """
        return (
            write_xlsx(header, rows)
            if self is FileKind.XLSX
            else write_csv(header, rows)
        )


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Write a CSV with every text quoted and unchanged.

    Lone surrogates, which the ids of a service can contain, are written unchanged too.
    """
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows((header, *rows))
    return text.getvalue().encode("utf-8", "surrogatepass")


def write_xlsx(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    sheet: str = "Sheet1",
    is_report: bool = False,
) -> bytes:
    """Write a workbook with one sheet, whose cells are all texts.

    Raises FileError if the table is too long or, unless it is a report, if a text is
    too long or contains a lone surrogate, which spreadsheet programs cannot store. A
    report is for people to read, and cannot be imported again. Its long texts are cut
    and marked, and its lone surrogates are written as escapes.
    """
    content, fit = io.BytesIO(), _shown if is_report else _exact
    with Workbook(content, {"constant_memory": True}) as workbook:
        text = workbook.add_format({"num_format": "@"})
        written = workbook.add_worksheet(sheet, worksheet_class=_TextSheet)
        written.set_column(0, len(header) - 1, _COLUMN_WIDTH, text)
        for number, cells in enumerate(chain([header], rows)):
            if number > ROWS_OF_A_SHEET:
                raise _not_for_sheet()
            for column, cell in enumerate(cells):
                if cell:
                    written.write_string(number, column, fit(cell), text)
    return content.getvalue()


class _TextSheet(Worksheet):  # type: ignore[misc]  # it has no types
    """A sheet that stores every text unchanged.

    XlsxWriter 3.3 does not escape every text that looks like `_x0000_`, and interprets
    a text between `<r>` and `</r>` as markup.
    """

    @staticmethod
    def _escape_control_characters(data: str) -> str:
        return _TO_ENCODE.sub(lambda found: f"_x{ord(found[0]):04X}_", data)

    def _xml_rich_inline_string(
        self, string: str, attributes: list[tuple[str, object]]
    ) -> None:
        self._xml_inline_string(string, True, attributes)  # noqa: FBT003


def _shown(cell: str) -> str:
    shown = cell.encode("utf-8", "backslashreplace").decode()
    if _fits_a_cell(shown):
        return shown
    units = shown.encode("utf-16-le")[: 2 * (MAX_CELL_CHARACTERS - len(_CUT))]
    return units.decode("utf-16-le", "ignore") + _CUT


def _exact(cell: str) -> str:
    if not _fits_a_cell(cell) or _HALF.search(cell):
        raise _not_for_sheet()
    return cell


def _not_for_sheet() -> FileError:
    message = "The table or a text is too long for a spreadsheet, or a text contains half a character."  # noqa: E501
    return FileError(message, advice="Export it as CSV, or choose fewer rows.")


def _fits_a_cell(text: str) -> bool:
    """True when the text is short enough for a cell.

    Spreadsheet programs count UTF-16 units.
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 <= MAX_CELL_CHARACTERS
