"""Exports who can see many items to a file: read now, item by item, and written exactly."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from sys import intern
from uuid import uuid4

from item_visibility.access.access import Event, Role, log_access
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError, ItemVisibilityError
from item_visibility.jobs.engine import FIRST_ITEMS, Engine
from item_visibility.jobs.reading import ItemReader, ReadingTask, ReadResult
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.layout import Fixed, HeadingMeaning, doubtful_columns, read_heading
from item_visibility.lists.table import HIDDEN_SKIPPED, hidden_words, unchanged
from item_visibility.lists.writer import FileKind, write_xlsx
from item_visibility.saving.job import BulkAction, BulkItem, JobItem, Outage
from item_visibility.storage.directory import Kind
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.timeouts import PREVIEW_PROBES
from item_visibility.use_cases.desk import Desk

COLUMNS = ("Supplier", "Item", "Recipient")
_STOPPED = "The export was stopped."


def known_items(desk: Desk, supplier: str | None = None) -> tuple[ItemKey, ...]:
    """Return the items of the directory, or only those of one supplier. Raises RecordsError."""
    rows = desk.records.directory[Kind.ITEM].all()
    return tuple(ItemKey(*row.ids) for row in rows if supplier in {None, row.ids[0]})


def items_in(bulk_list: BulkList, *, supplier: str | None = None) -> tuple[ItemKey, ...]:
    """Return the items in a list, each once, in its order; `supplier` applies to all rows.

    Raises FileError when a row names no item or is hidden, and when it is not clear what a row names.
    """
    table, layout = bulk_list.table, bulk_list.guess
    if table.hidden:
        raise unchanged(f"The file hides {hidden_words(table)}.", "Say whether to use or to skip them.")
    for doubt in doubtful_columns(table, layout):
        if read_heading(table.header[doubt.column]) is HeadingMeaning.MARKET:
            raise unchanged(doubt.message, "Correct the list of items.")
    items_alone = bulk_list.with_layout(replace(layout, action=None, recipient=None))
    fixed = Fixed(supplier=supplier, action=BulkAction.WITHDRAW)  # the action that needs items alone
    items_alone = items_alone.with_fixed(fixed)
    if items_alone.missing:
        raise unchanged(items_alone.missing, "Correct the list of items.")
    understood = items_alone.understood()
    for row in understood.skipped:
        if row.reason != HIDDEN_SKIPPED:
            raise unchanged(f"Row {row.number}: {row.reason}", "Correct the list of items.")
    return tuple(one.item for one in understood.items)


def start_export(desk: Desk, items: Sequence[ItemKey], kind: FileKind) -> "ExportRun":
    """Start to export who can see the items now, one row a recipient, and return at once.

    Raises SignInError and RoleError, and FileError without items.
    """
    person = desk.access.require(Role.VIEWER)
    if not items:
        raise FileError(
            "There are no items to export: none are known here.",
            advice="No file was made. Upload a list of items.",
        )
    log_access(Event.EXPORT, person, item_count=len(items))
    run = ExportRun(items, kind, desk.bulk.reader)
    threading.Thread(target=run.run_in, args=(desk.bulk.engine,), name="export", daemon=True).start()
    return run


def export_reading(desk: Desk, reading: ReadItem, kind: FileKind) -> bytes:
    """Return the recipients of one item as they were read. Raises SignInError and RoleError."""
    log_access(Event.EXPORT, desk.access.require(Role.VIEWER), item_count=1)
    return kind.write(COLUMNS, _rows([(reading.item, sorted(reading.listed))]))


def changes_as_list(item: ItemKey, *, add: Iterable[str] = (), remove: Iterable[str] = ()) -> bytes:
    """Return changes of one item as a list that Bulk reads. Holds nothing but the changes themselves."""
    changes = [*((one, "add") for one in sorted(add)), *((one, "remove") for one in sorted(remove))]
    rows = ((item.supplier, item.supplier_item_id, *change) for change in changes)
    return write_xlsx((*COLUMNS, "Action"), rows)


class ExportRun(ReadingTask):
    """An export that reads all of the items, or none: it stops at the first one that cannot be read.

    It has ended once there is a file in `content`, or an error: FileError when an item cannot be read, or
    a text cannot be written. `rows` counts the rows of the file, and `unseen_items` the items that nobody
    can see: they have no rows.
    """

    most_probes: int | None = PREVIEW_PROBES

    def __init__(self, items: Sequence[ItemKey], kind: FileKind, reader: ItemReader) -> None:
        super().__init__(reader)
        self.kind = kind
        self.total = len(items)
        self.content = b""
        self.rows = 0
        self.unseen_items = 0
        self.error: ItemVisibilityError | None = None
        self._items = [
            JobItem(position=position, intent=BulkItem(item=item)) for position, item in enumerate(items)
        ]
        self._lists: dict[int, tuple[str, ...]] = {}
        self._trouble = ""

    @property
    def read(self) -> int:
        """The number of items read so far."""
        return len(self._lists)

    @property
    def has_ended(self) -> bool:
        """True when the export is over."""
        return bool(self.content) or self.error is not None

    def stop(self) -> None:
        """Stop reading items."""
        self._trouble = self._trouble or _STOPPED

    def run_in(self, engine: Engine) -> None:
        """Read and write until done."""
        try:
            if not engine.run(uuid4().hex, self) or self._trouble:
                raise FileError(self._trouble or _STOPPED, advice="No file was made. Try again in a minute.")
            lists = [(one.intent.item, self._lists[one.position]) for one in self._items]
            self.rows = sum(len(recipients) for _, recipients in lists)
            self.unseen_items = sum(not recipients for _, recipients in lists)
            self.content = self.kind.write(COLUMNS, _rows(lists))
        except ItemVisibilityError as error:
            self.error = error
        finally:
            if not self.has_ended:
                self.error = FileError("The export failed.", advice="No file was made. Ask support.")

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield all items at once: they are in memory."""
        yield self._items

    def first_items(self) -> Sequence[JobItem]:
        """Return the first items."""
        return self._items[:FIRST_ITEMS]

    def save(self, results: Sequence[ReadResult], outage: Outage | None) -> bool:  # noqa: ARG002  (only the lists count)
        """Keep the lists; stop at the first item that cannot be read."""
        for one in results:
            if one.read is None:
                self._trouble = self._trouble or _unreadable(one.item.intent.item, one.failure)
            else:
                self._lists[one.item.position] = tuple(map(intern, sorted(one.read.listed)))
        self.keep(results)
        return not self._trouble

    def end(self, trouble: str) -> None:
        """Note why an item was left out."""
        if trouble and not self._trouble:
            unread = next(one.intent.item for one in self._items if one.position not in self._lists)
            self._trouble = _unreadable(unread, trouble)


def _rows(lists: Iterable[tuple[ItemKey, Iterable[str]]]) -> Iterator[tuple[str, str, str]]:
    for item, recipients in lists:
        for recipient_id in recipients:
            yield item.supplier, item.supplier_item_id, recipient_id


def _unreadable(item: ItemKey, why: str) -> str:
    return f"Item {item.supplier_item_id} of supplier {item.supplier} cannot be read: {why}"
