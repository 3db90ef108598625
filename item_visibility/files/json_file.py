"""JSON in: objects with texts in them, in an array or one after the other, read one at a time.

Nothing in an object may hold anything else, so that no file nests deeper than we can follow.
"""

import codecs
import json
import re
from collections.abc import Iterator

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

_BLANKS = re.compile("[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=NotText, parse_float=NotText, parse_constant=NotText)
_WORDS = {True: NotText("true"), False: NotText("false"), None: ""}


def is_json(content: bytes) -> bool:
    """True when the content begins as JSON of ours does."""
    begin = content.removeprefix(codecs.BOM_UTF8)[:100].lstrip(b" \t\r\n")
    return begin.startswith((b"[", b"{"))


def read_json(content: bytes, *, watch: Watch = unwatched) -> Table:
    """The table whose columns the first object names; what a later one leaves out is empty.

    Numbers and truths are no texts: zeros and digits may be lost.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(
            "The file begins like JSON, but is not in UTF-8.",
            advice=f"{NOTHING_CHANGED} Save it in UTF-8.",
        ) from None
    return read_rows(_rows(text, watch))


def _rows(text: str, watch: Watch) -> Iterator[TableRow]:
    """The names of the columns as row 0, then the rows, counted from 1."""
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
    except ValueError:
        raise FileError(
            f"Row {number + 1} cannot be read: the file begins like JSON, but is no list of rows.",
            advice=f'{NOTHING_CHANGED} Write each row as {{"supplier": "…", "item": "…", "recipient": "…"}}.',
        ) from None


def _objects(text: str, watch: Watch) -> Iterator[dict[str, str]]:
    """Every object; ValueError, at the object where it is wrong."""
    place = _after_blanks(text, 0)
    is_array = text.startswith("[", place)
    place = _after_blanks(text, place + is_array)
    end = "]" if is_array else ""
    while place < len(text) and text[place] != end:
        found, place = _object(text, place)
        watch(place / len(text))
        yield found
        if is_array and text[place : place + 1] != end:
            place = _after_blanks(text, _after(text, place, ","))
            _after(text, place, "{")
    if is_array and _after_blanks(text, _after(text, place, "]")) != len(text):
        raise ValueError("more follows")


def _object(text: str, place: int) -> tuple[dict[str, str], int]:
    """The object that begins here, and where what follows it begins."""
    found: dict[str, str] = {}
    place = _after_blanks(text, _after(text, place, "{"))
    separator = "" if text.startswith("}", place) else ","
    while separator == ",":
        _after(text, place, '"')
        name, place = _value(text, place)
        value, place = _value(text, _after_blanks(text, _after(text, place, ":")))
        if name in found or len(found) == MAX_COLUMNS:
            raise ValueError(name)
        found[name] = value
        separator = text[place : place + 1]
        place = _after_blanks(text, place + 1) if separator == "," else place
    return found, _after_blanks(text, _after(text, place, "}"))


def _value(text: str, place: int) -> tuple[str, int]:
    """The text, number, truth or null that stands here, and where what follows it begins."""
    if text[place : place + 1] in {"[", "{"}:
        raise ValueError("not a text")
    value, place = _DECODER.raw_decode(text, place)
    return (value if isinstance(value, str) else _WORDS[value]), _after_blanks(text, place)


def _after(text: str, place: int, sign: str) -> int:
    if not text.startswith(sign, place):
        raise ValueError(sign)
    return place + len(sign)


def _after_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place
