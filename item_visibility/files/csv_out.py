"""CSV out: exact for programs, or safe for a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from item_visibility.files.table import FOR_EXCEL

EXACT_CSV = "CSV, exact, for programs"
"""How a button names a file in which a spreadsheet could run what stands in it."""

_LIVE = re.compile('(?:^|(?<=[;,\t\r\n]))(?="*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20])')
"""Where a cell begins that could run: also behind what some spreadsheet takes for the end of a cell."""


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """The table with every text quoted and exactly as it is, for programs.

    A spreadsheet would read numbers and formulas into it: for people there is XLSX. Halves of
    characters, which a service's ids can hold, are written as they are.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


def write_safe_csv(header: Sequence[str], rows: Iterable[Sequence[str]], target: BinaryIO) -> None:
    """Write the table for a spreadsheet, in UTF-8 with the mark by which it knows that.

    An apostrophe stands before what it could run as a formula, also behind a separator within a text, and
    half a character is written as an escape: so this is not exact. One more heading says so, and by
    that heading the file is refused when it is read in again.
    """
    file = io.TextIOWrapper(target, encoding="utf-8-sig", errors="backslashreplace", newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow([*map(_harmless, header), FOR_EXCEL])
    for row in rows:
        writer.writerow([*map(_harmless, row), ""])
    file.detach()


def _harmless(cell: str) -> str:
    return _LIVE.sub("'", cell)
