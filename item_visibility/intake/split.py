"""Ids that stand together in one text."""

import re

_TOKEN = re.compile(
    r"""
    "(?P<quoted>(?:[^"]|"")+)"(?=[\s,;\ufeff]|$)   # as spreadsheets and CSV files quote; "" is one mark
    | (?P<bare>[^\s,;\ufeff]+)
    """,
    re.VERBOSE,
)


def split_ids(text: str) -> tuple[str, ...]:
    """The ids in the text, exactly as they stand between newlines, tabs, commas, semicolons and blanks.

    No-break spaces and byte order marks separate too. An id that holds a separator is written in
    double quotes, as spreadsheets do.
    """
    return tuple(
        match["bare"] if match["quoted"] is None else match["quoted"].replace('""', '"')
        for match in _TOKEN.finditer(text)
    )
