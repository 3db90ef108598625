"""Items against recipients or sets: a cell for each pair, in a word, and how old it is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from item_visibility.records.scans.seen_items import SeenItem

MOST_ITEMS, MOST_COLUMNS = 200, 50
"""The largest part that is drawn at once: a browser draws 10,000 cells without a wait."""
MOST_CELLS_OF_A_FILE = 1_000_000
FAILED_SINCE = "could not be read since"
"""Stands after the time of the last read of an item that was asked for again in vain."""


class CellState(StrEnum):
    """The state of an item and a recipient or set. Not known is not "no"."""

    CAN = "can see"
    CANNOT = "cannot see"
    PARTLY = "partly"
    """Some recipients of the set can see the item, and some cannot."""
    NOT_KNOWN = "not known"
    """The item was not read yet, or the last change of a recipient has an unknown outcome."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The state of a pair, and its words: `can see`, `3 of 5 can see`, `not read yet`."""

    state: CellState
    words: str


_CAN, _CANNOT = Cell(CellState.CAN, CellState.CAN.value), Cell(CellState.CANNOT, CellState.CANNOT.value)
_NOT_READ = Cell(CellState.NOT_KNOWN, "not read yet")
_FAILED = Cell(CellState.NOT_KNOWN, "could not be read")
_IN_DOUBT = Cell(CellState.NOT_KNOWN, "in doubt since a save")
_NO_MEMBERS = Cell(CellState.CANNOT, "the set is empty")


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """A recipient with its id and name, or a set with its members; a set's name is its id."""

    id: str
    name: str
    members: frozenset[str]
    is_set: bool = False

    @property
    def title(self) -> str:
        """The name, or the id of one without a name."""
        return self.name or self.id

    @property
    def heading(self) -> str:
        """The title, and the id of a recipient that has a name, too."""
        return self.title if self.is_set or not self.name else f"{self.name} ({self.id})"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The items in rows, and the recipients or sets in columns.

    `known_items` counts the supplier's items without the filter. When the columns are the most frequent
    recipients, `seen_recipients` counts all that were seen on them. Times are those of the items' last reads.
    """

    items: tuple[SeenItem, ...]
    columns: tuple[MatrixColumn, ...]
    known_items: int
    seen_recipients: int

    @property
    def item_pages(self) -> int:
        """The number of parts with up to MOST_ITEMS items; at least 1."""
        return _pages(len(self.items), MOST_ITEMS)

    @property
    def column_pages(self) -> int:
        """The number of parts with up to MOST_COLUMNS columns; at least 1."""
        return _pages(len(self.columns), MOST_COLUMNS)

    @property
    def unread(self) -> int:
        """The number of items that were never read."""
        return sum(item.seen_at is None for item in self.items)

    @property
    def oldest(self) -> datetime | None:
        """The time of the oldest last read; None when no item was read."""
        return min(self._times(), default=None)

    @property
    def newest(self) -> datetime | None:
        """The time of the newest last read; None when no item was read."""
        return max(self._times(), default=None)

    @property
    def fits_a_file(self) -> bool:
        """True when a spreadsheet can hold all cells, and is soon written."""
        return len(self.items) * len(self.columns) <= MOST_CELLS_OF_A_FILE

    def part(self, *, item_page: int, column_page: int) -> "Coverage":
        """Return the part that is drawn at once. Pages are counted from 1."""
        items, columns = (item_page - 1) * MOST_ITEMS, (column_page - 1) * MOST_COLUMNS
        return replace(
            self,
            items=self.items[items : items + MOST_ITEMS],
            columns=self.columns[columns : columns + MOST_COLUMNS],
        )

    def _times(self) -> Iterator[datetime]:
        return (item.seen_at for item in self.items if item.seen_at is not None)


def cell_of(item: SeenItem, column: MatrixColumn) -> Cell:
    """Return the cell: whether the recipient, or how many of the set, can see the item."""
    if item.recipients is None:
        return _FAILED if item.failure else _NOT_READ
    if not column.members:
        return _NO_MEMBERS
    if column.members & item.unsure:
        return _IN_DOUBT
    seeing, of = len(column.members & item.recipients), len(column.members)
    if not column.is_set:
        return _CAN if seeing else _CANNOT
    words = f"{seeing:,} of {of:,} can see"
    return Cell(CellState.CAN if seeing == of else CellState.PARTLY if seeing else CellState.CANNOT, words)


def _pages(count: int, most: int) -> int:
    return max(1, -(-count // most))
