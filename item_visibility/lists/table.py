"""A table that was read from a file, its limits, and the sentences about it for users."""  # noqa: E501

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, islice

from xlsxwriter.utility import xl_col_to_name  # type: ignore[import-untyped]  # it has no types

from item_visibility.errors import FileError

MAX_MEGABYTES = 10
MAX_ROWS = 200_000
MAX_COLUMNS = 1_000
MAX_CELLS = 10_000_000
"""The most cells of a table, including empty cells."""
MAX_CELL_CHARACTERS = 32_767
MAX_CHARACTERS = 50_000_000
"""The most characters of a table.

A small file can exceed this by using one long text in every row.
"""

NOTHING_CHANGED = "Nothing was changed."

_SHOWN_CHARACTERS = 40
_NAMES_SHOWN = 10


def unchanged(message: str, advice: str) -> FileError:
    """Return an error whose advice begins with "Nothing was changed."."""
    return FileError(message, advice=f"{NOTHING_CHANGED} {advice}")


def too_large(what: str = "The file") -> FileError:
    """Return the error for a file or a row that exceeds one of the limits."""
    return unchanged(
        f"{what} is too large. The limits are {MAX_ROWS:,} rows, {MAX_COLUMNS:,} "
        f"columns, {MAX_CELLS:,} "
        f"cells, {MAX_CELL_CHARACTERS:,} characters in a cell, and "
        f"{MAX_CHARACTERS:,} characters in all.",
        "Divide the file into several files, or shorten its texts.",
    )


