"""A table in words: what was read of it and what was not, with the columns named as in a spreadsheet."""

from collections.abc import Sequence
from itertools import chain, islice

from item_visibility.files.table import Table

_SHOWN_CHARACTERS = 40


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


def letter_words(table: Table) -> str:
    """Ask whether a text read as cp1252 was one, with a few of the cells that would show it."""
    cells = chain(table.header, chain.from_iterable(row.cells for row in table.rows))
    odd = islice((f"“{cut(cell)}”" for cell in cells if not cell.isascii()), 3)
    return f"Read as Windows text. Do the umlauts look right? {', '.join(odd)}"


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
