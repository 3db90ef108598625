"""The tables of bulk jobs and scans, and their rows as values. Rows and items belong to a job.

A job belongs to one service, and to one environment, which decides its client: two environments may name one
service.
"""

from collections import Counter
from enum import StrEnum

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, text
from sqlalchemy.schema import SchemaItem

from item_visibility.access.access import Role
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, Job, JobItem, JobKind, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.columns import (
    DIGEST,
    ITEM,
    ROW_ID,
    AnyRow,
    ExactText,
    UtcTime,
    Values,
    filled,
    item_values,
    keys,
    list_digest,
    metadata,
    one_of,
    optional,
    read_item_key,
    read_value,
)


class ItemsShown(StrEnum):
    """The choice of items to show in a preview."""

    ALL = "all"
    CHANGES = "changes"
    LARGE_REMOVALS = "large removals"
    REFUSED = "refused"
    UNREAD = "not read"
    NOTHING_TO_DO = "nothing to do"


OUTCOME_COLUMNS = {outcome: f"rows_{outcome.value.replace(' ', '_')}" for outcome in Outcome}
"""The column that counts a job's rows by outcome: counting 200,000 rows each time would take too long."""

PREVIEW_COUNTS = (
    *("read_items", "to_add", "to_remove", "in_place", "changing", "refused"),
    *("large_removals", "removals_to_confirm"),
)
"""The columns that sum up the previews of a job's items."""

job = Table(
    "job",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(ExactText, "service", "environment", "key", "title", "person", "reason", "message"),
    *filled(ExactText, "person_key", default=""),
    Column("kind", one_of(JobKind), nullable=False),
    Column("state", one_of(JobState), nullable=False),
    *filled(UtcTime, "created_at"),
    *optional(UtcTime, "started_at", "ended_at", "waiting_since", "next_try_at", "beat_at"),
    *optional(ExactText, "undo_of", "retry_of"),
    *optional(Integer, "confirmed_count", "applied_role"),
    *filled(Integer, "item_count", "ended_items", "skipped", "repeated", default=0),
    *filled(Integer, *PREVIEW_COUNTS, *OUTCOME_COLUMNS.values(), default=0),
    UniqueConstraint("service", "environment", "key"),
    Index("ix_job_newest", "service", "environment", "kind", "id"),
    Index("ix_job_state", "service", "environment", "kind", "state", "id"),
    comment="One row a bulk job or scan, with its counts: what the previews show, and how rows ended.",
)


def _of_job(name: str, *columns: SchemaItem, comment: str) -> Table:
    """Return a table of what belongs to a job, in order."""
    return Table(
        name,
        metadata,
        Column("job_id", ROW_ID, ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
        *keys(Integer, "position"),
        *columns,
        comment=comment,
        sqlite_with_rowid=False,
    )


job_item = _of_job(
    "job_item",
    *filled(ExactText, *ITEM),
    *filled(ExactText, "refusal", default=""),
    *filled(Text, "rows"),
    Column("shown", one_of(ItemsShown), nullable=False, default=ItemsShown.UNREAD),
    *filled(Boolean, "is_ended", default=False),
    *optional(UtcTime, "read_at"),
    *filled(DIGEST, "add_digest", "remove_digest"),
    *optional(DIGEST, "exactly_digest", "current_digest"),
    Index("ix_job_item_open", "job_id", "is_ended", "position"),
    Index(
        "ix_job_item_of_item",
        "supplier_item_id",
        "job_id",
        sqlite_where=text("is_ended = 0"),
        postgresql_where=text("NOT is_ended"),
    ),
    comment="What a job asks of one item, and what a read showed. The lists are kept in recipient_list.",
)

job_row = _of_job(
    "job_row",
    *keys(Integer, "number"),
    *filled(ExactText, "recipient_id", "message"),
    Column("goal", one_of(Goal), nullable=False),
    Column("outcome", one_of(Outcome), nullable=False),
    comment="How one recipient of one item of a job ended; those of an item are in the order of their ids.",
)

job_skipped_row = _of_job(
    "job_skipped_row",
    *filled(Integer, "number"),
    *filled(ExactText, *ITEM, "recipients", "action", "reason"),
    comment="Rows of the list that a job does not take, and why.",
)

Lists = dict[str, frozenset[str]]
"""Recipient lists by digest."""

LIST_COLUMNS = ("add_digest", "remove_digest", "exactly_digest", "current_digest")
"""The columns of an item that refer to lists."""


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


def intent_values(position: int, intent: BulkItem) -> Values:
    """Return the row of a new item."""
    return item_values(intent.item) | {
        "position": position,
        "add_digest": list_digest(intent.add),
        "remove_digest": list_digest(intent.remove),
        "exactly_digest": None if intent.exactly is None else list_digest(intent.exactly),
        "rows": ";".join(",".join(map(str, numbers)) for numbers in intent.rows),
    }


def preview_values(preview: ItemPreview) -> Values:
    """Return the columns that a preview sets in the row of its item."""
    return {
        "read_at": preview.read_at,
        "current_digest": None if preview.current is None else list_digest(preview.current),
        "refusal": preview.refusal,
        "shown": _shown(preview),
    }


def preview_counts(preview: ItemPreview) -> Counter[str]:
    """Return what a preview adds to the counts of its job."""
    shown = _shown(preview)
    is_large = shown is ItemsShown.LARGE_REMOVALS
    return Counter(
        read_items=1,
        to_add=len(preview.add),
        to_remove=len(preview.remove),
        in_place=len(preview.in_place),
        changing=int(is_large or shown is ItemsShown.CHANGES),
        refused=int(shown is ItemsShown.REFUSED),
        large_removals=int(is_large),
        removals_to_confirm=len(preview.remove) if is_large else 0,
    )


def _shown(preview: ItemPreview) -> ItemsShown:
    if preview.refusal:
        return ItemsShown.REFUSED
    if preview.is_large_removal:
        return ItemsShown.LARGE_REMOVALS
    return ItemsShown.CHANGES if preview.add or preview.remove else ItemsShown.NOTHING_TO_DO


def read_intent(row: AnyRow, lists: Lists) -> BulkItem:
    """Return the changes that the job wants for the item of a row."""
    return BulkItem(
        item=read_item_key(row),
        add=lists[row.add_digest],
        remove=lists[row.remove_digest],
        exactly=None if row.exactly_digest is None else lists[row.exactly_digest],
        rows=tuple(tuple(map(int, numbers.split(","))) for numbers in filter(None, row.rows.split(";"))),
    )


def read_item(row: AnyRow, lists: Lists) -> JobItem:
    """Return the item of a row. What it changes follows from the list that was read."""
    intent, preview = read_intent(row, lists), None
    if row.read_at is not None:
        current = None if row.current_digest is None else lists[row.current_digest]
        preview = ItemPreview.of(intent, current, read_at=row.read_at, refusal=row.refusal)
    return read_value(JobItem, job_item, row, intent=intent, preview=preview)
