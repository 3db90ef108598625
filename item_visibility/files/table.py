"""What is read from a file: rows of texts under a header, and the limits within which it is read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from item_visibility.errors import FileError

MAX_BYTES = 10 * 1024 * 1024
MAX_ROWS = 200_000
MAX_COLUMNS = 1_000
MAX_CELLS = 10_000_000
"""Of the whole rectangle, with the cells that hold nothing."""
MAX_CELL_CHARACTERS = 32_767
MAX_CHARACTERS = 50_000_000
"""Of all cells together: one long text can stand in every row of a spreadsheet, and takes room there once."""

NOTHING_CHANGED = "Nothing was changed."

FOR_EXCEL = "For reading in Excel only"
"""How a heading begins in a file whose texts were changed so that Excel runs none of them."""


Watch = Callable[[float], None]
"""Is told now and then how far reading is, from 0 to 1. What it raises ends the reading."""


def unwatched(_: float) -> None:
    """Nobody looks how far it is."""


class NotText(str):
    """What a spreadsheet holds as a number, a date, a truth or an error: zeros and digits may be lost."""

    __slots__ = ()


class NoResult(NotText):
    """A formula whose result does not stand in the file: nobody knows what the cell says. It is not blank."""

    __slots__ = ()


NO_RESULT = NoResult("a formula without a stored result")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row, with its number as the person sees it in the spreadsheet."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """A row that holds something, and is not read as one of the list; and why.

    `may_be_of_list` unless it is known to be none: then nothing is missing without it.
    """

    row: TableRow
    reason: str
    may_be_of_list: bool = True


@dataclass(frozen=True, slots=True)
class Hidden:
    """The numbers of rows and the places of columns that hold something, and that are not shown."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """True when anything is hidden."""
        return bool(self.rows or self.columns)


@dataclass(frozen=True, slots=True)
class Sheets:
    """Which sheet of a workbook was read; which visible ones hold something, and which hidden ones."""

    read: str = ""
    filled: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The header and the rows below, each with as many cells; every text is exactly as it stands.

    `titles` are rows above the header that are none of the list, such as its title; rows `aside` may be.
    While something is `hidden`, nobody has said yet whether it belongs to the list.
    """

    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    header_number: int = 1
    titles: tuple[TableRow, ...] = ()
    aside: tuple[Aside, ...] = ()
    hidden: Hidden = Hidden()
    sheets: Sheets = field(default=Sheets(), compare=False)


def read_rows(rows: Iterator[TableRow]) -> Table:
    """The table of these rows: the first that is not blank is its header. FileError beyond the limits.

    FileError, too, where a row has more or fewer cells than the header: all of them may be shifted.
    """
    header, filled = _divided(rows)
    read: list[TableRow] = []
    for row in filled:
        if len(row.cells) != len(header.cells):
            raise FileError(
                f"Row {row.number} has {len(row.cells)} cells, but the first row has {len(header.cells)}.",
                advice=f"{NOTHING_CHANGED} Put the row right in the file.",
            )
        read.append(row)
    return Table(header.cells, tuple(read), header_number=header.number)


def read_placed_rows(rows: Iterator[TableRow]) -> Table:
    """As read_rows, of rows that leave out cells at their end: each cell has a place of its own."""
    header, filled = _divided(rows)
    read = list(filled)
    width = max(len(row.cells) for row in (header, *read))
    if width * len(read) > MAX_CELLS:
        raise too_large()
    return Table(
        _padded(header, width).cells,
        tuple(_padded(row, width) for row in read),
        header_number=header.number,
    )


def too_wide(row: int) -> FileError:
    """The error of a row that goes too far to the right."""
    return FileError(
        f"Row {row} has more than {MAX_COLUMNS:,} columns.",
        advice=f"{NOTHING_CHANGED} Choose a file with fewer columns.",
    )


def too_large() -> FileError:
    """The error of a table beyond the limits as a whole."""
    return FileError(
        f"The file holds more than {MAX_ROWS:,} rows, or too much text, or too many columns.",
        advice=f"{NOTHING_CHANGED} Divide it into several files.",
    )


def too_long(row: int | None = None) -> FileError:
    """The error of a text that is too long for a cell; the row is None where it is not known."""
    where = "A cell" if row is None else f"Row {row}"
    return FileError(
        f"{where} holds a text of more than {MAX_CELL_CHARACTERS:,} characters.",
        advice=f"{NOTHING_CHANGED} Shorten it in the file.",
    )


def _divided(rows: Iterator[TableRow]) -> tuple[TableRow, Iterator[TableRow]]:
    """The header, and the rows below that are not blank, within the limits."""
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
