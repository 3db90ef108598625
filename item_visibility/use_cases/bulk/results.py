"""The outcomes of a bulk job's rows: page by page, as a file, and as a list to retry."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.writer import FileKind
from item_visibility.saving.bulk import BulkAction, BulkItem
from item_visibility.saving.job import FAILED, ROW_WORDS, JobItem, JobRow
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.use_cases.known_names import KnownNames

COLUMNS = (
    *("Supplier", "Item", "Recipient", "Action", "Outcome", "Message"),
    *("Row", "Item name", "Recipient name"),
)
SKIPPED = "skipped"
"""The outcome of a row that the job does not take."""
_PAGE = 1_000
_ALL = frozenset(Outcome)
_ACTIONS = {Goal.VISIBLE: BulkAction.ADD, Goal.NOT_VISIBLE: BulkAction.REMOVE}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The outcome of one recipient of an item, and the action that would ask for it again.

    `recipient_id` is None when the item was to be withdrawn and its recipients are not known; `position` is
    that of the item in its job. `rows` are the numbers of the rows in the file that name the recipient; those
    of the item for a recipient that no row names.
    """

    item: ItemKey
    recipient_id: str | None
    action: BulkAction
    outcome: Outcome
    message: str
    position: int
    rows: tuple[int, ...] = ()


class BulkResults:
    """The results of the jobs of one environment. Methods raise RecordsError."""

    def __init__(self, store: Jobs, names: KnownNames) -> None:
        self._store = store
        self._names = names

    def page(
        self,
        key: str,
        *,
        outcomes: Collection[Outcome] = _ALL,
        limit: int = 50,
    ) -> tuple[ResultRow, ...]:
        """Return the first results, by position and recipient."""
        return self._with_items(key, tuple(islice(self._store.rows(key, outcomes=outcomes), limit)))

    def write(self, key: str, file_kind: FileKind, *, outcomes: Collection[Outcome] = _ALL) -> bytes:
        """Write results to a file that can be read in again as a list. FileError when it cannot hold one.

        When all outcomes are wanted, the skipped rows of the list are included.
        """
        found = self._store.rows(key, outcomes=outcomes)
        pages = (self._with_items(key, page) for page in iter(lambda: tuple(islice(found, _PAGE)), ()))
        rows = chain.from_iterable(map(self._in_file, pages))
        is_all = set(outcomes) == set(Outcome)
        return file_kind.write(COLUMNS, chain(rows, self._skipped_rows(key) if is_all else ()))

    def write_skipped(self, key: str, file_kind: FileKind) -> bytes:
        """Write the skipped rows of the list to a file, each with its number and the reason."""
        return file_kind.write(COLUMNS, self._skipped_rows(key))

    def failed_items(self, key: str) -> Iterator[BulkItem]:
        """Yield the items that did not end as asked, each recipient by itself.

        If a list was to be set, and nobody knows who could see the item, the whole list is to be set again.
        """
        rows = self._store.rows(key, outcomes=FAILED)
        for position, group in groupby(rows, key=lambda row: row.position):
            item, failed = self._store.items_at(key, [position])[position], tuple(group)
            if _is_unread_list(item) or any(_is_withdrawal(row, item) for row in failed):
                yield item.intent
                continue
            numbers = item.intent.rows_by_recipient
            yield BulkItem(
                item=item.intent.item,
                add=frozenset(row.recipient_id for row in failed if row.goal is Goal.VISIBLE),
                remove=frozenset(row.recipient_id for row in failed if row.goal is Goal.NOT_VISIBLE),
                rows=tuple(
                    numbers.get(row.recipient_id, item.intent.row_numbers)
                    for row in sorted(failed, key=lambda row: row.recipient_id)
                ),
            )

    def _in_file(self, rows: Sequence[ResultRow]) -> Iterator[tuple[str, ...]]:
        titles = self._names.item_titles({one.item for one in rows})
        names = self._names.recipient_names({one.recipient_id or "" for one in rows})
        for one in rows:
            recipient = one.recipient_id or ""
            ids = (one.item.supplier, one.item.supplier_item_id, recipient)
            ended = (one.action.value, ROW_WORDS[one.outcome], one.message)
            yield (*ids, *ended, in_spans(one.rows), titles.get(one.item, ""), names.get(recipient, ""))

    def _skipped_rows(self, key: str) -> Iterator[tuple[str, ...]]:
        after = -1
        while page := self._store.skipped_rows(key, after=after, limit=_PAGE):
            for one in page:
                message = f"Row {one.number} of the list: {one.reason}"
                named = (one.supplier, one.supplier_item_id, one.recipients)
                yield (*named, one.action, SKIPPED, message, str(one.number), "", "")
            after += len(page)

    def _with_items(self, key: str, rows: tuple[JobRow, ...]) -> tuple[ResultRow, ...]:
        results: list[ResultRow] = []
        items = self._store.items_at(key, sorted({row.position for row in rows}))
        for position, group in groupby(rows, key=lambda row: row.position):
            numbers = items[position].intent.rows_by_recipient
            results += (_result(row, items[position], numbers) for row in group)
        return tuple(results)


def in_spans(rows: Iterable[int]) -> str:
    """Return the numbers of rows in short, as in `2-4, 9`."""
    spans: list[list[int]] = []
    for number in sorted(rows):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in spans)


def _is_withdrawal(row: JobRow, item: JobItem) -> bool:
    """True for the row of an item that was to be withdrawn, when its recipients are not known.

    A service's list can also hold an empty id. The request was still to withdraw the item.
    """
    return item.intent.exactly == frozenset() and not row.recipient_id


def _is_unread_list(item: JobItem) -> bool:
    """True when the list is to be set, and the service refused to return the current one."""
    return item.intent.exactly is not None and item.preview is not None and bool(item.preview.refusal)


def _result(row: JobRow, item: JobItem, numbers: Mapping[str, tuple[int, ...]]) -> ResultRow:
    """Return the outcome with the action that asks for the same again, and the rows that asked for it."""
    is_withdrawal = _is_withdrawal(row, item)
    action = BulkAction.SET if _is_unread_list(item) else _ACTIONS[row.goal]
    return ResultRow(
        item=item.intent.item,
        recipient_id=None if is_withdrawal else row.recipient_id,
        action=BulkAction.WITHDRAW if is_withdrawal else action,
        outcome=row.outcome,
        message=row.message,
        position=row.position,
        rows=numbers.get(row.recipient_id, item.intent.row_numbers),
    )
