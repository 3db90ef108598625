"""Writes exact JSON, with one object for each row on its own line."""

import json
import re
from collections.abc import Iterable, Sequence

from item_visibility.errors import FileError

_TWO_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


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


def _line(header: Sequence[str], row: Sequence[str]) -> str:
    return json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False)
