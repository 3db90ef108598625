"""Splits a text that holds several ids."""

import re

_TOKEN = re.compile(
    r"""
    "(?P<quoted>(?:[^"]|"")+)"(?=[\s,;\ufeff]|$)   # as spreadsheets and CSV files quote; "" is one mark
    | (?P<bare>[^\s,;\ufeff]+)
    """,
    re.VERBOSE,
)


def split_ids(text: str) -> tuple[str, ...]:
    """Return the ids in the text, unchanged. Newlines, tabs, commas, semicolons and spaces separate them.

    No-break spaces and byte order marks separate too. An id that contains a separator is written in
    double quotes, as spreadsheets do.
    """
    return tuple(
        match["bare"] if match["quoted"] is None else match["quoted"].replace('""', '"')
        for match in _TOKEN.finditer(text)
    )
