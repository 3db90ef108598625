"""The tables of bulk jobs and scans. Rows and items belong to a job; the job belongs to one service.

It also belongs to one environment, which decides its client: two environments may name one service.
"""

from enum import StrEnum

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, text
from sqlalchemy.schema import SchemaItem

from item_visibility.saving.job import JobKind, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.columns import (
    DIGEST,
    ITEM,
    ROW_ID,
    ExactText,
    UtcTime,
    filled,
    keys,
    metadata,
    one_of,
    optional,
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
    *filled(Integer, "removed", "already_without", default=0),
    *filled(Integer, *PREVIEW_COUNTS, *OUTCOME_COLUMNS.values(), default=0),
    UniqueConstraint("service", "key"),
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
