"""What the headings of a table mean.

Case, blanks, punctuation and diacritics are ignored in headings, and only there: ids stay as they are.
"""

import re
from dataclasses import replace
from functools import cache

from item_visibility.files.table import Table, TableRow
from item_visibility.intake.heading_words import Column, Heading, forms, known_headings

_NUMBERED = re.compile(r"(.*[^0-9])[0-9]{1,3}")
_ID_WITHOUT_HEADING = re.compile(r"[0-9]{6,}(?:[^0-9A-Za-z]?[0-9A-Za-z]{2,3})?")

_known = cache(known_headings)


def read_heading(text: str) -> Heading:
    """What the heading means; an empty Heading when it is none that we know."""
    known = _known()
    for form in forms(text):
        if form in known:
            return known[form]
        if (numbered := _NUMBERED.fullmatch(form)) is not None:
            meaning = known.get(numbered[1], Heading())
            if meaning.column is Column.RECIPIENT:
                return replace(meaning, is_numbered=True)
    return Heading()


def may_be_recipient(text: str) -> bool:
    """True when the heading of a column of ticks may be the id of a recipient."""
    return bool(text.strip()) and not any(form in _known() for form in forms(text))


def with_header_found(table: Table) -> Table:
    """The table; when its first row is no header but ids already, with that row among the others.

    A first row is taken for ids when no cell is a heading that we know and the first cell is a number
    of six digits or more, as in a list that was copied without its headings.
    """
    has_known = any(read_heading(cell) != Heading() for cell in table.header)
    if has_known or not _ID_WITHOUT_HEADING.fullmatch(table.header[0].strip()):
        return table
    return without_header(table)


def without_header(table: Table) -> Table:
    """The table with its first row among the others, and empty headings."""
    first = TableRow(table.header_number, table.header)
    return replace(table, header=("",) * len(table.header), rows=(first, *table.rows))
