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

from item_visibility.access.access import Access
from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Role
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.preview_and_scan import ScanTask
from item_visibility.lists.writer import write_xlsx
from item_visibility.model.folding import folded
from item_visibility.model.job import BulkItem, Job, JobState
from item_visibility.model.read_item import SeenItem
from item_visibility.saving.item_reader import ItemReader
from item_visibility.storage.rows import digest
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
        if self.is_comparison:
            return self.columns[:1]
        return self.columns


def read_coverage(records: ServiceRecords, choice: CoverageChoice) -> Coverage:
    """Return the coverage.

    Raises RecordsError, and NotPossibleError when a chosen set no longer exists.
    """
    # Without a choice, show the recipients that can see the most items.
    ids = choice.recipients
    counts = Counter[str]()
    if not (choice.recipients or choice.sets):
        counts = records.seen.count(choice.supplier)
        most_seen = nsmallest(
            MAX_SEEN_COLUMNS, counts, key=lambda id_: (-counts[id_], id_)
        )
        ids = tuple(most_seen)

    # Make the columns: recipients first, then sets.
    names = KnownNames(records.directory).recipient_names(ids)
    columns = [
        CoverageColumn(
            recipient_id, names.get(recipient_id, ""), frozenset({recipient_id})
        )
        for recipient_id in ids
    ]
    for set_name in choice.sets:
        stored = records.sets.open(set_name)
        columns.append(CoverageColumn(stored.name, "", stored.recipients, is_set=True))

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
    is_chosen = not seen_recipients
    is_comparison = is_chosen and len(columns) == _COMPARED_COLUMNS
    rows = []
    for item in items:
        cells = tuple(cell_of(item, column) for column in columns)
        difference = _difference(item, *columns) if is_comparison else Difference.NONE
        rows.append(CoverageRow(item, cells, difference))

    # With one or two chosen columns, the answers of the first one sort the rows.
    is_by_answer = is_chosen and 0 < len(columns) <= _COMPARED_COLUMNS
    rows.sort(key=lambda row: _order(row, is_by_answer=is_by_answer))
    return Coverage(columns, tuple(rows), seen_recipients)


def cell_of(item: SeenItem, column: CoverageColumn) -> Cell:
    """Return the cell for an item and a column."""
    if item.recipients is None:
        words = "Could not be read" if item.failure else "Not read"
        return Cell(CellState.UNKNOWN, words)
    if not column.members:
        return Cell(CellState.UNKNOWN, "Empty set")
    if column.members & item.unsure:
        return Cell(CellState.UNKNOWN, "Save not confirmed")

    all_members = len(column.members)
    seeing = len(column.members & item.recipients)
    if seeing == all_members:
        state = CellState.CAN
    elif seeing:
        state = CellState.PARTLY
    else:
        state = CellState.CANNOT

    if column.is_set:
        return Cell(state, f"{seeing:,} of {all_members:,}")
    return Cell(state, "Yes" if seeing else "No")


def changes(
    columns: Iterable[CoverageColumn], rows: Iterable[CoverageRow]
) -> tuple[tuple[BulkItem, ...], tuple[BulkItem, ...]]:
    """Return changes that add the columns' recipients, and changes that remove them.

    Items that were not read, or that have an unconfirmed save of these recipients, are
    skipped.
    """
    members = _members_of(columns)
    additions = []
    removals = []
    for row in rows:
        seen = row.item
        if seen.recipients is None or members & seen.unsure:
            continue
        if missing := members - seen.recipients:
            additions.append(BulkItem(item=seen.item, add=missing))
        if present := members & seen.recipients:
            removals.append(BulkItem(item=seen.item, remove=present))
    return tuple(additions), tuple(removals)


def _members_of(columns: Iterable[CoverageColumn]) -> frozenset[str]:
    return frozenset[str]().union(*(column.members for column in columns))


def _difference(
    item: SeenItem, first: CoverageColumn, second: CoverageColumn
) -> Difference:
    # A recipient is compared with the other members of a set.
    if first.is_set and not second.is_set:
        first = replace(first, members=first.members - second.members)
    elif second.is_set and not first.is_set:
        second = replace(second, members=second.members - first.members)

    first_state = cell_of(item, first).state
    second_state = cell_of(item, second).state
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
    return write_xlsx(
        headings, map(_file_row, coverage.rows), sheet="Coverage", is_report=True
    )


def _file_row(row: CoverageRow) -> tuple[str, ...]:
    seen = row.item
    return (
        seen.name,
        market_of(row_of(seen)),
        seen.item.supplier_item_id,
        seen.item.supplier,
        f"{seen.seen_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if seen.seen_at else "",
        seen.failure,
        row.difference.value,
        *(cell.words for cell in row.cells),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanDesk:
    """The scans of one environment.

    A scan reads the known items of one supplier, or of all suppliers (None). Methods
    raise RecordsError, SignInError and RoleError.
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

        # Another process may have started it in the meantime.
        scans = self.records.scans
        if not self._is_under_way(supplier) and scans.begin_scan(scan, supplier):
            log_access(Event.READ, person, request_id=key)
            self._read(key)

    def resume(self, supplier: str | None) -> None:
        """Read the items that the last scan did not read."""
        self.access.require(Role.VIEWER)
        if self._is_under_way(supplier):
            return

        key = _scan_key(supplier)
        stopped = {JobState.CANCELLED, JobState.ENDED, JobState.READING}
        if self.records.scans.move(
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
        if job is None or job.state is not JobState.READING:
            return job

        # Our own heartbeat is not checked: it can be late on a busy machine.
        if self.engine.is_at_work(key) or self.records.scans.is_alive(key):
            return job
        return replace(job, state=JobState.PAUSED)

    def _read(self, key: str) -> None:
        reader = ItemReader(self.engine.service, self.records, clock=self.engine.clock)
        self.engine.start(key, ScanTask(key, reader, self.records.scans))

    def _is_under_way(self, supplier: str | None) -> bool:
        scan = self.progress(supplier)
        return scan is not None and scan.state is JobState.READING


def _scan_key(supplier: str | None) -> str:
    return f"scan {digest() if supplier is None else digest(supplier)}"
