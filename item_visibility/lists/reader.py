"""Reads a table from a pasted text or a file (CSV and JSON; `xlsx_reader` reads XLSX)."""  # noqa: E501

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache

from item_visibility.lists.table import (
    MAX_MEGABYTES,
    MAX_ROWS,
    NotText,
    Table,
    TableRow,
    read_rows,
    too_large,
    unchanged,
)
from item_visibility.lists.xlsx_reader import ZIP, read_xlsx

_SEPARATORS = ",;\t"
_NAMED_SEPARATOR = re.compile(r"sep=([,;\t])\r?\n", re.IGNORECASE)
"""A CSV may begin with this line, which sets the separator for Excel and is not a row."""  # noqa: E501
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Encoding(StrEnum):
    """The encodings of a text file. UTF-16 is recognised by its byte order mark."""

    UTF_8 = "utf-8"
    CP1252 = "cp1252"
    """Western European. Spreadsheet programs on Windows call it "ANSI"."""


def find_encoding(content: bytes) -> Encoding:
    """Guess the encoding: cp1252 if the text is not UTF-8. The user should check it."""
    if content.startswith((ZIP, *_UTF_16)):
        return Encoding.UTF_8
    try:
        content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return Encoding.CP1252
    return Encoding.UTF_8


def read_table(
    content: bytes | str,
    *,
    encoding: Encoding = Encoding.UTF_8,
    sheet: str | None = None,
) -> Table:
    """Read the table in an XLSX, CSV or JSON file, or in a pasted text.

    Raises FileError for other files.

    `encoding` applies to CSV files. `sheet` is the name of a sheet in a workbook;
    without it, SheetsError is raised if several visible sheets contain data.
    """
    data = (
        content
        if isinstance(content, bytes)
        else content.encode("utf-8", "surrogatepass")
    )
    if len(data) > MAX_MEGABYTES * 1024 * 1024:
        raise unchanged(
            f"The file is larger than {MAX_MEGABYTES} MB.",
            "Divide it into several files.",
        )
    if isinstance(content, str):
        has_tabs = "\t" in _first_line(
            content
        )  # as in cells that were copied from a spreadsheet
        return _read_csv(content, "\t" if has_tabs else _SEPARATORS)
    if content.startswith(ZIP):
        return read_xlsx(content, sheet)
    if sheet is not None:
        raise unchanged(
            "Only a workbook has sheets, and this file is not a workbook.",
            "Choose no sheet.",
        )
    if (
        content.removeprefix(codecs.BOM_UTF8)[:100]
        .lstrip(b" \t\r\n")
        .startswith((b"[", b"{"))
    ):
        return _read_json(content)
    return _read_csv(_decode(content, encoding), _SEPARATORS)


def _read_csv(text: str, separators: str) -> Table:
    """Read a CSV.

    Its separator is the one of `separators` that is most frequent in the first line.
    """
    if (named := _NAMED_SEPARATOR.match(text)) is not None:
        return read_rows(_csv_rows(text[named.end() :], named[1]))
    outside_quotes = "".join(_first_line(text).split('"')[::2])
    return read_rows(_csv_rows(text, max(separators, key=outside_quotes.count)))


def _csv_rows(text: str, separator: str) -> Iterator[TableRow]:
    lines = io.StringIO(text, newline="")
    number = 0
    try:
        for number, cells in enumerate(
            csv.reader(lines, delimiter=separator, strict=True), start=1
        ):
            yield TableRow(number, tuple(cells))
    except csv.Error:
        raise unchanged(
            f"Row {number + 1} cannot be read: its quotation marks do not match, or "
            "it is too long.",
            "Correct the row in the file.",
        ) from None


def _first_line(text: str) -> str:
    return text.lstrip("\r\n").partition("\n")[0]


def _decode(content: bytes, encoding: Encoding) -> str:
    name = "utf-16" if content.startswith(_UTF_16) else encoding.value
    is_windows_text = b"\0" not in content and not content.startswith(codecs.BOM_UTF8)
    if is_windows_text or name != Encoding.CP1252:
        with suppress(UnicodeDecodeError):
            return content.decode(name, "surrogatepass").removeprefix("\ufeff")
    raise unchanged(
        f"The file is neither XLSX nor a text in {name}.",
        'Save it as "Excel workbook (.xlsx)", without a password, or as "CSV UTF-8". '
        "A CSV from Windows can "
        "also have the encoding cp1252.",
    )


def _read_json(content: bytes) -> Table:
    """Read a list of objects. The keys of the first object are the columns.

    Numbers and booleans become NotText, because a number may have lost zeros or digits.
    """
    number = lru_cache(maxsize=1_000)(
        NotText
    )  # a file full of zeros would fill the memory
    count = 0

    def read_object(pairs: list[tuple[str, object]]) -> dict[str, str]:
        nonlocal count
        found = {name: _cell(value) for name, value in pairs}
        if not any(found) or len(found) != len(pairs):
            raise ValueError("no names, or a repeated name")
        count += 1
        if count > MAX_ROWS:
            raise too_large()
        return found

    try:
        objects = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=read_object,
            parse_int=number,
            parse_float=number,
            parse_constant=number,
        )
        header = tuple(objects[0]) if objects else ()
        rows = [tuple({**dict.fromkeys(header, ""), **one}.values()) for one in objects]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise unchanged(
            "The file begins like JSON, but is not a list of rows in UTF-8.",
            'Write [{"supplier": "…", "item": "…", "recipient": "…"}, …].',
        ) from None
    return read_rows(
        TableRow(number, cells) for number, cells in enumerate((header, *rows))
    )


def _cell(value: object) -> str:
    match value:
        case str():
            return value
        case bool():
            return NotText(str(value).lower())
        case None:
            return ""
    raise ValueError("no text")
