"""Export the recipients of items, read from the service, and the history."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from sys import intern
from uuid import uuid4

from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError
from item_visibility.jobs.engine import FIRST_ITEMS, Engine
from item_visibility.jobs.preview_and_scan import (
    PREVIEW_PROBES,
    ReadingTask,
    ReadResult,
)
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.headings import Fixed
from item_visibility.lists.table import hidden_words, unchanged
from item_visibility.lists.writer import FileKind, write_xlsx
from item_visibility.model.job import BulkAction, BulkItem, JobItem, Outage
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import HistoryEntry, OthersChanges, StepResult
from item_visibility.model.read_item import ReadItem
from item_visibility.model.words import many
from item_visibility.saving.item_reader import ItemReader
from item_visibility.use_cases.desk import Desk

COLUMNS = ("Supplier", "Item", "Recipient")
CHANGE_COLUMNS = (*COLUMNS, "Action")
_ADVICE = "No file was made. Try again in a minute."


def known_items(desk: Desk, supplier: str | None = None) -> tuple[ItemKey, ...]:
    """Return the items of the directory, or only those of one supplier.

    Raises RecordsError.
    """
    rows = desk.records.directory[Kind.ITEM].current().rows
    return tuple(ItemKey(*row.ids) for row in rows if supplier in {None, row.ids[0]})


def items_in(
    bulk_list: BulkList, *, supplier: str | None = None
) -> tuple[ItemKey, ...]:
    """Return the items in a list.

    `supplier` applies to all rows. Raises FileError if a row is unclear.
    """
    if words := hidden_words(bulk_list.table):
        raise unchanged(
            f"The file hides {words}.", "Choose whether to use or skip them."
        )

    # Read the rows as withdrawals, the only action that needs no recipients.
    items_alone = replace(
        bulk_list,
        layout=replace(bulk_list.layout, action=None, recipient=None),
        fixed=Fixed(supplier=supplier, action=BulkAction.WITHDRAW),
    )
    if items_alone.missing:
        raise unchanged(items_alone.missing, "Correct the list of items.")

    understood = items_alone.understood()
    if understood.refused:
        row = understood.refused[0]
        raise unchanged(f"Row {row.number}: {row.reason}", "Correct the list of items.")
    return tuple(row.item for row in understood.items)


def start_export(desk: Desk, items: Sequence[ItemKey], kind: FileKind) -> "ExportRun":
    """Start an export in the background.

    Raises SignInError, RoleError and, without items, FileError.
    """
    person = desk.access.require(Role.VIEWER)
    if not items:
        raise FileError(
            "There are no items to export. No items are known here.",
            advice="No file was made. Upload a list of items.",
        )

    log_access(Event.EXPORT, person, item_count=len(items))
    run = ExportRun(items, kind, desk.bulk.reader, desk.bulk.engine)
    desk.bulk.engine.start(run.key, run)
    return run


def export_file(
    desk: Desk, write: Callable[[], bytes], *, item_count: int = 0
) -> bytes:
    """Return the file that `write` returns, and log the export.

    Raises SignInError and RoleError.
    """
    log_access(Event.EXPORT, desk.access.require(Role.VIEWER), item_count=item_count)
    return write()


def write_reading(reading: ReadItem, kind: FileKind) -> bytes:
    """Return a file with the recipients of one item, without reading it again."""
    return kind.write(COLUMNS, _rows([(reading.item, sorted(reading.listed))]))


def write_template() -> bytes:
    """Return an empty list to fill in.

    All cells are text, so that typed ids keep all digits.
    """
    return write_xlsx(CHANGE_COLUMNS, ())


def changes_as_list(
    item: ItemKey, *, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> bytes:
    """Return changes to one item as a file that can be uploaded on the page Bulk."""
    ids = (item.supplier, item.supplier_item_id)
    additions = [(*ids, recipient, "add") for recipient in sorted(add)]
    removals = [(*ids, recipient, "remove") for recipient in sorted(remove)]
    return write_xlsx(CHANGE_COLUMNS, additions + removals)


def write_history(entries: Iterable[HistoryEntry]) -> bytes:
    """Return the entries as a workbook, with a row for each recipient.

    All cells are text.
    """
    rows = _history_rows(entries)

    # The headings are the keys of the first row. Without rows, one heading is left.
    first = next(rows, {"Entry": ""})
    cells = (tuple(row.values()) for row in chain([first], rows))
    return write_xlsx(tuple(first), cells, sheet="History", is_report=True)


class ExportRun(ReadingTask):
    """A running export.

    It fails at the first item that cannot be read, so a file is always complete. At the
    end, `content` or `error` is set. `unseen_items` counts the items without
    recipients, which have no row in the file.
    """

    most_probes = PREVIEW_PROBES

    def __init__(
        self,
        items: Sequence[ItemKey],
        kind: FileKind,
        reader: ItemReader,
        engine: Engine,
    ) -> None:
        super().__init__(reader)
        self.key = uuid4().hex
        self.kind = kind
        self.total = len(items)
        self.content = b""
        self.rows = 0
        self.unseen_items = 0
        self._engine = engine
        self._error: FileError | None = None
        self._items = [
            JobItem(position=position, intent=BulkItem(item=item))
            for position, item in enumerate(items)
        ]
        self.first_items = self._items[:FIRST_ITEMS]
        self._lists: dict[ItemKey, tuple[str, ...]] = {}

    @property
    def read(self) -> int:
        """The number of items that were read so far."""
        return len(self._lists)

    @property
    def has_ended(self) -> bool:
        """True when there is a file or an error."""
        return not self._engine.is_at_work(self.key)

    @property
    def error(self) -> FileError | None:
        """The reason why there is no file."""
        if self.content or not self.has_ended:
            return None
        return self._error or FileError("The export did not finish.", advice=_ADVICE)

    def stop(self) -> None:
        """Cancel the export."""
        self._error = FileError("The export was stopped.", advice=_ADVICE)

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield one page with all items."""
        yield self._items

    def save(
        self,
        results: Sequence[ReadResult],
        outage: Outage | None,  # noqa: ARG002  (only the lists count)
    ) -> bool:
        """Store the lists.

        Return False, which stops the export, when an item could not be read.
        """
        for result in results:
            if result.read is None:
                item = result.item.intent.item
                self._fail(
                    f"Item {item.supplier_item_id} of supplier {item.supplier}",
                    result.failure,
                )
                continue

            # Many items have the same recipients, so each id is kept once.
            recipients = tuple(map(intern, sorted(result.read.listed)))
            self._lists[result.read.item] = recipients

        self.store(results)
        return self._error is None

    def end(self, trouble: str) -> None:
        """Write the file."""
        if trouble:
            self._fail(many(self.total - self.read, "item"), trouble)
            return

        self.rows = sum(map(len, self._lists.values()))
        self.unseen_items = sum(not recipients for recipients in self._lists.values())

        items = (job_item.intent.item for job_item in self._items)
        lists = ((item, self._lists[item]) for item in items)
        try:
            self.content = self.kind.write(COLUMNS, _rows(lists))
        except FileError as error:
            self._error = error

    def _fail(self, what: str, why: str) -> None:
        if self._error is None:
            self._error = FileError(f"{what} could not be read: {why}", advice=_ADVICE)


