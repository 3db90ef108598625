"""Chooses the sheet of a workbook: the named one, or the only visible one that holds something."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from item_visibility.errors import FileError, SheetsError
from item_visibility.files.table import (
    NOTHING_CHANGED,
    Hidden,
    Marks,
    Sheets,
    Table,
    TableRow,
    read_padded_rows,
)
from item_visibility.files.table_in_words import few


@dataclass(slots=True)
class FoundSheet:
    """A sheet of a workbook. `rows` are read lazily. Call `hidden` and `marks` after all of them are read."""

    name: str
    is_hidden: bool
    rows: Iterator[TableRow]
    hidden: Callable[[], Hidden]
    marks: Callable[[], Marks]

    def holds_something(self) -> bool:
        """True when any row is filled. The row read for this check is kept."""
        first = next((row for row in self.rows if any(row.cells)), None)
        if first is None:
            return False
        self.rows = chain([first], self.rows)
        return True


def read_sheet(found: Sequence[FoundSheet], name: str | None) -> Table:
    """Return the table on the sheet of this name, or on the only visible sheet that holds something.

    Nothing is guessed. Raise SheetsError when no filled sheet has the name. Without a name, raise it when
    several visible sheets, or only hidden ones, hold something.
    """
    filled = [one for one in found if one.holds_something()]
    visible = tuple(one.name for one in filled if not one.is_hidden)
    hidden = tuple(one.name for one in filled if one.is_hidden)
    chosen = [one for one in filled if (one.name in visible[:1] if name is None else one.name == name)]
    if name is None and (len(visible) > 1 or (hidden and not visible)):
        raise _to_choose(visible, hidden)
    if len(chosen) != 1 and filled:
        raise SheetsError(
            f"The file has no sheet “{name}” that holds anything. There is: {few(visible + hidden)}.",
            advice=f"{NOTHING_CHANGED} Choose one of them.",
            sheets=visible + hidden,
        )
    if not chosen:
        return read_padded_rows(iter(()))  # raises the error for a file without rows
    sheet = chosen[0]
    table = read_padded_rows(sheet.rows)
    filled_rows = {row.number for row in table.rows} | {table.header_number}
    width = len(table.header)
    at_all = sheet.hidden()
    cells = [table.header, *(row.cells for row in table.rows)]
    return replace(
        table,
        hidden=Hidden(
            rows=tuple(number for number in at_all.rows if number in filled_rows),
            columns=tuple(
                column for column in at_all.columns if column < width and any(row[column] for row in cells)
            ),
        ),
        marks=sheet.marks(),
        sheets=Sheets(read=sheet.name, filled=visible, hidden=hidden),
    )


def _to_choose(visible: tuple[str, ...], hidden: tuple[str, ...]) -> FileError:
    if not visible:
        return SheetsError(
            f"Only hidden sheets of the file hold anything: {few(hidden)}.",
            advice=f"{NOTHING_CHANGED} Choose one of them, or show it in the file.",
            sheets=hidden,
        )
    return SheetsError(
        f"Several sheets of the file hold something: {few(visible)}.",
        advice=f"{NOTHING_CHANGED} Choose the one that is the list, or keep one sheet in the file.",
        sheets=visible + hidden,
    )
