"""The layout of a bulk list: the meaning of each column."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from item_visibility.files.table import Table
from item_visibility.lists.action_words import is_tick, is_tick_or_empty
from item_visibility.lists.heading_row import may_be_recipient, read_heading
from item_visibility.lists.heading_words import Heading, HeadingMeaning
from item_visibility.lists.numbers.trade_numbers import is_trade_number
from item_visibility.saving.bulk import BulkAction

_TOGETHER = re.compile(r"\S\s*[\n,;]\s*\S")
_NUMBERS_TOGETHER = re.compile(r"^\s*[0-9]{6,}(?:[\s,;]+[0-9]{6,})+[\s,;]*$")
_COLUMNS_WITHOUT_HEADINGS = 4


class LayoutKind(StrEnum):
    """The place of an item's recipients in the list. Only ROWS takes every recipient id exactly as it is."""

    ROWS = "one row a recipient"
    WIDE = "recipients in columns"
    """One row for each item. Cells that are empty or hold only spaces name nobody."""
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
    if others and all(map(_looks_like_id, others)):
        return replace(layout, kind=LayoutKind.WIDE, recipients=columns)
    together = _TOGETHER if is_plural else _NUMBERS_TOGETHER
    if any(together.search(row.cells[column]) for row in table.rows):
        return replace(layout, kind=LayoutKind.CELL, recipients=(column,))
    return replace(layout, recipients=(column,))


def _lacks_market(table: Table, item: int, market: int) -> bool:
    """True when an item is a trade item number without its market, and the market column is filled."""
    return any(is_trade_number(row.cells[item]) and row.cells[market].strip() for row in table.rows)


def _looks_like_id(cell: str) -> bool:
    """True for one word with a digit, which is neither a note nor an action."""
    return any(map(str.isdigit, cell)) and len(cell.split()) == 1


def _with_location(layout: Layout, column: int) -> Layout:
    """Use a plain "GLN" column for the supplier, or for the recipient if the supplier has a column."""
    if layout.supplier is None:
        return replace(layout, supplier=column)
    return layout if layout.recipients else replace(layout, recipients=(column,))


def _is_ticked(table: Table, column: int) -> bool:
    """True when the column holds mostly ticks and its heading may be an id.

    Another word in it does not disqualify the column and all its ticks. Only that word's row is skipped.
    """
    if not may_be_recipient(table.header[column]):
        return False
    cells = [row.cells[column] for row in table.rows]
    ticks = sum(map(is_tick, cells))
    return ticks > 0 and sum(not is_tick_or_empty(cell) for cell in cells) <= ticks
