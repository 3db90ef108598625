"""Reads and writes of the rows of bulk jobs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import ItemPreview, Job, JobItem, JobRow, JobState, RowOutcome
from item_visibility.changes.plan import Goal
from item_visibility.records.ground.tables import recipient_list
from item_visibility.records.ground.types import digest
from item_visibility.records.ground.upsert import chunks, insert_new
from item_visibility.records.history.entry_rows import list_digest
from item_visibility.records.jobs.job_tables import OUTCOME_COLUMNS

Values = dict[str, object]
Lists = Mapping[str, frozenset[str]]

_NOBODY = list_digest(frozenset())
_LIST_COLUMNS = (
    "add_digest",
    "remove_digest",
    "exactly_digest",
    "current_digest",
    "to_add_digest",
    "to_remove_digest",
    "in_place_digest",
)


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item of a job, with a flag for an item that the job withdraws from everybody.

    `is_unread_list` is true when its list is to be set and the service refused to return the current one.
    """

    item: ItemKey
    is_withdrawal: bool
    is_unread_list: bool = False


class ListsToKeep:
    """Gathers the lists of many rows, so that each distinct one is written once."""

    def __init__(self) -> None:
        self._lists: dict[frozenset[str], str] = {}

    def key_of(self, recipients: frozenset[str]) -> str:
        """Return the key under which the list will be saved."""
        key = self._lists.get(recipients)
        if key is None:
            key = self._lists[recipients] = list_digest(recipients)
        return key

    def put(self, connection: Connection) -> None:
        """Save the lists that are new."""
        rows = [{"digest": key, "recipients": recipients} for recipients, key in self._lists.items()]
        connection.execute(insert_new(connection, recipient_list), rows)


def lists_of(connection: Connection, rows: Sequence[Row[tuple[object, ...]]]) -> Lists:
    """Return the lists that these item rows refer to, by key."""
    keys = {getattr(row, name) for row in rows for name in _LIST_COLUMNS} - {None}
    query = select(recipient_list.c.digest, recipient_list.c.recipients)
    lists: dict[str, frozenset[str]] = {}
    for some in chunks(sorted(keys)):
        found = connection.execute(query.where(recipient_list.c.digest.in_(some)))
        lists.update((row.digest, row.recipients) for row in found)
    return lists


def job_values(job: Job, *, item_count: int, skipped: int) -> Values:
    """Return the row of a new job: nothing is read, nothing has ended."""
    counters = ("read_items", "to_add", "to_remove", "in_place", "changing_items", "refused_items")
    more = ("large_removals", "removals_to_confirm", "ended_items", *OUTCOME_COLUMNS.values())
    return dict.fromkeys((*counters, *more), 0) | {
        "key": job.key,
        "title": job.title,
        "person": job.person,
        "reason": job.reason,
        "state": job.state.value,
        "message": job.message,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "undo_of": job.undo_of,
        "retry_of": job.retry_of,
        "confirmed_count": job.confirmed_count,
        "item_count": item_count,
        "skipped": skipped,
    }


def read_job(row: Row[tuple[object, ...]]) -> Job:
    """Return the job of a row."""
    counts = {outcome: getattr(row, name) for outcome, name in OUTCOME_COLUMNS.items()}
    return Job(
        key=row.key,
        title=row.title,
        person=row.person,
        reason=row.reason,
        state=JobState(row.state),
        created_at=row.created_at,
        item_count=row.item_count,
        read_items=row.read_items,
        ended_items=row.ended_items,
        outcomes={outcome: count for outcome, count in counts.items() if count},
        started_at=row.started_at,
        ended_at=row.ended_at,
        undo_of=row.undo_of,
        retry_of=row.retry_of,
        confirmed_count=row.confirmed_count,
        message=row.message,
        skipped=row.skipped,
    )


def item_values(position: int, intent: BulkItem, lists: ListsToKeep) -> Values:
    """Return the row of a new item."""
    return {
        "position": position,
        "is_ended": False,
        "read_at": None,
        "to_add": 0,
        "to_remove": 0,
        "in_place": 0,
        "is_large_removal": False,
        "add_digest": lists.key_of(intent.add),
        "remove_digest": lists.key_of(intent.remove),
        "exactly_digest": None if intent.exactly is None else lists.key_of(intent.exactly),
        "supplier": intent.item.supplier,
        "supplier_item_id": intent.item.supplier_item_id,
        "refusal": "",
        "rows": ",".join(map(str, intent.rows)),
    }


def preview_values(preview: ItemPreview, lists: ListsToKeep) -> Values:
    """Return the columns that a preview sets in the row of its item."""
    return {
        "read_at": preview.read_at,
        "to_add": len(preview.add),
        "to_remove": len(preview.remove),
        "in_place": len(preview.in_place),
        "is_large_removal": preview.is_large_removal,
        "current_digest": None if preview.current is None else lists.key_of(preview.current),
        "to_add_digest": lists.key_of(preview.add),
        "to_remove_digest": lists.key_of(preview.remove),
        "in_place_digest": lists.key_of(preview.in_place),
        "refusal": preview.refusal,
    }


def read_intent(row: Row[tuple[object, ...]], lists: Lists) -> BulkItem:
    """Return the changes that the job wants for the item of a row."""
    return BulkItem(
        item=ItemKey(row.supplier, row.supplier_item_id),
        add=lists[row.add_digest],
        remove=lists[row.remove_digest],
        exactly=None if row.exactly_digest is None else lists[row.exactly_digest],
        rows=tuple(map(int, row.rows.split(","))) if row.rows else (),
    )


def read_named(row: Row[tuple[object, ...]]) -> NamedItem:
    """Return the item of a row, without its lists."""
    return NamedItem(
        ItemKey(row.supplier, row.supplier_item_id),
        is_withdrawal=row.exactly_digest == _NOBODY,
        is_unread_list=row.exactly_digest is not None and row.refusal != "",
    )


def read_item(row: Row[tuple[object, ...]], lists: Lists) -> JobItem:
    """Return the item of a row."""
    return JobItem(
        position=row.position,
        intent=read_intent(row, lists),
        preview=None if row.read_at is None else _preview(row, lists),
        is_ended=row.is_ended,
    )


def _preview(row: Row[tuple[object, ...]], lists: Lists) -> ItemPreview:
    return ItemPreview(
        current=None if row.current_digest is None else lists[row.current_digest],
        read_at=row.read_at,
        add=lists[row.to_add_digest],
        remove=lists[row.to_remove_digest],
        in_place=lists[row.in_place_digest],
        is_large_removal=row.is_large_removal,
        refusal=row.refusal,
    )


def row_values(job_id: int, rows: Iterable[JobRow]) -> list[Values]:
    """Return the rows of an item that ended."""
    return [
        {
            "job_id": job_id,
            "position": row.position,
            "recipient_digest": digest(row.recipient_id),
            "recipient_id": row.recipient_id,
            "goal": row.goal.value,
            "outcome": row.outcome.value,
            "message": row.message,
        }
        for row in rows
    ]


def read_row(row: Row[tuple[object, ...]]) -> JobRow:
    """Return the outcome of one recipient from its row."""
    return JobRow(
        position=row.position,
        recipient_id=row.recipient_id,
        goal=Goal(row.goal),
        outcome=RowOutcome(row.outcome),
        message=row.message,
    )
