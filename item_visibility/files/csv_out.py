"""Writes CSV: exact for programs, or safe for a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from item_visibility.files.table import FOR_EXCEL

EXACT_CSV = "CSV, exact, for programs"
"""The label of a button for a file that a spreadsheet could run formulas from."""

_LIVE = re.compile('(?:^|(?<=[;,\t\r\n]))(?="*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20])')
"""The start of a cell that could run as a formula, also after a sign that may be taken for a cell's end."""


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the table for programs, with every text quoted and unchanged.

    A spreadsheet would read numbers and formulas into it, so people get XLSX. Half characters (lone
    surrogates), which a service's ids can hold, are written as they are.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


def write_safe_csv(header: Sequence[str], rows: Iterable[Sequence[str]], target: BinaryIO) -> None:
    """Write the table for a spreadsheet, in UTF-8 with a byte order mark.

    This is not exact. An apostrophe is put before anything that could run as a formula, also after a
    separator within a text. Half a character is written as an escape. An extra heading says so, and a file
    with that heading is refused when it is read in again.
    """
    file = io.TextIOWrapper(target, encoding="utf-8-sig", errors="backslashreplace", newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow([*map(_harmless, header), FOR_EXCEL])
    for row in rows:
        writer.writerow([*map(_harmless, row), ""])
    file.detach()


def _harmless(cell: str) -> str:
    return _LIVE.sub("'", cell)
