"""Columns of a list that are not read, or may be read wrongly.

The person is told about them before anything is done. Every filled cell is either read with a known meaning,
or belongs to a column or row that is named here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from item_visibility.files.table import Table, Watch, unwatched
from item_visibility.files.table_in_words import column_name, cut
from item_visibility.lists.action_words import asks_to_take_away, is_action_word
from item_visibility.lists.heading_row import is_known, read_heading
from item_visibility.lists.heading_words import Heading, HeadingMeaning
from item_visibility.lists.layout import Layout

_SAYS = {
    HeadingMeaning.SUPPLIER: "the supplier",
    HeadingMeaning.ITEM: "the item",
    HeadingMeaning.MARKET: "the market",
    HeadingMeaning.RECIPIENT: "the recipient",
    HeadingMeaning.ACTION: "what to do",
}


@dataclass(frozen=True, slots=True)
class ColumnDoubt:
    """A column that a person must decide about, and why. `is_read` when its cells are taken for ids."""

    column: int
    message: str
    is_read: bool = False


def doubtful_columns(table: Table, layout: Layout, *, watch: Watch = unwatched) -> tuple[ColumnDoubt, ...]:
    """Return the filled columns that are not understood, or that could mean two things.

    A column with a known heading is not in doubt, unless it seems to name actions.
    """
    ids = layout.columns - {layout.market, layout.action}
    doubts: list[ColumnDoubt] = []
    has_headings = any(cell.strip() for cell in table.header)
    for column in range(len(table.header)):
        watch(column / len(table.header))
        if column not in layout.columns:
            doubts.extend(_unread(table, layout, column))
        elif column in ids and not has_headings:
            doubts.extend(_read_by_order(table, column))
    return tuple(doubts)


def unused_columns(table: Table, layout: Layout) -> Iterator[str]:
    """Yield a message for each filled column that is not read: which one, and why."""
    for column in range(len(table.header)):
        if column in layout.columns or next(_held(table, column), None) is None:
            continue
        doubt = next(_unread(table, layout, column), None)
        if doubt is not None:
            yield doubt.message
            continue
        meaning = read_heading(table.header[column]).meaning
        why = "it names no supplier, item, market or recipient"
        if meaning is HeadingMeaning.MARKET:
            why = "the items name their market themselves"
        elif meaning is not None:
            why = f"another column says {_SAYS[meaning]}"
        yield f"Column {column_name(table, column)} is not read: {why}."


def unread_columns(table: Table, layout: Layout) -> tuple[int, ...]:
    """Return the columns that are not read but hold something, even if only a heading."""
    every = range(len(table.header))
    return tuple(column for column in every if column not in layout.columns and _texts(table, column))


def _unread(table: Table, layout: Layout, column: int) -> Iterator[ColumnDoubt]:
    held = next(_held(table, column), None)
    if held is None:
        return
    number, text = held
    where = f"“{cut(text)}” in row {number}"
    name = f"Column {column_name(table, column)}"
    heading = read_heading(table.header[column])
    if not table.header[column].strip():
        yield ColumnDoubt(column, f"{name} has no heading, and is not read: {where}.")
    elif not is_known(table.header[column]) and heading == Heading():
        yield ColumnDoubt(column, f"{name} is not understood, and is not read: {where}.")
    elif heading != Heading() and not _is_beside_another(table, layout, column, heading):
        said = "a location number" if heading.meaning is None else _SAYS[heading.meaning]
        yield ColumnDoubt(column, f"{name} may say {said}, and is not read: {where}.")
    else:
        action = next((one for one in _held(table, column) if _says_what_to_do(one[1], layout)), None)
        if action is not None:
            where = f"“{cut(action[1])}” in row {action[0]}"
            yield ColumnDoubt(column, f"{name} seems to say what to do, and is not read: {where}.")


def _is_beside_another(table: Table, layout: Layout, column: int, heading: Heading) -> bool:
    """True when another column says it better: "Supplier GLN" beside "Supplier", or ids with the market."""
    if heading.meaning is HeadingMeaning.MARKET and layout.item is not None:
        item = layout.item
        return all(
            row.cells[item].endswith(f":{row.cells[column]}") for row in table.rows if row.cells[column]
        )
    read = {HeadingMeaning.SUPPLIER: layout.supplier, HeadingMeaning.ITEM: layout.item}
    others = [read.get(heading.meaning)] if heading.meaning in read else list(layout.recipients[:1])
    return (
        heading.meaning in {HeadingMeaning.SUPPLIER, HeadingMeaning.ITEM, HeadingMeaning.RECIPIENT}
        and not heading.is_exact
        and any(
            other is not None
            and (better := read_heading(table.header[other])).meaning is heading.meaning
            and better.is_exact
            for other in others
        )
    )


def _read_by_order(table: Table, column: int) -> Iterator[ColumnDoubt]:
    """Yield one doubt if a column without a heading, read as ids by its order alone, holds a word."""
    for number, text in _held(table, column):
        if not any(map(str.isdigit, text)):
            name = f"Column {column_name(table, column)}"
            where = f"“{cut(text)}” in row {number}"
            yield ColumnDoubt(column, f"{name} has no heading, and is read as ids: {where}.", is_read=True)
            return


def _says_what_to_do(text: str, layout: Layout) -> bool:
    return is_action_word(text) or (layout.action is None and asks_to_take_away(text))


def _held(table: Table, column: int) -> Iterator[tuple[int, str]]:
    """Yield the filled cells of the column below the header, each with its row number."""
    for row in table.rows:
        if row.cells[column].strip():
            yield row.number, row.cells[column]


def _texts(table: Table, column: int) -> bool:
    return bool(table.header[column].strip()) or next(_held(table, column), None) is not None
