"""Finds the header of a table and reads its headings.

Case, spaces, punctuation and diacritics are ignored in headings only. Ids stay as they are.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache

from item_visibility.files.table import Aside, Table, TableRow, Watch, unwatched
from item_visibility.lists.heading_words import Heading, HeadingMeaning, forms, known_headings

_NUMBERED = re.compile(r"(.*[^0-9])[0-9]{1,3}")
_WITH_BRACKETS = re.compile(r"([^()\[\]]+)[(\[]([^()\[\]]*)[)\]]")
_ID_WITHOUT_HEADING = re.compile(r"[0-9]{6,}(?:[^0-9A-Za-z]?[0-9A-Za-z]{2,3})?")
_HEADINGS_OF_A_HEADER = 2
_DIGITS_OF_NO_WORD = 4
_TOLD_EVERY = 1_000

_ABOVE = "The row stands above the headings in row {number}, and may be one of the list."
_REPEATED = "The row repeats the headings."
_OTHER = "The row holds other headings than row {number}."
_BELOW = "The row stands below other headings, in row {number}."

_known = cache(known_headings)


def read_heading(text: str) -> Heading:
    """Return the meaning of the heading, or an empty Heading when it is unknown.

    A text in brackets after it may say more: "Item number (GTIN)", "Supplier (name)".
    """
    if (parts := _WITH_BRACKETS.fullmatch(text.strip())) is None:
        return _meaning(text) or Heading()
    outside, inside = (_meaning(part) for part in parts.groups())
    if outside is None or inside == Heading():
        return Heading()
    return inside if inside and inside.is_trade_number and outside.meaning is HeadingMeaning.ITEM else outside


def is_known(text: str) -> bool:
    """True when the text is a known heading, including those of columns that lists do not need."""
    return any(form in _known() for form in forms(text))


def may_be_recipient(text: str) -> bool:
    """True when the heading of a column of ticks may be a recipient's id. A word without a digit is not."""
    return any(map(str.isdigit, text)) and not is_known(text)


def with_header_found(table: Table, *, said: bool | None = None, watch: Watch = unwatched) -> Table:
    """Return the table under its real header, which may not be its first row.

    Rows above the header that hold one text each, such as a title, are not part of the list. Other rows above
    it may be, and are set aside. So are headings further down, and the rows below them.
    If no row is a header, the list may have been copied without one. This is assumed when the first row
    begins with a number of six digits or more, holds numbers in most of its cells, or shares a cell of some
    column with another row. The first row is then an ordinary row.
    The person's word on the first row (`said`) wins: it is the header, or the list has none.
    """
    if said is not None:
        return _without_headings_below(table, watch) if said else without_header(table)
    if _headings_in(table.header):
        return _without_headings_below(table, watch)
    for index, row in _watched(table.rows, watch):
        if holds_headings(row):
            above = (TableRow(table.header_number, table.header), *table.rows[:index])
            of_list = [one for one in above if _may_be_of_list(one)]
            reason = _ABOVE.format(number=row.number)
            found = replace(
                table,
                header=row.cells,
                rows=table.rows[index + 1 :],
                header_number=row.number,
                titles=tuple(one for one in above if one not in of_list),
                aside=(*table.aside, *(Aside(one, reason) for one in of_list)),
            )
            return _without_headings_below(found, watch)
    is_row = _is_id(table.header[0]) or _is_mostly_numbers(table.header) or _is_like_another_row(table)
    return without_header(table) if is_row else _without_headings_below(table, watch)


def holds_headings(row: TableRow) -> bool:
    """True when the row holds the headings of several columns of a list."""
    return _headings_in(row.cells) >= _HEADINGS_OF_A_HEADER


def without_header(table: Table) -> Table:
    """Return the table with empty headings and its header as an ordinary first row."""
    first = TableRow(table.header_number, table.header)
    return replace(table, header=("",) * len(table.header), rows=(first, *table.rows))


def _is_mostly_numbers(cells: Iterable[str]) -> bool:
    """True when most of the filled cells hold a digit, as ids do."""
    filled = [cell for cell in cells if cell.strip()]
    return sum(any(map(str.isdigit, cell)) for cell in filled) > len(filled) / 2


def _is_like_another_row(table: Table) -> bool:
    """True when the first row shares a text with another one. A repeated header does not count."""
    others = [row.cells for row in table.rows if row.cells != table.header]
    return any(
        cell.strip() and any(cells[column] == cell for cells in others)
        for column, cell in enumerate(table.header)
    )


def _without_headings_below(table: Table, watch: Watch) -> Table:
    """Set aside headings further down, and the rows that belong to them.

    Below repeated headings the list goes on. Below other headings the columns may mean something else.
    """
    own_header = tuple(map(_plain, table.header))
    rows: list[TableRow] = []
    aside: list[Aside] = []
    others = 0
    for _, row in _watched(table.rows, watch):
        if tuple(map(_plain, row.cells)) == own_header:
            aside.append(Aside(row, _REPEATED, may_be_of_list=False))
            others = 0
        elif holds_headings(row):
            reason = _OTHER.format(number=table.header_number)
            aside.append(Aside(row, reason, may_be_of_list=False))
            others = row.number
        elif others:
            aside.append(Aside(row, _BELOW.format(number=others)))
        else:
            rows.append(row)
    return replace(table, rows=tuple(rows), aside=(*table.aside, *aside)) if aside else table


def _watched(rows: tuple[TableRow, ...], watch: Watch) -> Iterator[tuple[int, TableRow]]:
    for index, row in enumerate(rows):
        if not index % _TOLD_EVERY:
            watch(index / len(rows))
        yield index, row


def _may_be_of_list(row: TableRow) -> bool:
    """True when the row holds several texts, or an id. A title or a date is one text, and not an id."""
    filled = [cell for cell in row.cells if cell.strip()]
    return len(filled) > 1 or any(map(_is_id, filled))


def _is_id(cell: str) -> bool:
    return _ID_WITHOUT_HEADING.fullmatch(cell.strip()) is not None


def _plain(cell: str) -> str:
    return cell.strip().casefold()


def _headings_in(cells: Iterable[str]) -> int:
    """Count the distinct meanings of list columns among the cells."""
    words = (cell for cell in cells if cell and not cell[:_DIGITS_OF_NO_WORD].isdigit())
    return len({meaning for word in words if (meaning := _said_by(word)) is not None})


@lru_cache(maxsize=4096)
def _said_by(cell: str) -> str | None:
    """Return the content of a column with this heading, or None when the heading is unknown."""
    heading = read_heading(cell)
    return "location" if heading.is_location else heading.meaning


def _meaning(text: str) -> Heading | None:
    """Return the meaning of the words: an empty Heading for a known non-id, None for unknown words."""
    for form in forms(text):
        if form in _known():
            return _known()[form]
        if (numbered := _NUMBERED.fullmatch(form)) is not None:
            heading = _known().get(numbered[1], Heading())
            if heading.meaning is HeadingMeaning.RECIPIENT:
                return replace(heading, is_numbered=True)
    return None
