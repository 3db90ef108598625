"""The tables of our own records. Every row belongs to one service, so that services never mix.

`service` is its address: records of one service say nothing about another, whatever their names here.
"""

from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
    false,
    text,
)

from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind, Operation
from item_visibility.storage.database.column_groups import (
    DIGEST,
    ITEM,
    ROW_ID,
    filled,
    keys,
    one_of,
    optional,
)
from item_visibility.storage.database.types import ExactText, RecipientSet, StoredText, UtcTime

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

environment_address = Table(
    "environment_address",
    metadata,
    *keys(ExactText, "environment"),
    *filled(ExactText, "service"),
    *optional(ExactText, "service_before"),
    *optional(UtcTime, "changed_at"),
    *filled(Boolean, "is_told"),
    comment="Which service each environment named last, and which one before.",
)

sign_out = Table(
    "sign_out",
    metadata,
    *keys(ExactText, "person", "session"),
    *filled(UtcTime, "began_at", "ended_at"),
    comment="Sign-ins that were ended: those until `began_at` of a session, or of a name in any session.",
)

recipient_list = Table(
    "recipient_list",
    metadata,
    *keys(DIGEST, "digest"),
    *filled(RecipientSet, "recipients"),
    comment="Lists before and after saves, each distinct one once: what one save leaves, the next finds.",
)


def _origin() -> list[Column[Any]]:
    """Return a column for each field of an Origin."""
    return [
        Column("kind", one_of(ChangeKind), nullable=False),
        *optional(ExactText, "undo_of"),
    ]


history = Table(
    "history",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(ExactText, "service", "key", *ITEM),
    *filled(ExactText, "person", "person_key", "reason", "message", "advice", default=""),
    *filled(DIGEST, "item_digest"),
    *_origin(),
    Column("operation", one_of(Operation), nullable=False, default=Operation.EDIT),
    Column("verdict", one_of(Verdict)),
    *filled(UtcTime, "started_at"),
    *optional(UtcTime, "ended_at", "seen_before_at"),
    Column("before_digest", DIGEST, ForeignKey("recipient_list.digest")),
    Column("after_digest", DIGEST, ForeignKey("recipient_list.digest")),
    *filled(RecipientSet, "others_added", "others_removed", default=frozenset()),
    Column("was_settled_later", Boolean, server_default=false(), nullable=False),
    *filled(StoredText, "exchanges", default=""),
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
    *optional(Integer, "problem_status"),
    *optional(ExactText, "problem_title", "problem_detail", "problem_instance", "request_id"),
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
    Column("list_digest", DIGEST, ForeignKey("recipient_list.digest"), nullable=False),
    *optional(DIGEST, "before_digest"),
    *filled(RecipientSet, "unsure"),
    *filled(UtcTime, "seen_at"),
    *optional(UtcTime, "saved_at"),
    comment="Each item's list as a read or a save showed it last.",
)
