"""All tables of the dashboard's own database.

docs/decisions/database.md explains the choices.
"""

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from item_visibility.model.change import ChangeKind, ChangeOperation, Goal
from item_visibility.model.job import ItemsShown, JobKind, JobOrigin, JobState
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Outcome, Verdict
from item_visibility.storage.column_types import (
    DIGEST,
    ITEM,
    ROW_ID,
    ExactText,
    RecipientSet,
    UtcTime,
    filled,
    keys,
    one_of,
    optional,
)

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)


known_id = sa.Table(
    "known_id",
    metadata,
    *keys(ROW_ID, "number"),
    *filled(one_of(Kind), "kind"),
    *filled(ExactText, "service", "supplier", "own_id", "name", "market"),
    *filled(DIGEST, "digest"),
    *filled(sa.BigInteger, "version"),
    sa.UniqueConstraint("service", "kind", "digest"),
    sa.Index("ix_known_id_version", "service", "kind", "version"),
    sa.Index("ix_known_id_supplier", "service", "kind", "supplier"),
    comment=(
        "Known ids with their names. Only an item has a supplier. `version` is from"
        " the last change."
    ),
)


directory_version = sa.Table(
    "directory_version",
    metadata,
    *keys(ExactText, "service", "kind"),
    *filled(sa.BigInteger, "version", "removed_at"),
    comment=(
        "`version` grows with each change of known ids. `removed_at` is its value at"
        " the last removal."
    ),
)


recent_item = sa.Table(
    "recent_item",
    metadata,
    *keys(ExactText, "service", "person"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, *ITEM),
    *filled(UtcTime, "used_at"),
)


recipient_set = sa.Table(
    "recipient_set",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "digest"),
    *filled(ExactText, "name", "folded_name", "updated_by"),
    *filled(RecipientSet, "recipients"),
    *filled(UtcTime, "updated_at"),
    comment=(
        "Recipient sets. `digest` is the digest of the folded name, so no two sets"
        " have the same name."
    ),
)


history = sa.Table(
    "history",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(ExactText, "service", "key", *ITEM),
    *filled(
        ExactText, "person", "person_key", "reason", "message", "advice", default=""
    ),
    *filled(DIGEST, "item_digest"),
    *filled(one_of(ChangeKind), "kind"),
    *optional(ExactText, "undo_of"),
    *filled(one_of(ChangeOperation), "operation", default=ChangeOperation.EDIT),
    *optional(one_of(Verdict), "verdict"),
    *filled(UtcTime, "started_at"),
    *optional(UtcTime, "ended_at", "seen_before_at"),
    sa.Column("before_digest", DIGEST, sa.ForeignKey("recipient_list.digest")),
    sa.Column("after_digest", DIGEST, sa.ForeignKey("recipient_list.digest")),
    *filled(
        RecipientSet,
        "others_added",
        "others_removed",
        "added_ids",
        "removed_ids",
        default=frozenset(),
    ),
    *filled(sa.Integer, "added", "removed", default=0),
    sa.Column(
        "was_settled_later", sa.Boolean, server_default=sa.false(), nullable=False
    ),
    sa.Column("exchanges", sa.JSON(none_as_null=True)),
    sa.UniqueConstraint("service", "key"),
    sa.Index("ix_history_open", "service", "ended_at", "id"),
    # The id separates equal times.
    sa.Index("ix_history_time", "service", "started_at", "id"),
    *(
        sa.Index(f"ix_history_{name}", "service", name, "started_at", "id")
        for name in ("item_digest", "supplier", "person", "kind", "verdict")
    ),
    comment=(
        "One row for each save, and for each change made elsewhere. Later rows"
        " have higher ids."
    ),
)


