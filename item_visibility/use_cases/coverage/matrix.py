"""Known items against recipients and recipient sets, as last read. Nothing is sent to the service.

An item that was not read is never a "no".
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SetError
from item_visibility.saving.bulk import BulkItem
from item_visibility.storage.directory import folded
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.known_names import KnownNames, market_of_item

MAX_SEEN_COLUMNS = 20
"""The most recipients that are shown while none is chosen."""
MAX_FILE_CELLS = 1_000_000
_COMPARED_COLUMNS = 2


class CellState(StrEnum):
    """Whether a recipient, or the recipients of a set, can see an item."""

    CAN = "can see"
    PARTLY = "partly"
    """Some recipients of the set can see the item, others cannot."""
    CANNOT = "cannot see"
    UNKNOWN = "unknown"
    """The item was not read yet, or the outcome of our last change is unknown."""


class Cell(NamedTuple):
    """The state of an item and a column, and the words for it: `Yes`, `3 of 5`, `Not read`."""

    state: CellState
    words: str


_YES, _NO = Cell(CellState.CAN, "Yes"), Cell(CellState.CANNOT, "No")
_NOT_READ = Cell(CellState.UNKNOWN, "Not read")
_FAILED = Cell(CellState.UNKNOWN, "Could not be read")
_IN_DOUBT = Cell(CellState.UNKNOWN, "In doubt since a save")
_EMPTY_SET = Cell(CellState.UNKNOWN, "Empty set")


class Difference(StrEnum):
    """How the first of two columns differs from the second one for an item."""

    MISSING = "Missing"
    """The second one can see the item, the first one cannot."""
    EXTRA = "Extra"
    """The first one can see the item, the second one cannot."""
    NONE = ""


@dataclass(frozen=True, slots=True)
class CoverageColumn:
    """A recipient with its id and name, or a recipient set with its members. A set's id is its name."""

    id: str
    name: str
    members: frozenset[str]
    is_set: bool = False

    @property
    def title(self) -> str:
        """The name, or the id if there is no name."""
        return self.name or self.id

    @property
    def heading(self) -> str:
        """The title; with its id, if it is a recipient that has a name."""
        return self.title if self.is_set or not self.name else f"{self.name} ({self.id})"


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """An item with a cell for each column."""

    item: SeenItem
    cells: tuple[Cell, ...]
    difference: Difference = Difference.NONE


