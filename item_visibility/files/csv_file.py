"""CSV in, strictly. UTF-8, with or without a byte order mark."""

import csv
import io
from collections.abc import Iterator

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED, Table, TableRow, read_rows

_SEPARATORS = ",;\t"
_BYTE_ORDER_MARK = "\ufeff"


def read_csv(content: bytes) -> Table:
    """The table, every text exactly as it stands; separated by comma, semicolon or tab."""
    try:
        text = content.decode("utf-8", "surrogatepass").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        raise FileError(
            "The file is neither XLSX nor CSV in UTF-8.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)" or as "CSV UTF-8".',
        ) from None
    return read_rows(_rows(text))


def _rows(text: str) -> Iterator[TableRow]:
    separator = _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            yield TableRow(number, tuple(cells))
    except csv.Error:
        raise FileError(
            f"Row {number + 1} cannot be read: its quotation marks do not fit, or it is too long.",
            advice=f"{NOTHING_CHANGED} Put the row right in the file.",
        ) from None


def _separator(text: str) -> str:
    """The sign that stands most often in the first line, outside quotation marks."""
    first_line = text.lstrip("\r\n").partition("\n")[0]
    outside = "".join(first_line.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)