history_step = sa.Table(
    "history_step",
    metadata,
    sa.Column(
        "history_id",
        ROW_ID,
        sa.ForeignKey("history.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    *keys(sa.Integer, "position"),
    *filled(ExactText, "recipient_id", "message"),
    *filled(DIGEST, "recipient_digest"),
    *filled(one_of(Goal), "goal"),
    *filled(one_of(Outcome), "outcome"),
    *filled(sa.Integer, "attempts"),
    sa.Column("problem", sa.JSON(none_as_null=True)),
    *optional(UtcTime, "started_at"),
    sa.Index(
        "ix_history_step_recipient", "recipient_digest", "started_at", "history_id"
    ),
    comment="One row for each recipient that a save was asked to change.",
)


recipient_list = sa.Table(
    "recipient_list",
    metadata,
    *keys(DIGEST, "digest"),
    *filled(RecipientSet, "recipients"),
    comment=(
        "The lists that the history, the lists last seen and the jobs refer to."
        " No list is stored twice."
    ),
)


OUTCOME_COLUMNS = {
    outcome: f"rows_{outcome.value.replace(' ', '_')}" for outcome in Outcome
}
"""The columns with the number of rows for each outcome.

The numbers are stored, because counting 200,000 rows is slow.
"""


job = sa.Table(
    "job",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(
        ExactText,
        "service",
        "environment",
        "key",
        "title",
        "person",
        "reason",
        "message",
    ),
    *filled(ExactText, "person_key", default=""),
    *filled(one_of(JobKind), "kind"),
    *filled(one_of(JobState), "state"),
    # Jobs from before version 0002 were started on the Bulk page.
    sa.Column(
        "origin",
        one_of(JobOrigin),
        nullable=False,
        server_default=JobOrigin.BULK_PAGE.value,
    ),
    *filled(UtcTime, "created_at"),
    *optional(
        UtcTime, "started_at", "ended_at", "waiting_since", "next_try_at", "beat_at"
    ),
    *optional(ExactText, "undo_of", "retry_of"),
    *optional(sa.Integer, "confirmed_count", "applied_role"),
    *filled(sa.Integer, "item_count", "ended_items", "skipped", "repeated", default=0),
    *filled(sa.Integer, "read_items", "to_add", "to_remove", "in_place", default=0),
    *filled(
        sa.Integer,
        "changing",
        "refused",
        "large_removals",
        "removals_to_confirm",
        default=0,
    ),
    *filled(sa.Integer, *OUTCOME_COLUMNS.values(), default=0),
    sa.UniqueConstraint("service", "environment", "key"),
    sa.Index("ix_job_newest", "service", "environment", "kind", "id"),
    sa.Index("ix_job_state", "service", "environment", "kind", "state", "id"),
    comment=(
        "One row for each bulk job or scan, with the counts of its previews and"
        " outcomes."
    ),
)


def _of_job(name: str, *columns: SchemaItem, comment: str) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column(
            "job_id",
            ROW_ID,
            sa.ForeignKey("job.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        *keys(sa.Integer, "position"),
        *columns,
        comment=comment,
        sqlite_with_rowid=False,
    )


job_item = _of_job(
    "job_item",
    *filled(ExactText, *ITEM),
    *filled(ExactText, "refusal", default=""),
    *filled(sa.Text, "rows"),
    *filled(one_of(ItemsShown), "shown", default=ItemsShown.UNREAD),
    *filled(sa.Boolean, "is_ended", default=False),
    *optional(UtcTime, "read_at"),
    *filled(DIGEST, "add_digest", "remove_digest"),
    *optional(DIGEST, "exactly_digest", "current_digest"),
    sa.Index("ix_job_item_open", "job_id", "is_ended", "position"),
    sa.Index("ix_job_item_of_item", "supplier_item_id", "is_ended", "job_id"),
    comment=(
        "The changes that a job requests for one item, and its preview. Lists"
        " are in recipient_list."
    ),
)


job_row = _of_job(
    "job_row",
    *keys(sa.Integer, "number"),
    *filled(ExactText, "recipient_id", "message"),
    *filled(one_of(Goal), "goal"),
    *filled(one_of(Outcome), "outcome"),
    comment=(
        "The outcome for one recipient of one item of a job. `number` follows"
        " the recipient ids."
    ),
)


job_skipped_row = _of_job(
    "job_skipped_row",
    *filled(sa.Integer, "number"),
    *filled(ExactText, *ITEM, "recipients", "action", "reason"),
    comment="Rows of the list that the job skips, with the reasons.",
)


seen_list = sa.Table(
    "seen_list",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, *ITEM),
    sa.Column("list_digest", DIGEST, sa.ForeignKey("recipient_list.digest")),
    *optional(DIGEST, "before_digest"),
    *filled(RecipientSet, "unsure", default=frozenset()),
    *filled(ExactText, "failure", default=""),
    *optional(UtcTime, "seen_at", "saved_at"),
    comment=(
        "For each item, the list last seen, and the reason why a later read failed."
    ),
    sqlite_with_rowid=False,
)


sign_out = sa.Table(
    "sign_out",
    metadata,
    *keys(ExactText, "person", "session"),
    *filled(UtcTime, "began_at", "ended_at"),
    comment=(
        "Each row ends the sign-ins that began until `began_at`, in one session or"
        " under one name."
    ),
)
