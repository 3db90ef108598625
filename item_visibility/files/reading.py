"""Reads a file of any supported kind, or a pasted text."""

from item_visibility.errors import FileError
from item_visibility.files.csv_file import Encoding, decode, read_csv, read_text
from item_visibility.files.json_file import is_json, read_json
from item_visibility.files.table import MAX_BYTES, MAX_MEGABYTES, NOTHING_CHANGED, Table, Watch, unwatched
from item_visibility.files.xlsx_in import read_xlsx

ZIP = b"PK\x03\x04"


def guess_encoding(content: bytes) -> Encoding:
    """Return the encoding of a text file that says none: UTF-8, or else that of a German Excel's CSV."""
    if content.startswith(ZIP):
        return Encoding.UTF_8
    for encoding in Encoding:
        try:
            decode(content, encoding)
        except FileError:
            continue
        return encoding
    return Encoding.UTF_8


def read_table(
    content: bytes, *, encoding: Encoding = Encoding.UTF_8, sheet: str | None = None, watch: Watch = unwatched
) -> Table:
    """Return the table in an XLSX, CSV or JSON file. The content tells the kind.

    Raise FileError for other files. The encoding is only for CSV files; the others declare their own. The
    sheet is the name of a sheet in a workbook. Raise SheetsError when none is given and several visible
    sheets hold something.
    """
    _check_size(len(content))
    if content.startswith(ZIP):
        return read_xlsx(content, sheet, watch=watch)
    if sheet is not None:
        raise FileError(
            "Only a workbook has sheets, and this file is none.",
            advice=f"{NOTHING_CHANGED} Name no sheet for it.",
        )
    if is_json(content):
        return read_json(content, watch=watch)
    return read_csv(content, encoding=encoding, watch=watch)


def read_paste(text: str, *, watch: Watch = unwatched) -> Table:
    """Return the table in a pasted text: cells copied from a spreadsheet, or lines as in a CSV file."""
    _check_size(len(text.encode("utf-8", "surrogatepass")))
    return read_text(text, watch=watch)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise FileError(
            f"The file is larger than {MAX_MEGABYTES} MB.",
            advice=f"{NOTHING_CHANGED} Divide it into several files.",
        )
