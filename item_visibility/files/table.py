"""A table read from a file: rows of texts under a header."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from item_visibility.errors import FileError

MAX_MEGABYTES = 10
MAX_BYTES = MAX_MEGABYTES * 1024 * 1024
MAX_ROWS = 200_000
MAX_COLUMNS = 1_000
MAX_CELLS = 10_000_000
"""The limit for the whole rectangle, including empty cells."""
MAX_CELL_CHARACTERS = 32_767
MAX_CHARACTERS = 50_000_000
"""The limit for all cells together. A spreadsheet can store a long text once and use it in every row."""

NOTHING_CHANGED = "Nothing was changed."

FOR_EXCEL = "For reading in Excel only"
"""The start of a heading in files whose texts were changed so that Excel runs none of them."""

HIDDEN_SKIPPED = "All of the row is hidden in the file, and what is hidden is skipped."


Watch = Callable[[float], None]
"""A callback for the progress of reading, from 0 to 1. An exception from it ends the reading."""


def unwatched(_: float) -> None:
    """Ignore the progress."""


class NotText(str):
    """A cell held as a number, a date, a boolean or an error. Zeros and digits may be lost."""

    __slots__ = ()


class NoResult(NotText):
    """A formula whose result is not stored in the file. Its value is unknown, but the cell is not empty."""

    __slots__ = ()


NO_RESULT = NoResult("a formula without a stored result")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row, with its number as the person sees it in the spreadsheet."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """A filled row that is not read as part of the list, with the reason.

    `may_be_of_list` is False when it is known not to belong to the list. Nothing is missing without it then.
    """

    row: TableRow
    reason: str
    may_be_of_list: bool = True


@dataclass(frozen=True, slots=True)
class Hidden:
    """The numbers of filled rows, and the filled columns, that are hidden."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """True when anything is hidden."""
        return bool(self.rows or self.columns)


@dataclass(frozen=True, slots=True)
class Marks:
    """Joined cells of a sheet, as it names them, and the rows with formulas; of many, the first ones."""

    merged: tuple[str, ...] = ()
    formulas: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheets:
    """The sheet of a workbook that was read, and the visible and hidden sheets that hold something."""

    read: str = ""
    filled: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The header and the rows below, all with the same number of cells. Every text is unchanged.

    `titles` are rows above the header that are not part of the list, such as its title. Rows `aside` may be.
    While something is `hidden`, nobody has decided yet whether it belongs to the list.
    """

    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    header_number: int = 1
    titles: tuple[TableRow, ...] = ()
    aside: tuple[Aside, ...] = ()
    hidden: Hidden = Hidden()
    sheets: Sheets = field(default=Sheets(), compare=False)
    marks: Marks = field(default=Marks(), compare=False)


def read_rows(rows: Iterator[TableRow]) -> Table:
    """Return the table of these rows. The first row that is not empty is its header.

    Raise FileError beyond the limits. Raise it too if a row has more or fewer cells than the header, because
    all its cells may be shifted.
    """
    header, filled = _divided(rows)
    read: list[TableRow] = []
    for row in filled:
        if len(row.cells) != len(header.cells):
            raise FileError(
                f"Row {row.number} has {len(row.cells)} cells, but the first row has {len(header.cells)}.",
                advice=f"{NOTHING_CHANGED} Correct the row in the file.",
            )
        read.append(row)
    return Table(header.cells, tuple(read), header_number=header.number)


def read_padded_rows(rows: Iterator[TableRow]) -> Table:
    """Return the table like `read_rows`, but pad short rows: here the column of each cell is certain."""
    header, filled = _divided(rows)
    read = list(filled)
    width = max(len(row.cells) for row in (header, *read))
    if width * len(read) > MAX_CELLS:
        raise too_large()
    return Table(
        _padded(header, width).cells, tuple(_padded(row, width) for row in read), header_number=header.number
    )


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


def too_wide(row: int) -> FileError:
    """Return the error for a row with too many columns."""
    return FileError(
        f"Row {row} has more than {MAX_COLUMNS:,} columns.",
        advice=f"{NOTHING_CHANGED} Choose a file with fewer columns.",
    )


def too_large() -> FileError:
    """Return the error for a table that exceeds the limits as a whole."""
    return FileError(
        f"The file holds more than {MAX_ROWS:,} rows, or too much text, or too many columns.",
        advice=f"{NOTHING_CHANGED} Divide it into several files.",
    )


def too_long(row: int | None = None) -> FileError:
    """Return the error for a text that is too long for a cell. The row is None when it is unknown."""
    where = "A cell" if row is None else f"Row {row}"
    return FileError(
        f"{where} holds a text of more than {MAX_CELL_CHARACTERS:,} characters.",
        advice=f"{NOTHING_CHANGED} Shorten it in the file.",
    )


def _divided(rows: Iterator[TableRow]) -> tuple[TableRow, Iterator[TableRow]]:
    """Return the header, and the rows below that are not empty, within the limits."""
    filled = (row for row in rows if any(row.cells))
    header = next(filled, None)
    if header is None:
        raise FileError("The file holds no rows.", advice=f"{NOTHING_CHANGED} Choose another file.")
    if is_for_excel(header.cells):
        raise FileError(
            "The file was exported for reading in Excel: its texts are not exactly the ids.",
            advice=f"{NOTHING_CHANGED} Export it again as XLSX, or as CSV for programs.",
        )
    _check_texts(header)
    return header, _limited(filled)


def _limited(rows: Iterator[TableRow]) -> Iterator[TableRow]:
    characters = cells = 0
    for count, row in enumerate(rows, start=1):
        characters += sum(map(len, row.cells))
        cells += len(row.cells)
        if count > MAX_ROWS or characters > MAX_CHARACTERS or cells > MAX_CELLS:
            raise too_large()
        _check_texts(row)
        yield row


def _check_texts(row: TableRow) -> None:
    if max(map(len, row.cells)) > MAX_CELL_CHARACTERS:
        raise too_long(row.number)
    if len(row.cells) > MAX_COLUMNS:
        raise too_wide(row.number)


def _padded(row: TableRow, width: int) -> TableRow:
    missing = width - len(row.cells)
    return TableRow(row.number, row.cells + ("",) * missing) if missing else row


def is_for_excel(header: Sequence[str]) -> bool:
    """True when the header says that the file is for reading in Excel only."""
    return any(cell.lstrip("'").startswith(FOR_EXCEL) for cell in header)


def _without(row: TableRow, columns: frozenset[int]) -> TableRow:
    if not columns:
        return row
    return TableRow(row.number, tuple("" if at in columns else cell for at, cell in enumerate(row.cells)))
