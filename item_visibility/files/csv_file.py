"""Reads CSV and pasted text strictly."""

import csv
import io
import re
from collections.abc import Iterator

from item_visibility.errors import FileError
from item_visibility.files.encoding import Encoding, decode
from item_visibility.files.table import NOTHING_CHANGED, Table, TableRow, Watch, read_rows, unwatched

_SEPARATORS = ",;\t"
_TOLD_EVERY = 100_000
_NAMED_SEPARATOR = re.compile(r"sep=([,;\t])\r?\n", re.IGNORECASE)
"""A first line that tells Excel the separator. Excel does not show it as a row."""


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
