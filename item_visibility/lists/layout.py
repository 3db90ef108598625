"""The layout of a list: its header, the meaning of each column, and the columns to decide about."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from item_visibility.lists.numbers import has_digit, is_trade_number, looks_like_id
from item_visibility.lists.table import Aside, Table, TableRow, column_name, cut, few
from item_visibility.lists.words import (
    Heading,
    HeadingMeaning,
    asks_to_remove,
    is_action_word,
    is_known,
    is_tick,
    is_tick_or_empty,
    read_heading,
)
from item_visibility.saving.bulk import BulkAction

_TOGETHER = re.compile(r"\S\s*[\n,;]\s*\S")
_NUMBERS_TOGETHER = re.compile(r"^\s*[0-9]{6,}(?:[\s,;]+[0-9]{6,})+[\s,;]*$")
_COLUMNS_WITHOUT_HEADINGS = 4
_ID_WITHOUT_HEADING = re.compile(r"[0-9]{6,}(?:[^0-9A-Za-z]?[0-9A-Za-z]{2,3})?")
_HEADINGS_OF_A_HEADER = 2
_DIGITS_OF_NO_WORD = 4

_ABOVE = "The row is above the headings in row {number}, and may be one of the list."
_REPEATED = "The row repeats the headings."
_OTHER = "The row holds other headings than row {number}."
_BELOW = "The row is below other headings, in row {number}."
_SAYS = {
    HeadingMeaning.SUPPLIER: "the supplier",
    HeadingMeaning.ITEM: "the item",
    HeadingMeaning.MARKET: "the market",
    HeadingMeaning.RECIPIENT: "the recipient",
    HeadingMeaning.ACTION: "what to do",
}
_NAMES = (HeadingMeaning.SUPPLIER, HeadingMeaning.ITEM, HeadingMeaning.RECIPIENT)


class LayoutKind(StrEnum):
    """The place of an item's recipients in the list. Only ROWS takes every recipient id exactly as it is."""

    ROWS = "one row a recipient"
    WIDE = "recipients in columns"
    """One row for each item. Cells that are empty or hold only spaces are ignored."""
    CELL = "recipients in one cell"
    """One row for each item. Line breaks, commas, semicolons and spaces separate ids."""
    MATRIX = "a column a recipient, ticked"
    """One row for each item. The heading of a column is the recipient's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns, counted from 0. None or empty when the table has no such column.

    With a `market`, an item's id is its trade item number and the market. Note N18.
    """

    kind: LayoutKind
    supplier: int | None = None
    item: int | None = None
    market: int | None = None
    action: int | None = None
    recipients: tuple[int, ...] = ()

    @property
    def columns(self) -> frozenset[int]:
        """The columns that are read."""
        named = (self.supplier, self.item, self.market, self.action)
        return frozenset(self.recipients) | {column for column in named if column is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Values that are set outside the table for every row.

    `recipients` are for tables that name only items. A row that contradicts `supplier` or `action` is
    skipped.
    """

    supplier: str | None = None
    action: BulkAction | None = None
    recipients: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ColumnDoubt:
    """A column that a person must decide about, and why. `is_read` when its cells are read as ids."""

    column: int
    message: str
    is_read: bool = False


def holds_headings(row: TableRow) -> bool:
    """True when the row holds the headings of several columns of a list."""
    return _headings_in(row.cells) >= _HEADINGS_OF_A_HEADER


def with_header_found(table: Table, *, said: bool | None = None) -> Table:
    """Return the table under its real header, which may not be its first row.

    Rows above the header that hold one text each, such as a title, are not part of the list. Other rows above
    it may be, and are set aside. So are headings further down, and the rows below them.
    If no row is a header, the list may have been copied without one. This is assumed when the first row
    begins with a number of six digits or more, holds numbers in most of its cells, or shares a cell of some
    column with another row. The first row is then an ordinary row.
    The person's word on the first row (`said`) wins: it is the header, or the list has none.
    """
    if said is False:
        return _without_header(table)
    if said or _headings_in(table.header):
        return _without_headings_below(table)
    for index, row in enumerate(table.rows):
        if holds_headings(row):
            above = table.every_row[: index + 1]
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
            return _without_headings_below(found)
    return _without_header(table) if _is_ordinary_row(table) else _without_headings_below(table)


def guess_layout(table: Table) -> Layout:
    """Guess the layout from the headings and the cells below. A person may know better.

    Ambiguous columns are not used: if two could be the supplier, neither is. Without any heading the
    columns are supplier, item, recipient and action, in this order. A single column is the item.
    """
    if not any(cell.strip() for cell in table.header):
        return _by_order(len(table.header))
    headings = tuple(map(read_heading, table.header))
    layout = Layout(
        kind=LayoutKind.ROWS,
        supplier=_only(headings, HeadingMeaning.SUPPLIER),
        item=_only(headings, HeadingMeaning.ITEM),
        action=_only(headings, HeadingMeaning.ACTION),
    )
    market = _only(headings, HeadingMeaning.MARKET)
    if layout.item is not None and market is not None:
        is_trade_number = headings[layout.item].is_trade_number
        if is_trade_number or _lacks_market(table, layout.item, market):
            layout = replace(layout, market=market)
    layout = _with_recipients(layout, table, headings)
    locations = [column for column, heading in enumerate(headings) if heading.is_location]
    if len(locations) == 1:
        layout = _with_location(layout, locations[0])
    return layout


def doubtful_columns(table: Table, layout: Layout) -> tuple[ColumnDoubt, ...]:
    """Return the filled columns that are not understood, or that could mean two things.

    A column with a known heading is not in doubt, unless it seems to name actions.
    """
    ids = layout.columns - {layout.market, layout.action}
    has_headings = any(cell.strip() for cell in table.header)
    doubts: list[ColumnDoubt] = []
    for column in range(len(table.header)):
        if column not in layout.columns:
            why = _why_unclear(table, layout, column)
            doubts += [ColumnDoubt(column, f"Column {column_name(table, column)} {why}.")] if why else []
        elif column in ids and not has_headings:
            words = (cell for cell in table.filled(column) if not has_digit(cell[1]))
            if word := next(words, None):
                why = f"{column_name(table, column)} has no heading, and is read as ids: {_where(word)}"
                doubts.append(ColumnDoubt(column, f"Column {why}.", is_read=True))
    return tuple(doubts)


def unread_words(table: Table, layout: Layout) -> str:
    """Name the columns that are not read but hold something, even if only a heading; empty for none."""
    unread = (
        column_name(table, column)
        for column, heading in enumerate(table.header)
        if column not in layout.columns and (heading.strip() or next(table.filled(column), None))
    )
    names = list(unread)
    return f"Not read: {'columns' if len(names) > 1 else 'column'} {few(names)}." if names else ""


def _without_header(table: Table) -> Table:
    """Return the table with empty headings and its header as an ordinary first row."""
    return replace(table, header=("",) * len(table.header), rows=table.every_row)


def _is_ordinary_row(table: Table) -> bool:
    """True when the first row looks like the rows below. A repeated header does not count."""
    filled = [cell for cell in table.header if cell.strip()]
    with_digits = sum(any(map(str.isdigit, cell)) for cell in filled)
    if _is_id(table.header[0]) or with_digits > len(filled) / 2:
        return True
    others = [row.cells for row in table.rows if row.cells != table.header]
    return any(
        cell.strip() and any(cells[column] == cell for cells in others)
        for column, cell in enumerate(table.header)
    )


def _without_headings_below(table: Table) -> Table:
    """Set aside headings further down, and the rows that belong to them.

    Below repeated headings the list continues. Below other headings the columns may mean something else.
    """
    own_header = tuple(map(_plain, table.header))
    rows: list[TableRow] = []
    aside: list[Aside] = []
    others = 0
    for row in table.rows:
        if tuple(map(_plain, row.cells)) == own_header:
            aside.append(Aside(row, _REPEATED, may_be_of_list=False))
            others = 0
        elif holds_headings(row):
            aside.append(Aside(row, _OTHER.format(number=table.header_number), may_be_of_list=False))
            others = row.number
        elif others:
            aside.append(Aside(row, _BELOW.format(number=others)))
        else:
            rows.append(row)
    return replace(table, rows=tuple(rows), aside=(*table.aside, *aside)) if aside else table


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
    return len({meaning for word in words if (meaning := _content_of(word)) is not None})


@lru_cache(maxsize=4096)
def _content_of(cell: str) -> str | None:
    """Return the content of a column with this heading, or None when the heading is unknown."""
    heading = read_heading(cell)
    return "location" if heading.is_location else heading.meaning


def _by_order(width: int) -> Layout:
    if width == 1:
        return Layout(kind=LayoutKind.ROWS, item=0)
    return Layout(
        kind=LayoutKind.ROWS,
        supplier=0,
        item=1,
        recipients=(2,) if width in {3, 4} else (),
        action=3 if width == _COLUMNS_WITHOUT_HEADINGS else None,
    )


def _only(headings: Iterable[Heading], meaning: HeadingMeaning) -> int | None:
    """Return the only such column. Columns that name an id are preferred."""
    found = [(column, heading) for column, heading in enumerate(headings) if heading.meaning is meaning]
    exact = [column for column, heading in found if heading.is_exact]
    columns = exact or [column for column, _ in found]
    return columns[0] if len(columns) == 1 else None


def _with_recipients(layout: Layout, table: Table, headings: tuple[Heading, ...]) -> Layout:
    columns = [
        column for column, heading in enumerate(headings) if heading.meaning is HeadingMeaning.RECIPIENT
    ]
    if not columns:
        ticked = tuple(column for column in range(len(headings)) if _is_ticked(table, column))
        return replace(layout, kind=LayoutKind.MATRIX, recipients=ticked) if ticked else layout
    texts = {table.header[column].strip().casefold() for column in columns}
    is_same = len(columns) > 1 and len(texts) == 1
    if is_same or any(headings[column].is_numbered for column in columns):
        return replace(layout, kind=LayoutKind.WIDE, recipients=tuple(columns))
    only = _only(headings, HeadingMeaning.RECIPIENT)
    return layout if only is None else _with_column(layout, table, only, is_plural=headings[only].is_plural)


def _with_column(layout: Layout, table: Table, column: int, *, is_plural: bool) -> Layout:
    """Use one recipient column, together with columns of ids without a heading that follow it."""
    end = column + 1
    while end < len(table.header) and not table.header[end].strip():
        end += 1
    columns = tuple(range(column, end))
    others = [cell for row in table.rows for cell in map(row.cells.__getitem__, columns[1:]) if cell.strip()]
    if others and all(map(looks_like_id, others)):
        return replace(layout, kind=LayoutKind.WIDE, recipients=columns)
    together = _TOGETHER if is_plural else _NUMBERS_TOGETHER
    if any(together.search(row.cells[column]) for row in table.rows):
        return replace(layout, kind=LayoutKind.CELL, recipients=(column,))
    return replace(layout, recipients=(column,))


def _lacks_market(table: Table, item: int, market: int) -> bool:
    """True when an item is a trade item number without its market, and the market column is filled."""
    return any(is_trade_number(row.cells[item]) and row.cells[market].strip() for row in table.rows)


def _with_location(layout: Layout, column: int) -> Layout:
    """Use a plain "GLN" column for the supplier, or for the recipient if the supplier has a column."""
    if layout.supplier is None:
        return replace(layout, supplier=column)
    return layout if layout.recipients else replace(layout, recipients=(column,))


def _is_ticked(table: Table, column: int) -> bool:
    """True when the column holds mostly ticks and its heading may be an id.

    Another word in it does not disqualify the column and all its ticks. Only that word's row is skipped.
    """
    if not has_digit(table.header[column]) or is_known(table.header[column]):
        return False
    cells = [row.cells[column] for row in table.rows]
    ticks = sum(map(is_tick, cells))
    return ticks > 0 and sum(not is_tick_or_empty(cell) for cell in cells) <= ticks


def _why_unclear(table: Table, layout: Layout, column: int) -> str:
    """Return why a person must decide about a column that is not read; empty when it is clear."""
    first = next(table.filled(column), None)
    if first is None:
        return ""
    heading = read_heading(table.header[column])
    if not table.header[column].strip():
        return f"has no heading, and is not read: {_where(first)}"
    if not is_known(table.header[column]) and heading == Heading():
        return f"is not understood, and is not read: {_where(first)}"
    if heading != Heading() and not _is_beside_another(table, layout, column, heading):
        said = "a location number" if heading.meaning is None else _SAYS[heading.meaning]
        return f"may say {said}, and is not read: {_where(first)}"
    actions = (cell for cell in table.filled(column) if _says_what_to_do(cell[1], layout))
    action = next(actions, None)
    return f"seems to say what to do, and is not read: {_where(action)}" if action else ""


def _where(cell: tuple[int, str]) -> str:
    return f"“{cut(cell[1])}” in row {cell[0]}"


def _is_beside_another(table: Table, layout: Layout, column: int, heading: Heading) -> bool:
    """True when another column says it better: "Supplier GLN" beside "Supplier", or ids with the market."""
    if heading.meaning is HeadingMeaning.MARKET and layout.item is not None:
        item = layout.item
        return all(
            row.cells[item].endswith(f":{row.cells[column]}") for row in table.rows if row.cells[column]
        )
    read = {HeadingMeaning.SUPPLIER: layout.supplier, HeadingMeaning.ITEM: layout.item}
    other = next(iter(layout.recipients), None) if heading.meaning not in read else read[heading.meaning]
    if heading.meaning not in _NAMES or heading.is_exact or other is None:
        return False
    better = read_heading(table.header[other])
    return better.meaning is heading.meaning and better.is_exact


def _says_what_to_do(text: str, layout: Layout) -> bool:
    return is_action_word(text) or (layout.action is None and asks_to_remove(text))
