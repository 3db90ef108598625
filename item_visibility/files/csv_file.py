"""Reads CSV and pasted text strictly. Writes CSV that is exact for programs, or safe for a spreadsheet."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import BinaryIO

from item_visibility.errors import FileError
from item_visibility.files.table import (
    FOR_EXCEL,
    NOTHING_CHANGED,
    Table,
    TableRow,
    Watch,
    read_rows,
    unwatched,
)

EXACT_CSV = "CSV, exact, for programs"
"""The label of a button for a file that a spreadsheet could run formulas from."""

_SEPARATORS = ",;\t"
_TOLD_EVERY = 100_000
_NAMED_SEPARATOR = re.compile(r"sep=([,;\t])\r?\n", re.IGNORECASE)
"""A first line that tells Excel the separator. Excel does not show it as a row."""
_LIVE = re.compile('(?:^|(?<=[;,\t\r\n]))(?="*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20])')
"""The start of a cell that could run as a formula, also after a sign that may be taken for a cell's end."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Encoding(StrEnum):
    """The encodings of a text file, the usual one first."""

    UTF_8 = "utf-8"
    CP1252 = "cp1252"
    """Western European, called "ANSI" by spreadsheets on Windows."""


def read_csv(content: bytes, *, encoding: Encoding = Encoding.UTF_8, watch: Watch = unwatched) -> Table:
    """Return the table with every text unchanged. The separator is a comma, semicolon or tab."""
    text = decode(content, encoding)
    if (named := _NAMED_SEPARATOR.match(text)) is not None:
        return read_rows(_rows(text[named.end() :], named[1], watch))
    return read_rows(_rows(text, _separator(text), watch))


def read_text(text: str, *, watch: Watch = unwatched) -> Table:
    """Return the table in a text: copied from a spreadsheet, with tabs, or separated as in CSV."""
    has_tabs = "\t" in _first_line(text)
    return read_rows(_rows(text, "\t" if has_tabs else _separator(text), watch))


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


def _rows(text: str, separator: str, watch: Watch) -> Iterator[TableRow]:
    reader = csv.reader(_lines(text, watch), delimiter=separator, strict=True)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            yield TableRow(number, tuple(cells))
    except csv.Error:
        raise FileError(
            f"Row {number + 1} cannot be read: its quotation marks do not fit, or it is too long.",
            advice=f"{NOTHING_CHANGED} Correct the row in the file.",
        ) from None


def _lines(text: str, watch: Watch) -> Iterator[str]:
    """Yield line by line, and call `watch` about every 100,000 characters."""
    read = told = 0
    for line in io.StringIO(text, newline=""):
        read += len(line)
        if read - told >= _TOLD_EVERY:
            told = read
            watch(read / len(text))
        yield line


def _separator(text: str) -> str:
    """Return the most frequent separator in the first line, outside quotation marks."""
    outside = "".join(_first_line(text).split('"')[::2])
    return max(_SEPARATORS, key=outside.count)


def _first_line(text: str) -> str:
    return text.lstrip("\r\n").partition("\n")[0]


def decode(content: bytes, encoding: Encoding) -> str:
    """Return the text without its byte order mark. Raise FileError when it has another encoding."""
    if content.startswith(_OLD_OFFICE):
        raise FileError(
            "The file is a workbook of an old kind (.xls), or protected by a password.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)", without a password.',
        )
    if content.startswith(_UTF_16):
        raise FileError(
            "The file is text in UTF-16, which is not read.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)" or as "CSV UTF-8".',
        )
    return _decode_utf8(content) if encoding is Encoding.UTF_8 else _decode_cp1252(content)


def _decode_utf8(content: bytes) -> str:
    try:
        return content.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise FileError(
            "The file is neither XLSX nor a text in UTF-8.",
            advice=f'{NOTHING_CHANGED} Save it as "Excel workbook (.xlsx)" or as "CSV UTF-8", or choose '
            "cp1252 as its encoding if a program on Windows wrote it.",
        ) from None


def _decode_cp1252(content: bytes) -> str:
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text or content.startswith(codecs.BOM_UTF8):
        raise FileError(
            "The file is not in cp1252.",
            advice=f'{NOTHING_CHANGED} Choose UTF-8, or save it as "Excel workbook (.xlsx)".',
        )
    return text


def _harmless(cell: str) -> str:
    return _LIVE.sub("'", cell)
