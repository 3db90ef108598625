"""CSV out: exact for programs, or safe for a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import BinaryIO

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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

    A text that it could run as a formula begins with an apostrophe, and half a character is written
    as an escape: so this is not exact, and must not be read in again.
    """
    file = io.TextIOWrapper(target, encoding="utf-8-sig", errors="backslashreplace", newline="")
    writer = csv.writer(file)
    writer.writerow(header)
    for row in rows:
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row])
    file.detach()
