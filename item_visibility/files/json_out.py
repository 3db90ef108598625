"""JSON out: exact, one object a row, each on a line of its own."""

import json
import re
from collections.abc import Iterable, Sequence

from item_visibility.errors import FileError

_TWO_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def write_json(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """The table as an array of objects, in UTF-8; half a character is written as an escape.

    FileError for two halves that are no character, but would be read as one.
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
