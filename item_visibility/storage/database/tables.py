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
    Text,
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


def _known(name: str, *ids: str, starts: tuple[str, ...], others: tuple[str, ...] = ()) -> Table:
    """Return a table of known ids and their names.

    Rows have numbers, so that the trigram index (`known_…_gram`) can refer to them. A search walks the rows
    in id order, or looks at the rows that the trigram index returns. The order index holds only the starts
    of the ids, because an index of PostgreSQL holds at most 2,704 bytes.
    """
    return Table(
        f"known_{name}",
        metadata,
        *keys(ROW_ID, "number"),
        *filled(ExactText, "service", *ids, "name", "folded_name", *others),
        *filled(DIGEST, "digest"),
        *filled(StoredText, *starts),
        UniqueConstraint("service", "digest"),
        Index(f"ix_known_{name}_start", "service", *starts),
        comment="Numbered, for the trigram index; in order of the ids by their starts.",
    )


known_supplier = _known("supplier", "supplier", starts=("supplier_start",))
known_item = _known("item", *ITEM, starts=("supplier_start", "item_start"), others=("market",))
known_recipient = _known("recipient", "recipient_id", starts=("recipient_start",))

known_gram = Table(
    "known_gram",
    metadata,
    *keys(Text, "known"),
    *keys(StoredText, "gram"),
    comment="Which trigrams there are, so that one or two letters lead to them.",
)

recent_item = Table(
    "recent_item",
    metadata,
    *keys(ExactText, "service", "person"),
    *keys(DIGEST, "item_digest"),
    *filled(ExactText, *ITEM),
    *filled(UtcTime, "used_at"),
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

recipient_set = Table(
    "recipient_set",
    metadata,
    *keys(ExactText, "service"),
    *keys(DIGEST, "digest"),
    *filled(ExactText, "name", "folded_name", "updated_by"),
    *filled(RecipientSet, "recipients"),
    *filled(UtcTime, "updated_at"),
    comment="Recipients under a name of ours.",
)