def _rows(
    lists: Iterable[tuple[ItemKey, Iterable[str]]],
) -> Iterator[tuple[str, str, str]]:
    for item, recipients in lists:
        for recipient_id in recipients:
            yield item.supplier, item.supplier_item_id, recipient_id


def _history_rows(entries: Iterable[HistoryEntry]) -> Iterator[dict[str, str]]:
    for entry in entries:
        for result in entry.steps:
            yield _history_row(entry, result.step.recipient_id, result)

        # Recipients that only somebody else changed have a row too.
        requested = {result.step.recipient_id for result in entry.steps}
        others = entry.result.others if entry.result else OthersChanges()
        for recipient_id in sorted((others.added | others.removed) - requested):
            yield _history_row(entry, recipient_id, None)


def _history_row(
    entry: HistoryEntry, recipient_id: str, result: StepResult | None
) -> dict[str, str]:
    request = entry.request
    end = entry.result
    return {
        "Entry": request.key,
        "Service": entry.service,
        "Kind": request.kind,
        "By": request.person,
        "Begun (UTC)": entry.started_at.isoformat(),
        "Ended (UTC)": end.ended_at.isoformat() if end else "",
        "Last read before (UTC)": (
            entry.seen_before_at.isoformat() if entry.seen_before_at else ""
        ),
        "Outcome": end.verdict if end else "open",
        "Settled later": "yes" if entry.was_settled_later else "",
        "Supplier": request.item.supplier,
        "Item": request.item.supplier_item_id,
        "Recipient": recipient_id,
        "Change": result.step.goal if result else "not by this save",
        "Outcome of the recipient": result.outcome if result else "",
        "Calls": str(result.attempts) if result else "",
        "Message for the recipient": result.message if result else "",
        "Reason": request.reason,
        "Undo of": request.undo_of or "",
        "Could see before": _whether(recipient_id, request.base),
        "Could see after": _whether(recipient_id, end.after if end else None),
        "Message": end.message if end else "",
    }


def _whether(recipient_id: str, recipients: frozenset[str] | None) -> str:
    if recipients is None:
        return ""
    return "yes" if recipient_id in recipients else "no"
