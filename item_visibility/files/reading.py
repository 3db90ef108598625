"""A file that a person chose, whatever its kind, or what was pasted."""

from item_visibility.errors import FileError
from item_visibility.files.csv_file import read_csv, read_text
from item_visibility.files.encoding import Encoding
from item_visibility.files.json_file import is_json, read_json
from item_visibility.files.ods_in import CONTENT, read_ods
from item_visibility.files.package import opened
from item_visibility.files.table import MAX_BYTES, NOTHING_CHANGED, Table
from item_visibility.files.xlsx_in import read_xlsx

_ZIP = b"PK\x03\x04"


def read_table(content: bytes, *, encoding: Encoding = Encoding.UTF_8) -> Table:
    """The table in an XLSX, ODS, CSV or JSON file, told apart by what is in it; FileError for others.

    The encoding is that of a CSV file: the others say their own.
    """
    _check_size(len(content))
    if content.startswith(_ZIP):
        with opened(content) as package:
            return read_ods(package) if CONTENT in package.namelist() else read_xlsx(package)
    return read_json(content) if is_json(content) else read_csv(content, encoding=encoding)


def read_paste(text: str) -> Table:
    """The table in a pasted text: cells copied from a spreadsheet, or lines as in a CSV file."""
    _check_size(len(text.encode("utf-8", "surrogatepass")))
    return read_text(text)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise FileError(
            f"The file is larger than {MAX_BYTES // 1024 // 1024} MB.",
            advice=f"{NOTHING_CHANGED} Divide it into several files.",
        )
