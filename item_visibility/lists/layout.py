"""The layout of a list: its header, the meaning of each column, and the columns to decide about."""

import re
from dataclasses import dataclass, replace

from item_visibility.lists.numbers import has_digit
from item_visibility.lists.table import Aside, Table, TableRow, column_name, cut, few, unchanged
from item_visibility.lists.words import HeadingMeaning, asks_to_remove, is_known, read_heading
from item_visibility.saving.bulk import BulkAction

_HEADINGS_OF_A_HEADER = 2
_COLUMNS = 4
_LONG_NUMBER = re.compile("[0-9]{6}")
_DIGITS_OF_NO_WORD = 4
_REPEATED = "The row repeats the headings."


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns, counted from 0. None when the table has no such column."""

    supplier: int | None = None
    item: int | None = None
    recipient: int | None = None
    action: int | None = None

    @property
    def columns(self) -> frozenset[int]:
        """The columns that are read."""
        return frozenset(column for column in self._by_meaning().values() if column is not None)

    def column(self, meaning: HeadingMeaning) -> int | None:
        """Return the column with this meaning."""
        return self._by_meaning().get(meaning)

    def _by_meaning(self) -> dict[HeadingMeaning, int | None]:
        return {
            HeadingMeaning.SUPPLIER: self.supplier,
            HeadingMeaning.ITEM: self.item,
            HeadingMeaning.RECIPIENT: self.recipient,
            HeadingMeaning.ACTION: self.action,
        }


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
    """A column that is not read and that a person must decide about, and why."""

    column: int
    message: str


def holds_headings(row: TableRow) -> bool:
    """True when the row holds the headings of several columns of a list."""
    return _headings_in(row.cells) >= _HEADINGS_OF_A_HEADER


def has_headings(table: Table) -> bool:
    """True when the table has a header that is not empty."""
    return any(cell.strip() for cell in table.header)


def with_header_found(table: Table, *, said: bool | None = None) -> Table:
    """Return the table under its real header, which may not be its first row.

    Rows above it with one text each, such as a title, are not part of the list. If no row is a header and
    the first one holds a digit, the list has none. The user's word on the first row (`said`) wins.

    Raise FileError when rows of the list may be above the headings, or below other headings.
    """
    if said is False:
        return _without_header(table)
    if said is None and not _headings_in(table.header):
        index = next((at for at, row in enumerate(table.rows) if holds_headings(row)), None)
        if index is not None:
            table = _under_header(table, index)
        elif any(map(has_digit, table.header)):
            return _without_header(table)
    return _without_repeated_header(table)


def guess_layout(table: Table) -> Layout:
    """Guess the layout from the headings. A person may know better.

    Ambiguous columns are not used: if two could be the supplier, neither is. Without any heading the
    columns are supplier, item, recipient and action, in this order. A single column is the item.
    """
    if not has_headings(table):
        return _by_order(len(table.header))
    meanings = [read_heading(heading) for heading in table.header]

    def only(meaning: HeadingMeaning) -> int | None:
        return meanings.index(meaning) if meanings.count(meaning) == 1 else None

    return Layout(
        supplier=only(HeadingMeaning.SUPPLIER),
        item=only(HeadingMeaning.ITEM),
        recipient=only(HeadingMeaning.RECIPIENT),
        action=only(HeadingMeaning.ACTION),
    )


def doubtful_columns(table: Table, layout: Layout) -> tuple[ColumnDoubt, ...]:
    """Return the filled columns that are not read although they may matter."""
    doubts: list[ColumnDoubt] = []
    for column in range(len(table.header)):
        first = next(table.filled(column), None)
        if column in layout.columns or first is None:
            continue
        why = _why_unclear(table, layout, column)
        if not why and layout.action is None:
            first = next((cell for cell in table.filled(column) if asks_to_remove(cell[1])), None)
            why = "seems to say what to do" if first else ""
        if why and first:
            cell = f"“{cut(first[1])}” in row {first[0]}"
            message = f"Column {column_name(table, column)} {why}, and is not read: {cell}."
            doubts.append(ColumnDoubt(column, message))
    return tuple(doubts)


def unread_words(table: Table, layout: Layout) -> str:
    """Name the columns that are not read but hold something, even if only a heading; empty for none."""
    names = [
        column_name(table, column)
        for column, heading in enumerate(table.header)
        if column not in layout.columns and (heading.strip() or next(table.filled(column), None))
    ]
    return f"Not read: {'columns' if len(names) > 1 else 'column'} {few(names)}." if names else ""


def _without_header(table: Table) -> Table:
    """Return the table with empty headings and its header as an ordinary first row."""
    return replace(table, header=("",) * len(table.header), rows=table.every_row)


def _under_header(table: Table, index: int) -> Table:
    """Return the table with this row as its header, and the rows above it as titles."""
    header, above = table.rows[index], table.every_row[: index + 1]
    for row in above:
        filled = [cell for cell in row.cells if cell.strip()]
        if len(filled) > 1 or any(map(_LONG_NUMBER.search, filled)):
            raise unchanged(
                f"Row {row.number} is above the headings in row {header.number}, and may be one of the list.",
                "Put the headings into the first row of the file.",
            )
    rows = table.rows[index + 1 :]
    return replace(table, header=header.cells, rows=rows, header_number=header.number, titles=above)


def _without_repeated_header(table: Table) -> Table:
    """Set aside rows that repeat the headings. Raise FileError for other headings below."""
    own_header = tuple(map(_plain, table.header))
    rows: list[TableRow] = []
    aside: list[Aside] = []
    for row in table.rows:
        if tuple(map(_plain, row.cells)) == own_header:
            aside.append(Aside(row, _REPEATED))
        elif holds_headings(row):
            raise unchanged(
                f"Row {row.number} holds other headings than row {table.header_number}.",
                "Divide the file into one for each list.",
            )
        else:
            rows.append(row)
    return replace(table, rows=tuple(rows), aside=(*table.aside, *aside)) if aside else table


def _plain(cell: str) -> str:
    return cell.strip().casefold()


def _headings_in(cells: tuple[str, ...]) -> int:
    """Count the distinct meanings of list columns among the cells."""
    words = (cell for cell in cells if cell and not cell[:_DIGITS_OF_NO_WORD].isdigit())
    return len({meaning for word in words if (meaning := read_heading(word)) is not None})


def _by_order(width: int) -> Layout:
    if width == 1:
        return Layout(item=0)
    if width > _COLUMNS:
        return Layout()
    columns = (*range(width), None, None)
    return Layout(supplier=columns[0], item=columns[1], recipient=columns[2], action=columns[3])


def _why_unclear(table: Table, layout: Layout, column: int) -> str:
    """Return why a person must decide about a filled column that is not read; empty when it is clear."""
    heading = table.header[column]
    meaning = read_heading(heading)
    if not heading.strip():
        return "has no heading"
    if meaning is None:
        return "" if is_known(heading) or is_known(heading.partition("(")[0]) else "is not understood"
    if meaning is HeadingMeaning.MARKET:
        return "" if _is_in_items(table, layout, column) else "says the market, which belongs to the item id"
    return f"may say the {meaning}" if layout.column(meaning) is None else ""


def _is_in_items(table: Table, layout: Layout, market: int) -> bool:
    """True when each item id ends with the market beside it."""
    item = layout.item
    return item is not None and all(
        row.cells[item].endswith(f":{row.cells[market]}") for row in table.rows if row.cells[market]
    )
