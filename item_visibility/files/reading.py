"""A file that a person chose, whatever its kind."""

from item_visibility.errors import FileError
from item_visibility.files.csv_file import read_csv
from item_visibility.files.json_file import is_json, read_json
from item_visibility.files.table import MAX_BYTES, NOTHING_CHANGED, Table
from item_visibility.files.xlsx_in import read_xlsx

_ZIP = b"PK\x03\x04"


def read_table(content: bytes) -> Table:
    """The table in an XLSX, CSV or JSON file, told apart by what is in it; FileError for others."""
    if len(content) > MAX_BYTES:
        raise FileError(
            f"The file is larger than {MAX_BYTES // 1024 // 1024} MB.",
            advice=f"{NOTHING_CHANGED} Divide it into several files.",
        )
    if is_json(content):
        return read_json(content)
    return read_xlsx(content) if content.startswith(_ZIP) else read_csv(content)
