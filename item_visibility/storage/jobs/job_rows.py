"""Reads and writes of the rows of bulk jobs."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select

from item_visibility.access.access import Role
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, Job, JobItem, JobRow, SkippedRow
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.columns import (
    AnyRow,
    Values,
    digest,
    insert_new,
    item_values,
    list_digest,
    pieces,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.storage.history.tables import recipient_list
from item_visibility.storage.jobs.job_tables import OUTCOME_COLUMNS, job, job_item, job_row, job_skipped_row

Lists = Mapping[str | None, frozenset[str]]
"""Recipient lists by key; none for the key None."""

_TAKEN_AWAY = {Outcome.DONE: "removed", Outcome.IN_PLACE: "already_without"}


class ListsToKeep:
    """Gathers the lists of many rows, so that each distinct one is written once."""

    def __init__(self) -> None:
        self._lists: dict[frozenset[str], str] = {}

    def key_of(self, recipients: frozenset[str] | None) -> str | None:
        """Return the key under which the list will be saved; None for no list."""
        if recipients is not None and recipients not in self._lists:
            self._lists[recipients] = list_digest(recipients)
        return None if recipients is None else self._lists[recipients]

    def put(self, connection: Connection) -> None:
        """Save the lists that are new."""
        rows = [{"digest": key, "recipients": recipients} for recipients, key in self._lists.items()]
        if rows:
            connection.execute(insert_new(connection, recipient_list), rows)


def lists_of(connection: Connection, rows: Sequence[AnyRow]) -> Lists:
    """Return the lists that these item rows refer to, by key."""
    columns = [column.name for column in job_item.c if column.name.endswith("_digest")]
    keys = {getattr(row, name) for row in rows for name in columns} - {None}
    query = select(recipient_list.c.digest, recipient_list.c.recipients)
    lists: dict[str | None, frozenset[str]] = {}
    for some in pieces(sorted(keys)):
        found = connection.execute(query.where(recipient_list.c.digest.in_(some)))
        lists.update((row.digest, row.recipients) for row in found)
    return lists


def read_job(row: AnyRow) -> Job:
    """Return the job of a row."""
    counts = {outcome: getattr(row, name) for outcome, name in OUTCOME_COLUMNS.items()}
    return read_value(
        Job,
        job,
        row,
        outcomes={outcome: count for outcome, count in counts.items() if count},
        applied_role=None if row.applied_role is None else Role(row.applied_role),
    )


def count_columns(row: JobRow) -> tuple[str, ...]:
    """Return the columns of its job that count this row: by outcome, and as one that takes away."""
    by_outcome = OUTCOME_COLUMNS[row.outcome]
    taken_away = _TAKEN_AWAY.get(row.outcome) if row.goal is Goal.NOT_VISIBLE else None
    return (by_outcome, taken_away) if taken_away else (by_outcome,)


def intent_values(position: int, intent: BulkItem, lists: ListsToKeep) -> Values:
    """Return the row of a new item."""
    return item_values(intent.item) | {
        "position": position,
        "add_digest": lists.key_of(intent.add),
        "remove_digest": lists.key_of(intent.remove),
        "exactly_digest": lists.key_of(intent.exactly),
        "rows": ";".join(",".join(map(str, numbers)) for numbers in intent.rows),
    }


def preview_values(preview: ItemPreview, lists: ListsToKeep) -> Values:
    """Return the columns that a preview sets in the row of its item."""
    return {
        "read_at": preview.read_at,
        "to_add": len(preview.add),
        "to_remove": len(preview.remove),
        "in_place": len(preview.in_place),
        "is_large_removal": preview.is_large_removal,
        "current_digest": lists.key_of(preview.current),
        "refusal": preview.refusal,
    }


def read_intent(row: AnyRow, lists: Lists) -> BulkItem:
    """Return the changes that the job wants for the item of a row."""
    return BulkItem(
        item=read_item_key(row),
        add=lists[row.add_digest],
        remove=lists[row.remove_digest],
        exactly=lists.get(row.exactly_digest),
        rows=tuple(tuple(map(int, numbers.split(","))) for numbers in filter(None, row.rows.split(";"))),
    )


def read_item(row: AnyRow, lists: Lists) -> JobItem:
    """Return the item of a row. What it changes follows from the list that was read."""
    intent, preview = read_intent(row, lists), None
    if row.read_at is not None:
        current = lists.get(row.current_digest)
        preview = ItemPreview.of(intent, current, read_at=row.read_at, refusal=row.refusal)
    return read_value(JobItem, job_item, row, intent=intent, preview=preview)


def outcome_values(row: JobRow) -> Values:
    """Return the row of one recipient of an item that ended."""
    return values_of(row, job_row) | {"recipient_digest": digest(row.recipient_id)}


def read_outcome(row: AnyRow) -> JobRow:
    """Return the outcome of one recipient from its row."""
    return read_value(JobRow, job_row, row)


def skipped_values(position: int, row: SkippedRow) -> Values:
    """Return the row of a skipped row of the list."""
    return values_of(row, job_skipped_row) | {"position": position}


def read_skipped(row: AnyRow) -> SkippedRow:
    """Return a skipped row of the list from its row."""
    return read_value(SkippedRow, job_skipped_row, row)