@dataclass(frozen=True, slots=True)
class CoverageChoice:
    """What a person wants to see. `supplier` is None for all; no recipients and no sets: those seen most."""

    supplier: str | None = None
    recipients: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()

    @property
    def has_columns(self) -> bool:
        """True when recipients or sets are chosen."""
        return bool(self.recipients or self.sets)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The items in rows, the recipients and sets in columns.

    `is_chosen` is False when the columns are the recipients that were seen most; `seen_recipients` counts
    all that were seen then.
    """

    columns: tuple[CoverageColumn, ...]
    rows: tuple[CoverageRow, ...]
    is_chosen: bool = True
    seen_recipients: int = 0

    @property
    def is_comparison(self) -> bool:
        """True when two columns are compared."""
        return self.is_chosen and len(self.columns) == _COMPARED_COLUMNS

    @property
    def changed_columns(self) -> tuple[CoverageColumn, ...]:
        """The columns that a bulk preview is about: in a comparison the first one; none if none is chosen."""
        if not self.is_chosen:
            return ()
        return self.columns[:1] if self.is_comparison else self.columns

    @property
    def read_rows(self) -> tuple[CoverageRow, ...]:
        """The rows of items that were read."""
        return tuple(row for row in self.rows if row.item.recipients is not None)

    @property
    def oldest(self) -> datetime | None:
        """The time of the oldest last read; None when no item was read."""
        return min(_read_times(self.rows), default=None)

    @property
    def newest(self) -> datetime | None:
        """The time of the newest last read; None when no item was read."""
        return max(_read_times(self.rows), default=None)

    @property
    def fits_file(self) -> bool:
        """True when a workbook can hold all cells."""
        return len(self.rows) * len(self.columns) <= MAX_FILE_CELLS


def read_coverage(records: ServiceRecords, choice: CoverageChoice) -> Coverage:
    """Return the coverage as last read. SetError when a chosen set is gone, RecordsError."""
    names = KnownNames(records.directory)
    if choice.has_columns:
        recipients = _recipient_columns(names, choice.recipients)
        columns = (*recipients, *(_set_column(records, name) for name in choice.sets))
        seen_recipients = 0
    else:
        columns, seen_recipients = _columns_seen_most(records, names, choice.supplier)
    items = records.seen.all(choice.supplier, among=_members_of(columns))
    return coverage_of(items, columns, is_chosen=choice.has_columns, seen_recipients=seen_recipients)


def coverage_of(
    items: Iterable[SeenItem],
    columns: tuple[CoverageColumn, ...],
    *,
    is_chosen: bool = True,
    seen_recipients: int = 0,
) -> Coverage:
    """Return a row for each item. Differences come first, items that were not read come last."""
    is_comparison = is_chosen and len(columns) == _COMPARED_COLUMNS
    rows = [
        CoverageRow(
            item,
            tuple(cell_of(item, column) for column in columns),
            _difference(item, *columns) if is_comparison else Difference.NONE,
        )
        for item in items
    ]
    is_by_answer = is_chosen and len(columns) <= _COMPARED_COLUMNS
    rows.sort(key=lambda row: _order(row, is_by_answer=is_by_answer))
    return Coverage(columns, tuple(rows), is_chosen, seen_recipients)


def cell_of(item: SeenItem, column: CoverageColumn) -> Cell:
    """Return whether the recipient, or how many of the set, can see the item."""
    if item.recipients is None:
        return _FAILED if item.failure else _NOT_READ
    if not column.members:
        return _EMPTY_SET
    if column.members & item.unsure:
        return _IN_DOUBT
    seeing, of = len(column.members & item.recipients), len(column.members)
    if not column.is_set:
        return _YES if seeing else _NO
    state = CellState.CAN if seeing == of else CellState.PARTLY if seeing else CellState.CANNOT
    return Cell(state, f"{seeing:,} of {of:,}")


def additions(columns: Iterable[CoverageColumn], rows: Iterable[CoverageRow]) -> tuple[BulkItem, ...]:
    """Return the changes that let the recipients of the columns see these items; none for an unread item."""
    members = _members_of(columns)
    missing = ((item, members - listed) for item, listed in _known_lists(rows, members))
    return tuple(BulkItem(item=item, add=add) for item, add in missing if add)


def removals(columns: Iterable[CoverageColumn], rows: Iterable[CoverageRow]) -> tuple[BulkItem, ...]:
    """Return the changes that hide these items from the recipients; none for an unread item."""
    members = _members_of(columns)
    present = ((item, members & listed) for item, listed in _known_lists(rows, members))
    return tuple(BulkItem(item=item, remove=remove) for item, remove in present if remove)


def _members_of(columns: Iterable[CoverageColumn]) -> frozenset[str]:
    return frozenset[str]().union(*(one.members for one in columns))


def _known_lists(
    rows: Iterable[CoverageRow], members: frozenset[str]
) -> Iterator[tuple[ItemKey, frozenset[str]]]:
    """Return the lists of the items that were read, and in which none of these members is in doubt."""
    for row in rows:
        listed = row.item.recipients
        if listed is not None and not members & row.item.unsure:
            yield row.item.item, listed


def _difference(item: SeenItem, first: CoverageColumn, second: CoverageColumn) -> Difference:
    """Compare the columns. A recipient is compared with the other members of a set, not with itself."""
    if first.is_set != second.is_set:
        shared = first.members & second.members
        first, second = (
            CoverageColumn(one.id, one.name, one.members - shared, is_set=True) if one.is_set else one
            for one in (first, second)
        )
    match cell_of(item, first).state, cell_of(item, second).state:
        case CellState.CANNOT, CellState.CAN:
            return Difference.MISSING
        case CellState.CAN, CellState.CANNOT:
            return Difference.EXTRA
        case _:
            return Difference.NONE


_DIFFERENCES, _STATES = list(Difference), list(CellState)


def _order(row: CoverageRow, *, is_by_answer: bool) -> tuple[object, ...]:
    """Return the place of a row: by difference and answer where few are chosen, then by name and market."""
    item, state = row.item, row.cells[0].state if row.cells and is_by_answer else CellState.CAN
    own_id = item.item.supplier_item_id
    return (
        _DIFFERENCES.index(row.difference),
        item.recipients is None,
        _STATES.index(state),
        not item.name,
        folded(item.name),
        market_of_item(item),
        own_id,
        item.item.supplier,
    )


def _columns_seen_most(
    records: ServiceRecords, names: KnownNames, supplier: str | None
) -> tuple[tuple[CoverageColumn, ...], int]:
    """Return the recipients that can see the most items, and the number of all that were seen."""
    counts = records.seen.count(supplier)
    least = min((count for _, count in counts.most_common(MAX_SEEN_COLUMNS)), default=0)
    columns = _recipient_columns(names, [one for one, count in counts.items() if count >= least])
    in_order = sorted(columns, key=lambda one: (-counts[one.id], not one.name, folded(one.name), one.id))
    return tuple(in_order[:MAX_SEEN_COLUMNS]), len(counts)


def _recipient_columns(names: KnownNames, ids: Collection[str]) -> tuple[CoverageColumn, ...]:
    called = names.recipient_names(ids)
    return tuple(CoverageColumn(one, called.get(one, ""), frozenset({one})) for one in ids)


def _set_column(records: ServiceRecords, name: str) -> CoverageColumn:
    found = records.sets.named(name)
    if found is None:
        raise SetError("This recipient set is no longer there.", advice="Choose another set.")
    return CoverageColumn(name, name, found.recipients, is_set=True)


def _read_times(rows: Sequence[CoverageRow]) -> Iterable[datetime]:
    return (row.item.seen_at for row in rows if row.item.seen_at is not None)
