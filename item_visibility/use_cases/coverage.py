"""Coverage: which recipients can see which items, according to the last reads.

A scan reads the items again.

For an item that was not read, the answer is "unknown", never "no".
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC
from enum import StrEnum
from heapq import nsmallest
from typing import NamedTuple

from item_visibility.access.access import Access, Event, Role, log_access
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.preview_and_scan import ItemReader, ScanTask
from item_visibility.lists.writer import write_xlsx
from item_visibility.saving.job import BulkItem, Job, JobState
from item_visibility.storage.column_types import digest
from item_visibility.storage.name_search import folded
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.find_by_name import KnownNames, market_of, row_of

MAX_SEEN_COLUMNS = 20
"""The most columns that are shown when no recipients or sets are chosen."""
_COMPARED_COLUMNS = 2

_HEADINGS = (
    "Item",
    "Market",
    "Item number",
    "Supplier",
    "Last read (UTC)",
    "Problem",
    "Difference",
)


class CellState(StrEnum):
    """Whether a recipient, or all recipients of a set, can see an item."""

    CAN = "can see"
    PARTLY = "partly"
    CANNOT = "cannot see"
    UNKNOWN = "unknown"


class Cell(NamedTuple):
    """One cell of the table. Its text is for example `Yes`, `3 of 5` or `Not read`."""

    state: CellState
    words: str


class Difference(StrEnum):
    """MISSING: only the second of two compared columns can see the item.

    EXTRA: only the first can see it.
    """

    MISSING = "Missing"
    EXTRA = "Extra"
    NONE = ""


@dataclass(frozen=True, slots=True)
class CoverageColumn:
    """A recipient, or a recipient set with its members.

    A set has its name in `id`, and `name` is empty.
    """

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
        """The name with the id, or the id if there is no name."""
        return f"{self.name} ({self.id})" if self.name else self.id


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """An item, with a cell for each column."""

    item: SeenItem
    cells: tuple[Cell, ...]
    difference: Difference = Difference.NONE


@dataclass(frozen=True, slots=True)
class CoverageChoice:
    """The supplier, recipients and sets to show.

    `supplier` is None for all suppliers.
    """

    supplier: str | None = None
    recipients: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """A table with items as rows, and recipients and sets as columns.

    If no columns were chosen, the columns are the recipients that can see the most
    items. The number of all recipients that can see at least one item is then in
    `seen_recipients`.
    """

    columns: tuple[CoverageColumn, ...]
    rows: tuple[CoverageRow, ...]
    seen_recipients: int = 0

    @property
    def is_chosen(self) -> bool:
        """True when recipients or sets were chosen."""
        return not self.seen_recipients

    @property
    def is_comparison(self) -> bool:
        """True when two columns are compared."""
        return self.is_chosen and len(self.columns) == _COMPARED_COLUMNS

    @property
    def changed_columns(self) -> tuple[CoverageColumn, ...]:
        """The columns for which changes are offered.

        In a comparison, this is only the first column.
        """
        if not self.is_chosen:
            return ()
        return self.columns[:1] if self.is_comparison else self.columns


def read_coverage(records: ServiceRecords, choice: CoverageChoice) -> Coverage:
    """Return the coverage.

    Raises RecordsError, and NotPossibleError when a chosen set no longer exists.
    """
    ids, counts = choice.recipients, Counter[str]()
    if not (choice.recipients or choice.sets):
        counts = records.seen.count(choice.supplier)
        ids = tuple(
            nsmallest(MAX_SEEN_COLUMNS, counts, key=lambda one: (-counts[one], one))
        )
    names = KnownNames(records.directory).recipient_names(ids)
    columns = [CoverageColumn(one, names.get(one, ""), frozenset({one})) for one in ids]
    sets = map(records.sets.open, choice.sets)
    columns += [
        CoverageColumn(one.name, "", one.recipients, is_set=True) for one in sets
    ]
    items = records.seen.all(choice.supplier, among=_members_of(columns))
    return coverage_of(items, tuple(columns), seen_recipients=len(counts))


def coverage_of(
    items: Iterable[SeenItem],
    columns: tuple[CoverageColumn, ...],
    *,
    seen_recipients: int = 0,
) -> Coverage:
    """Return the coverage.

    Rows with differences come first, and items that were not read come last.
    """
    few = columns if not seen_recipients and len(columns) <= _COMPARED_COLUMNS else ()
    rows = []
    for item in items:
        difference = (
            _difference(item, *few)
            if len(few) == _COMPARED_COLUMNS
            else Difference.NONE
        )
        rows.append(
            CoverageRow(item, tuple(cell_of(item, one) for one in columns), difference)
        )
    rows.sort(key=lambda row: _order(row, is_by_answer=bool(few)))
    return Coverage(columns, tuple(rows), seen_recipients)


def cell_of(item: SeenItem, column: CoverageColumn) -> Cell:
    """Return the cell for an item and a column."""
    if item.recipients is None:
        return Cell(
            CellState.UNKNOWN, "Could not be read" if item.failure else "Not read"
        )
    if not column.members or column.members & item.unsure:
        return Cell(
            CellState.UNKNOWN, "Save not confirmed" if column.members else "Empty set"
        )
    seeing, of = len(column.members & item.recipients), len(column.members)
    state = (
        CellState.CAN
        if seeing == of
        else CellState.PARTLY
        if seeing
        else CellState.CANNOT
    )
    return Cell(
        state, f"{seeing:,} of {of:,}" if column.is_set else "Yes" if seeing else "No"
    )


def changes(
    columns: Iterable[CoverageColumn], rows: Iterable[CoverageRow]
) -> tuple[tuple[BulkItem, ...], tuple[BulkItem, ...]]:
    """Return changes that add the columns' recipients, and changes that remove them.

    Items that were not read, or that have an unconfirmed save of these recipients, are
    skipped.
    """
    members = _members_of(columns)
    lists = [
        (row.item.item, row.item.recipients)
        for row in rows
        if row.item.recipients is not None and not members & row.item.unsure
    ]
    additions = (
        BulkItem(item=item, add=members - listed)
        for item, listed in lists
        if members - listed
    )
    removals = (
        BulkItem(item=item, remove=members & listed)
        for item, listed in lists
        if members & listed
    )
    return tuple(additions), tuple(removals)


def _members_of(columns: Iterable[CoverageColumn]) -> frozenset[str]:
    return frozenset[str]().union(*(one.members for one in columns))


def _difference(
    item: SeenItem, first: CoverageColumn, second: CoverageColumn
) -> Difference:
    shared = frozenset[str]()
    if (
        first.is_set != second.is_set
    ):  # a recipient is compared with the other members of a set
        shared = first.members & second.members
    first_state, second_state = (
        cell_of(
            item, replace(one, members=one.members - shared) if one.is_set else one
        ).state
        for one in (first, second)
    )
    if {first_state, second_state} != {CellState.CAN, CellState.CANNOT}:
        return Difference.NONE
    return Difference.EXTRA if first_state is CellState.CAN else Difference.MISSING


def _order(row: CoverageRow, *, is_by_answer: bool) -> tuple[object, ...]:
    item = row.item
    return (
        list(Difference).index(row.difference),
        item.recipients is None,
        list(CellState).index(row.cells[0].state) if is_by_answer else 0,
        not item.name,
        folded(item.name),
        market_of(row_of(item)),
    )


def write_coverage(coverage: Coverage) -> bytes:
    """Return the whole table as an XLSX file. Every cell is text."""
    headings = (*_HEADINGS, *(column.heading for column in coverage.columns))
    rows = (
        (
            row.item.name,
            market_of(row_of(row.item)),
            row.item.item.supplier_item_id,
            row.item.item.supplier,
            f"{row.item.seen_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
            if row.item.seen_at
            else "",
            row.item.failure,
            row.difference.value,
            *(cell.words for cell in row.cells),
        )
        for row in coverage.rows
    )
    return write_xlsx(headings, rows, sheet="Coverage", is_report=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanDesk:
    """The scans of one environment.

    A scan reads the known items of one supplier, or of all suppliers (None).

    Methods raise RecordsError, SignInError and RoleError.
    """

    engine: Engine
    records: ServiceRecords
    access: Access

    def start(self, supplier: str | None) -> None:
        """Start a scan, unless the supplier's last scan is still running."""
        person = self.access.require(Role.VIEWER)
        key = _scan_key(supplier)
        scan = Job(
            key=key,
            title=supplier or "",
            person=person.name,
            person_key=person.key,
            state=JobState.READING,
            created_at=self.engine.clock(),
        )
        if not self._is_under_way(supplier) and self.records.scans.begin_scan(
            scan, supplier
        ):
            log_access(Event.READ, person, request_id=key)
            self._read(key)

    def resume(self, supplier: str | None) -> None:
        """Read the items that the last scan did not read."""
        self.access.require(Role.VIEWER)
        key, stopped = (
            _scan_key(supplier),
            {JobState.CANCELLED, JobState.ENDED, JobState.READING},
        )
        if not self._is_under_way(supplier) and self.records.scans.move(
            key, JobState.READING, expected=stopped, at=self.engine.clock()
        ):
            self._read(key)

    def cancel(self, supplier: str | None) -> None:
        """Cancel the scan.

        The lists that were read are kept. Everybody may cancel a scan.
        """
        self.access.require(Role.VIEWER)
        key = _scan_key(supplier)
        self.records.scans.move(
            key, JobState.CANCELLED, expected={JobState.READING}, at=self.engine.clock()
        )
        self.engine.stop(key)

    def progress(self, supplier: str | None) -> Job | None:
        """Return the last scan, or None.

        It is PAUSED if the process that ran it has died.
        """
        key = _scan_key(supplier)
        job = self.records.scans.job(key)
        if (
            job is None
            or job.state is not JobState.READING
            or self.engine.is_at_work(key)
        ):
            # The heartbeat is not checked, because it can be late on a busy machine.
            return job
        return (
            job
            if self.records.scans.is_alive(key)
            else replace(job, state=JobState.PAUSED)
        )

    def _read(self, key: str) -> None:
        reader = ItemReader(self.engine.service, self.records, clock=self.engine.clock)
        self.engine.start(key, ScanTask(key, reader, self.records.scans))

    def _is_under_way(self, supplier: str | None) -> bool:
        scan = self.progress(supplier)
        return scan is not None and scan.state is JobState.READING


def _scan_key(supplier: str | None) -> str:
    return f"scan {digest() if supplier is None else digest(supplier)}"
