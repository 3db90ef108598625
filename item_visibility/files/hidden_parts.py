"""Removes the hidden rows and columns of a table."""

from dataclasses import replace

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED, Aside, Hidden, Table, TableRow

HIDDEN_SKIPPED = "All of the row is hidden in the file, and what is hidden is skipped."


def without_hidden(table: Table) -> Table:
    """Remove hidden rows and columns. Set the rows aside. Raise FileError when nothing is left."""
    hidden_rows, hidden_columns = frozenset(table.hidden.rows), frozenset(table.hidden.columns)
    every = (TableRow(table.header_number, table.header), *table.rows)
    shown = [_without(row, hidden_columns) for row in every if row.number not in hidden_rows]
    filled = [row for row in shown if any(row.cells)]
    if not filled:
        raise FileError(
            "Only hidden rows and columns of the file hold anything.",
            advice=f"{NOTHING_CHANGED} Show them in the file, or choose another one.",
        )
    left = {row.number for row in filled}
    skipped = [Aside(row, HIDDEN_SKIPPED, may_be_of_list=False) for row in every if row.number not in left]
    return replace(
        table,
        header=filled[0].cells,
        rows=tuple(filled[1:]),
        header_number=filled[0].number,
        aside=(*table.aside, *skipped),
        hidden=Hidden(),
    )


def without_columns(table: Table, columns: frozenset[int]) -> Table:
    """Return the table with these columns emptied. The others stay where they are."""
    return replace(
        table,
        header=_without(TableRow(table.header_number, table.header), columns).cells,
        rows=tuple(_without(row, columns) for row in table.rows),
    )


def _without(row: TableRow, columns: frozenset[int]) -> TableRow:
    if not columns:
        return row
    return TableRow(row.number, tuple("" if at in columns else cell for at, cell in enumerate(row.cells)))
