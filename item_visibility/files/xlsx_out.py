"""XLSX out: every cell is a text, so that no number is shortened and no formula runs."""

import io
import re
from collections.abc import Iterable, Sequence

from xlsxwriter import Workbook  # type: ignore[import-untyped]  # it has no types

from item_visibility.errors import FileError
from item_visibility.files.table import MAX_CELL_CHARACTERS

_HALVES = re.compile("[\ud800-\udfff]")
_LAST_ROW = 1_048_575


def write_xlsx(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """The table as a workbook of one sheet. FileError when a text or the table is too long for one.

    Half a character, which no workbook can hold, is written as an escape, as screens show it.
    """
    content = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with Workbook(content, options) as workbook:
        sheet = workbook.add_worksheet()
        text = workbook.add_format({"num_format": "@"})
        sheet.set_column(0, len(header) - 1, 24, text)
        for number, cells in enumerate((header, *rows)):
            for place, cell in enumerate(cells):
                if len(cell) > MAX_CELL_CHARACTERS or number > _LAST_ROW:
                    raise FileError(
                        "A text, or the table, is too long for a spreadsheet.",
                        advice="Export it as CSV.",
                    )
                if cell:
                    sheet.write_string(number, place, _without_halves(cell), text)
    return content.getvalue()


def _without_halves(text: str) -> str:
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
