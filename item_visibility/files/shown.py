"""Removes the hidden parts of a table, and names its columns as a spreadsheet does."""

from collections.abc import Sequence
from dataclasses import replace

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED, Aside, Hidden, Table, TableRow

_SHOWN_CHARACTERS = 40

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


def hidden_words(table: Table) -> str:
    """Describe the hidden rows and columns, as in `rows 3, 5, column D “Action”`."""
    columns = [column_name(table, column) for column in table.hidden.columns]
    parts = (("row", list(map(str, table.hidden.rows))), ("column", columns))
    return ", ".join(f"{noun}{'s' if len(names) > 1 else ''} {few(names)}" for noun, names in parts if names)


def sheet_words(table: Table) -> str:
    """Say which sheet of a workbook was read, and which were not; empty for other files."""
    sheets = table.sheets
    others = [f"“{name}”" for name in sheets.filled if name != sheets.read]
    others += [f"“{name}” (hidden)" for name in sheets.hidden if name != sheets.read]
    read = f"Sheet “{sheets.read}” is read" + (f"; not read: {few(others)}." if others else ".")
    return read if sheets.read else ""


def heading_words(table: Table) -> str:
    """Say which row holds the headings; empty for a list that came from no file."""
    if not any(cell.strip() for cell in table.header):
        return "The list has no headings: every row is a row of it."
    return f"Row {table.header_number} holds the headings." if table.header_number else ""


def mark_words(table: Table) -> tuple[str, ...]:
    """Say which cells are merged, and which rows hold formulas, and how they are read."""
    merged, formulas = few(table.marks.merged), few(list(map(str, table.marks.formulas)))
    words = (
        f"Merged cells {merged}: the text counts for the first of them, the others are empty." * bool(merged),
        f"Formulas in row {formulas}: their stored results are read." * bool(formulas),
    )
    return tuple(filter(None, words))


def title_words(table: Table) -> str:
    """Say which rows above the headings were not read; empty when there are none."""
    rows = [f"row {row.number} “{' '.join(filter(None, row.cells))[:40]}”" for row in table.titles]
    return f"Not read, above the headings: {few(rows)}." if rows else ""


def column_name(table: Table, column: int) -> str:
    """Return the column's letters as in a spreadsheet, with its heading."""
    heading = table.header[column].strip()
    return column_letters(column) + (f" “{cut(heading)}”" if heading else "")


def cut(text: str) -> str:
    """Return the text, cut off if it is long."""
    return f"{text[:_SHOWN_CHARACTERS]}{'…' if len(text) > _SHOWN_CHARACTERS else ''}"


def few(names: Sequence[str], *, shown: int = 10) -> str:
    """Join the first names, and add the count of the others."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more:,} more" if more > 0 else "")


def column_letters(column: int) -> str:
    """Return a spreadsheet's letters for this column, counted from 0."""
    letters = ""
    count = column + 1
    while count:
        count, digit = divmod(count - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters
