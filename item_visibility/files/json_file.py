"""Reads and writes JSON, one object of texts for each row.

Objects in an array can be read, and objects one after the other. Python's own decoder reads each object. The
functions that it calls check the content: only texts, under distinct names.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from item_visibility.errors import FileError
from item_visibility.files.table import (
    MAX_COLUMNS,
    NOTHING_CHANGED,
    NotText,
    Table,
    TableRow,
    Watch,
    read_rows,
    unwatched,
)

_SPACES = r"[ \t\r\n]*"
_FIRST = re.compile(rf"{_SPACES}(?:\[{_SPACES}(?P<end>\]{_SPACES}\Z)?)?(?=\{{|\Z)")
_NEXT_LISTED = re.compile(rf"{_SPACES}(?:,{_SPACES}(?=\{{)|(?P<end>\]{_SPACES}\Z))")
_NEXT = re.compile(rf"{_SPACES}(?:(?=\{{)|(?P<end>\Z))")
_TWO_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def is_json(content: bytes) -> bool:
    """Return True when the content begins like the JSON that is read here."""
    begin = content.removeprefix(codecs.BOM_UTF8)[:100].lstrip(b" \t\r\n")
    return begin.startswith((b"[", b"{"))


def read_json(content: bytes, *, watch: Watch = unwatched) -> Table:
    """Return the table. The first object names the columns; a column that a later object omits is empty.

    Numbers and booleans become NotText, because zeros and digits may be lost.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(
            "The file begins like JSON, but is not in UTF-8.", advice=f"{NOTHING_CHANGED} Save it in UTF-8."
        ) from None
    return read_rows(_rows(text, watch))


def write_json(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the table as an array of objects in UTF-8. Half a character is written as an escape.

    Raise FileError for two separate halves side by side, which would be read as one character.
    """
    lines = [_line(header, row) for row in rows]
    text = ",\n".join(lines)
    if _TWO_HALVES.search(text):
        raise FileError(
            "A text holds two halves of characters side by side, which JSON would join.",
            advice="Export it as CSV.",
        )
    return (f"[\n{text}\n]\n" if lines else "[]\n").encode("utf-8", "backslashreplace")


def _rows(text: str, watch: Watch) -> Iterator[TableRow]:
    """Yield the names of the columns as row 0, then the rows, counted from 1."""
    header: tuple[str, ...] = ()
    number = 0
    try:
        for number, found in enumerate(_objects(text, watch), start=1):
            if not header:
                header = tuple(found)
                yield TableRow(0, header)
            if not any(found) or not found.keys() <= set(header):
                raise FileError(
                    f"Row {number} names other columns than the first row, or none.",
                    advice=f"{NOTHING_CHANGED} Name the same columns in every row.",
                )
            yield TableRow(number, tuple(found.get(name, "") for name in header))
    except (ValueError, RecursionError):
        raise FileError(
            f"Row {number + 1} cannot be read: the file begins like JSON, but is no list of rows.",
            advice=f'{NOTHING_CHANGED} Write each row as {{"supplier": "…", "item": "…", "recipient": "…"}}.',
        ) from None


def _objects(text: str, watch: Watch) -> Iterator[dict[str, str]]:
    """Yield every object. Raise ValueError or RecursionError at an invalid one."""
    number = lru_cache(maxsize=1_000)(NotText)  # a file full of zeros would fill the memory
    decoder = json.JSONDecoder(
        object_pairs_hook=_object, parse_int=number, parse_float=number, parse_constant=number
    )
    sign = _FIRST.match(text)
    next_sign = _NEXT_LISTED if sign and "[" in sign[0] else _NEXT
    while sign and sign["end"] is None:
        found, end = decoder.raw_decode(text, sign.end())
        watch(end / len(text))
        yield found
        sign = next_sign.match(text, end)
    if sign is None:
        raise ValueError("no object follows")


def _object(pairs: list[tuple[str, object]]) -> dict[str, str]:
    """Return an object of texts. Raise ValueError for a repeated name, too many names or a non-text value."""
    found = {name: _cell(value) for name, value in pairs}
    if len(pairs) > min(len(found), MAX_COLUMNS):
        raise ValueError("a repeated name, or too many")
    return found


def _cell(value: object) -> str:
    match value:
        case str():
            return value
        case bool():
            return NotText(str(value).lower())
        case None:
            return ""
    raise ValueError("no text")


def _line(header: Sequence[str], row: Sequence[str]) -> str:
    return json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False)
