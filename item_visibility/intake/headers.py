"""What the headings of a table mean.

Case, blanks, punctuation and diacritics are ignored in headings, and only there: ids stay as they are.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from item_visibility.files.table import Table, TableRow
from item_visibility.intake.heading_words import Column, Heading, forms, known_headings

_NUMBERED = re.compile(r"(.*[^0-9])[0-9]{1,3}")
_WITH_BRACKETS = re.compile(r"([^()\[\]]+)[(\[]([^()\[\]]*)[)\]]")
_ID_WITHOUT_HEADING = re.compile(r"[0-9]{6,}(?:[^0-9A-Za-z]?[0-9A-Za-z]{2,3})?")
_MOST_ROWS_OF_TITLE = 10
_HEADINGS_OF_A_HEADER = 2

_known = cache(known_headings)


def read_heading(text: str) -> Heading:
    """What the heading means; an empty Heading when it is none that we know.

    What stands behind it in brackets may say more: "Item number (GTIN)", "Supplier (name)".
    """
    if (parts := _WITH_BRACKETS.fullmatch(text.strip())) is None:
        return _meaning(text) or Heading()
    outside, inside = (_meaning(part) for part in parts.groups())
    if outside is None or inside == Heading():
        return Heading()
    return inside if inside and inside.is_trade_number and outside.column is Column.ITEM else outside


def may_be_recipient(text: str) -> bool:
    """True when the heading of a column of ticks may be the id of a recipient."""
    return bool(text.strip()) and not any(form in _known() for form in forms(text))


def with_header_found(table: Table) -> Table:
    """The table under the header that it has, where its first row is none.

    Rows above the header, such as a title, are no rows of the list. Where no row is a header, the list
    was copied without its headings when the first begins with a number of six digits or more, or says in
    a column what another row says there, too: the first row is one of the others then.
    """
    if _known_in(table.header):
        return table
    for place, row in enumerate(table.rows[:_MOST_ROWS_OF_TITLE]):
        if _known_in(row.cells) >= _HEADINGS_OF_A_HEADER:
            return Table(row.cells, table.rows[place + 1 :], header_number=row.number)
    is_row = _ID_WITHOUT_HEADING.fullmatch(table.header[0].strip()) or _is_like_another_row(table)
    return without_header(table) if is_row else table


def without_header(table: Table) -> Table:
    """The table with its first row among the others, and empty headings."""
    first = TableRow(table.header_number, table.header)
    return replace(table, header=("",) * len(table.header), rows=(first, *table.rows))


def _is_like_another_row(table: Table) -> bool:
    """True when the first row shares a text with another one; a header that is printed again is the same."""
    others = [row.cells for row in table.rows if row.cells != table.header]
    return any(
        cell.strip() and any(cells[place] == cell for cells in others)
        for place, cell in enumerate(table.header)
    )


def _known_in(cells: Iterable[str]) -> int:
    """How many of the cells are headings that we know."""
    return sum(read_heading(cell) != Heading() for cell in cells)


def _meaning(text: str) -> Heading | None:
    """What the words mean: an empty Heading for what is surely no id, None when we do not know them."""
    for form in forms(text):
        if form in _known():
            return _known()[form]
        if (numbered := _NUMBERED.fullmatch(form)) is not None:
            meaning = _known().get(numbered[1], Heading())
            if meaning.column is Column.RECIPIENT:
                return replace(meaning, is_numbered=True)
    return None
