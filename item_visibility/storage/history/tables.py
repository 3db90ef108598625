"""The tables of the history, and of the lists as last seen."""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    UniqueConstraint,
    false,
    text,
)

from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind, Operation
from item_visibility.storage.columns import (
    DIGEST,
    ITEM,
    ROW_ID,
    ExactText,
    RecipientSet,
    UtcTime,
    filled,
    keys,
    metadata,
    one_of,
    optional,
)

history = Table(
    "history",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(ExactText, "service", "key", *ITEM),
    *filled(ExactText, "person", "person_key", "reason", "message", "advice", default=""),
    *filled(DIGEST, "item_digest"),
    Column("kind", one_of(ChangeKind), nullable=False),
    *optional(ExactText, "undo_of"),
    Column("operation", one_of(Operation), nullable=False, default=Operation.EDIT),
    Column("verdict", one_of(Verdict)),
    *filled(UtcTime, "started_at"),
    *optional(UtcTime, "ended_at", "seen_before_at"),
    Column("before_digest", DIGEST, ForeignKey("recipient_list.digest")),
    Column("after_digest", DIGEST, ForeignKey("recipient_list.digest")),
    *filled(RecipientSet, "others_added", "others_removed", "added_ids", "removed_ids", default=frozenset()),
    *filled(Integer, "added", "removed", default=0),
    Column("was_settled_later", Boolean, server_default=false(), nullable=False),
    Column("exchanges", JSON(none_as_null=True)),
    UniqueConstraint("service", "key"),
    comment="One row a save, in the order in which they were begun: the newest have the highest id.",
)

for _name, _columns in {
    "time": (),
    "item": ("item_digest",),
    "supplier": ("supplier",),
    "person": ("person",),
    "kind": ("kind",),
    "verdict": ("verdict",),
}.items():  # pages are sorted by time; the id separates equal times
    _sorted_by = ("service", *_columns, "started_at", "id")
    Index(f"ix_history_{_name}", *(history.c[column] for column in _sorted_by))
Index(
    "ix_history_open",
    history.c.service,
    history.c.id,
    sqlite_where=text("ended_at IS NULL"),
    postgresql_where=text("ended_at IS NULL"),
)

history_step = Table(
    "history_step",
    metadata,
    Column("history_id", ROW_ID, ForeignKey("history.id", ondelete="CASCADE"), primary_key=True),
    *keys(Integer, "position"),
    *filled(ExactText, "recipient_id", "message"),
    *filled(DIGEST, "recipient_digest"),
    Column("goal", one_of(Goal), nullable=False),
    Column("outcome", one_of(Outcome), nullable=False),
    *filled(Integer, "attempts"),
    Column("problem", JSON(none_as_null=True)),
    *optional(UtcTime, "started_at"),
    Index("ix_history_step_recipient", "recipient_digest", "started_at", "history_id"),
    comment="One row a recipient that a save was asked to change.",
)


seen_list = Table(
    "seen_list",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, *ITEM),
    Column("list_digest", DIGEST, ForeignKey("recipient_list.digest")),
    *optional(DIGEST, "before_digest"),
    *filled(RecipientSet, "unsure", default=frozenset()),
    *filled(ExactText, "failure", default=""),
    *optional(UtcTime, "seen_at", "saved_at", "failed_at"),
    comment="Each item's list as a read or a save showed it last, and why a read failed since then.",
    sqlite_with_rowid=False,
)