class NotText(str):
    """The content of a cell that is a number, date, boolean, error or formula without a result."""  # noqa: E501

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row and its row number in the spreadsheet."""

    number: int
    cells: tuple[str, ...]


class HiddenCells(StrEnum):
    """The user's choice about rows and columns that are hidden in the spreadsheet."""

    USE = "use"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Table:
    """The header and the rows below, all with the same number of cells.

    Every text is unchanged.

    `hidden_rows` are the numbers of hidden rows with content, and `hidden_columns` the
    indexes of hidden columns with content. `skipped` are the hidden rows that the user
    chose to skip. `notes` are sentences about the parts of the file that were read or
    left out.
    """

    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    header_number: int = 1
    hidden_rows: tuple[int, ...] = ()
    hidden_columns: tuple[int, ...] = ()
    skipped: tuple[TableRow, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def every_row(self) -> tuple[TableRow, ...]:
        """The header and the other rows."""
        return (TableRow(self.header_number, self.header), *self.rows)

    def without_columns(self, columns: frozenset[int]) -> "Table":
        """Return the table with empty cells in these columns."""
        if not columns:
            return self
        header, *rows = (
            TableRow(
                row.number,
                tuple(
                    "" if at in columns else cell for at, cell in enumerate(row.cells)
                ),
            )
            for row in self.every_row
        )
        return replace(self, header=header.cells, rows=tuple(rows))

    def filled(self, column: int) -> Iterator[tuple[int, str]]:
        """Yield the row number and the text of each filled cell of the column, without its heading."""  # noqa: E501
        for row in self.rows:
            if row.cells[column].strip():
                yield row.number, row.cells[column]


def read_rows(rows: Iterator[TableRow], *, is_padded: bool = False) -> Table:
    """Return a table of these rows. The first row that is not empty becomes its header.

    Raises FileError if the table is too large, or if a row has more or fewer cells than
    the header, because its cells may be in the wrong columns. With `is_padded`, empty
    cells are added to short rows instead.
    """
    read: list[TableRow] = []
    characters = width = 0
    for row in rows:
        if not any(row.cells):
            continue
        read.append(row)
        width = max(width, len(row.cells))
        characters += sum(map(len, row.cells))
        if (
            len(row.cells) > MAX_COLUMNS
            or max(map(len, row.cells)) > MAX_CELL_CHARACTERS
        ):
            raise too_large(f"Row {row.number}")
        if (
            len(read) > MAX_ROWS + 1
            or characters > MAX_CHARACTERS
            or width * len(read) > MAX_CELLS
        ):
            raise too_large()
        if len(row.cells) != len(read[0].cells) and not is_padded:
            raise unchanged(
                f"Row {row.number} has {len(row.cells)} cells, but the first row has "
                f"{len(read[0].cells)}.",
                "Correct the row in the file.",
            )
    if not read:
        raise unchanged("The file holds no rows.", "Choose another file.")
    if is_padded:
        read = [
            TableRow(row.number, row.cells + ("",) * (width - len(row.cells)))
            for row in read
        ]
    return Table(read[0].cells, tuple(read[1:]), header_number=read[0].number)


def without_hidden(table: Table) -> Table:
    """Skip hidden rows and empty hidden columns.

    Raises FileError when nothing is left.
    """
    hidden = frozenset(table.hidden_rows)
    rows = table.without_columns(frozenset(table.hidden_columns)).every_row
    shown = [row for row in rows if any(row.cells) and row.number not in hidden]
    if not shown:
        raise unchanged(
            "All filled rows and columns of the file are hidden.",
            "Unhide them in the file, or choose another file.",
        )
    left = {row.number for row in shown}
    skipped = tuple(row for row in table.every_row if row.number not in left)
    numbers = few([str(row.number) for row in skipped])
    return Table(
        shown[0].cells,
        tuple(shown[1:]),
        header_number=shown[0].number,
        skipped=skipped,
        notes=(*table.notes, f"Hidden rows, skipped as requested: {numbers}.")
        if skipped
        else table.notes,
    )


def pick(
    table: Table, names: Sequence[str], *, ids: Sequence[str]
) -> Iterator[TableRow]:
    """Yield the rows with only the columns called `names`, in this order.

    A missing column is empty.

    Raises FileError if two columns have the same name, or if the table has hidden rows
    or columns. Also raises it if a column of `ids` is missing, or contains an empty
    cell or a number.
    """
    if words := hidden_words(table):
        raise unchanged(
            f"The file hides {words}.", "Unhide or delete them in the file."
        )
    headings = [heading.strip().casefold() for heading in table.header]
    columns = [
        [at for at, one in enumerate(headings) if one == name.casefold()]
        for name in names
    ]
    for name, found in zip(names, columns, strict=True):
        if len(found) > 1 or (not found and name in ids):
            raise unchanged(
                f"The file must have one column called {name!r}, but has {len(found)}.",
                "The headings are in the first row. The columns are: "
                f"{', '.join(names)}.",
            )
    for row in table.rows:
        cells = tuple(row.cells[found[0]] if found else "" for found in columns)
        for name, cell in zip(names, cells, strict=True):
            if name in ids and (not cell or isinstance(cell, NotText)):
                raise unchanged(
                    f"Row {row.number}: {name} is empty, or a number that may have "
                    "lost zeros or digits.",
                    "Format the column as text, enter the id again, and save the file.",
                )
        yield TableRow(row.number, cells)


def hidden_words(table: Table) -> str:
    """Return the hidden rows and columns, such as `rows 3, 5, column D “Action”`; empty if there are none."""  # noqa: E501
    columns = [column_name(table, column) for column in table.hidden_columns]
    parts = (("row", list(map(str, table.hidden_rows))), ("column", columns))
    return ", ".join(
        f"{noun}{'s' if len(names) > 1 else ''} {few(names)}"
        for noun, names in parts
        if names
    )


def heading_words(table: Table) -> str:
    """Return a sentence about the row with the headings.

    Empty for a list of ticked items.
    """
    if not any(cell.strip() for cell in table.header):
        return "The list has no headings: every row is data."
    return (
        f"Row {table.header_number} holds the headings." if table.header_number else ""
    )


def cells_with_accents(table: Table) -> str:
    """Return three cells with accents or umlauts, which look wrong if the encoding is wrong."""  # noqa: E501
    cells = chain.from_iterable(row.cells for row in table.every_row)
    return ", ".join(
        islice((f"“{cut(cell)}”" for cell in cells if not cell.isascii()), 3)
    )


def column_name(table: Table, column: int) -> str:
    """Return the letters of the column and its heading, such as `D “Action”`."""
    heading = table.header[column].strip()
    return column_letters(column) + (f" “{cut(heading)}”" if heading else "")


def column_letters(column: int) -> str:
    """Return the letters of a column, such as `D` for 3."""
    return str(xl_col_to_name(column))


def cut(text: str) -> str:
    """Shorten a long text."""
    return f"{text[:_SHOWN_CHARACTERS]}{'…' if len(text) > _SHOWN_CHARACTERS else ''}"


def few(names: Sequence[str]) -> str:
    """Join the first ten names, and add the number of the others."""
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
