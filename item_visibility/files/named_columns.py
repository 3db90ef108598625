"""Picks columns of a file by name, for company names, item names and recipient sets."""

from collections.abc import Iterator, Sequence

from item_visibility.errors import FileError
from item_visibility.files.table import NOTHING_CHANGED, NotText, Table, TableRow
from item_visibility.files.table_in_words import hidden_words


def pick(table: Table, names: Sequence[str], *, ids: Sequence[str]) -> Iterator[TableRow]:
    """Yield the rows with these columns, in this order. A column that the file does not have is empty.

    The columns of `ids` must exist, hold texts, and be filled in every row. Raise FileError otherwise, and
    when a row or column is hidden.
    """
    if table.hidden:
        raise FileError(
            f"The file hides {hidden_words(table)}.",
            advice=f"{NOTHING_CHANGED} Show them in the file, or delete them there.",
        )
    columns = _columns(table)
    if missing := [name for name in ids if name.casefold() not in columns]:
        raise FileError(
            f"The first row of the file names no column {missing[0]!r}.",
            advice=f"{NOTHING_CHANGED} The columns are: {', '.join(names)}.",
        )
    wanted = [columns.get(name.casefold()) for name in names]
    for row in table.rows:
        cells = tuple("" if column is None else row.cells[column] for column in wanted)
        for cell, name in zip(cells, names, strict=True):
            if name in ids:
                _check_id(cell, name=name, row=row.number)
        yield TableRow(row.number, cells)


def _columns(table: Table) -> dict[str, int]:
    columns: dict[str, int] = {}
    for column, name in enumerate(map(str.strip, table.header)):
        if name and columns.setdefault(name.casefold(), column) != column:
            raise FileError(
                f"Two columns of the file are called {name!r}.", advice=f"{NOTHING_CHANGED} Keep one of them."
            )
    return columns


def _check_id(cell: str, *, name: str, row: int) -> None:
    if isinstance(cell, NotText):
        raise FileError(
            f"Row {row}: {name} is a number, not a text. Spreadsheets drop zeros and digits of numbers.",
            advice=f"{NOTHING_CHANGED} Format the column as text, enter it again, and save the file.",
        )
    if not cell:
        raise FileError(
            f"Row {row}: {name} is empty.", advice=f"{NOTHING_CHANGED} Fill it in, or delete the row."
        )
