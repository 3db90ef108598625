"""The tables of our own records. Every row belongs to one service, so that services never mix.

`service` is its address: records of one service say nothing about another, whatever their names here.
The migration builds the same tables; a test compares the two.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from item_visibility.records.ground.types import ExactText, RecipientSet, StoredText, UtcTime

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

_RowId = BigInteger().with_variant(Integer, "sqlite")
_Digest = String(40)
_NUMBERED = "Numbered, for the index of three letters; in order of the ids by their starts."

environment_address = Table(
    "environment_address",
    metadata,
    Column("environment", ExactText, primary_key=True),
    Column("service", ExactText, nullable=False),
    Column("service_before", ExactText),
    Column("changed_at", UtcTime),
    Column("is_told", Boolean, nullable=False),
    comment="Which service each environment named last, and which one before.",
)

recipient_list = Table(
    "recipient_list",
    metadata,
    Column("digest", _Digest, primary_key=True),
    Column("recipients", RecipientSet, nullable=False),
    comment="Lists before and after saves, each distinct one once: what one save leaves, the next finds.",
)

history = Table(
    "history",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("service", ExactText, nullable=False),
    Column("key", ExactText, nullable=False),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("item_digest", _Digest, nullable=False),
    Column("person", ExactText, nullable=False),
    Column("reason", ExactText, nullable=False),
    Column("kind", Text, nullable=False),
    Column("undo_of", ExactText),
    Column("started_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("verdict", Text),
    Column("before_digest", _Digest, ForeignKey("recipient_list.digest")),
    Column("after_digest", _Digest, ForeignKey("recipient_list.digest")),
    Column("others_added", RecipientSet, nullable=False),
    Column("others_removed", RecipientSet, nullable=False),
    Column("message", ExactText, nullable=False),
    Column("advice", ExactText, nullable=False),
    Column("set_name", ExactText),
    Column("set_recipients", RecipientSet),
    Column("restored_from", ExactText),
    Column("was_settled_later", Boolean, server_default=false(), nullable=False),
    Column("seen_before_at", UtcTime),
    UniqueConstraint("service", "key"),
    comment="One row a save, in the order in which they were begun: the newest have the highest id.",
)

_newest_first = (history.c.started_at, history.c.id)
"""The sort key of pages. Time finds a page without counting; the id separates equal times."""
Index("ix_history_time", history.c.service, *_newest_first)
Index("ix_history_item", history.c.service, history.c.item_digest, *_newest_first)
Index("ix_history_supplier", history.c.service, history.c.supplier, *_newest_first)
Index("ix_history_person", history.c.service, history.c.person, *_newest_first)
Index("ix_history_kind", history.c.service, history.c.kind, *_newest_first)
Index("ix_history_verdict", history.c.service, history.c.verdict, *_newest_first)
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
    Column("history_id", _RowId, ForeignKey("history.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("recipient_id", ExactText, nullable=False),
    Column("recipient_digest", _Digest, nullable=False),
    Column("goal", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("problem_status", Integer),
    Column("problem_title", ExactText),
    Column("problem_detail", ExactText),
    Column("problem_instance", ExactText),
    Column("message", ExactText, nullable=False),
    Column("started_at", UtcTime),
    comment="One row a recipient that a save was asked to change.",
)

Index(
    "ix_history_step_recipient",
    history_step.c.recipient_digest,
    history_step.c.started_at,
    history_step.c.history_id,
)

# Known rows have numbers, so that the trigram index (`known_…_gram`, migration 0001) can refer to them.
# A search walks the rows in id order, or looks at the rows that the trigram index returns. The order index
# holds only the starts of the ids, because an index of PostgreSQL holds at most 2,704 bytes.
known_supplier = Table(
    "known_supplier",
    metadata,
    Column("number", _RowId, primary_key=True),
    Column("service", ExactText, nullable=False),
    Column("digest", _Digest, nullable=False),
    Column("supplier", ExactText, nullable=False),
    Column("name", ExactText, nullable=False),
    Column("folded_name", ExactText, nullable=False),
    Column("supplier_start", StoredText, nullable=False),
    UniqueConstraint("service", "digest"),
    comment=_NUMBERED,
)
Index("ix_known_supplier_start", known_supplier.c.service, known_supplier.c.supplier_start)

known_item = Table(
    "known_item",
    metadata,
    Column("number", _RowId, primary_key=True),
    Column("service", ExactText, nullable=False),
    Column("supplier_digest", _Digest, nullable=False),
    Column("digest", _Digest, nullable=False),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("market", ExactText, nullable=False),
    Column("name", ExactText, nullable=False),
    Column("folded_name", ExactText, nullable=False),
    Column("supplier_start", StoredText, nullable=False),
    Column("item_start", StoredText, nullable=False),
    UniqueConstraint("service", "supplier_digest", "digest"),
    comment=_NUMBERED,
)
Index("ix_known_item_start", known_item.c.service, known_item.c.supplier_start, known_item.c.item_start)

known_recipient = Table(
    "known_recipient",
    metadata,
    Column("number", _RowId, primary_key=True),
    Column("service", ExactText, nullable=False),
    Column("digest", _Digest, nullable=False),
    Column("recipient_id", ExactText, nullable=False),
    Column("name", ExactText, nullable=False),
    Column("folded_name", ExactText, nullable=False),
    Column("recipient_start", StoredText, nullable=False),
    UniqueConstraint("service", "digest"),
    comment=_NUMBERED,
)
Index("ix_known_recipient_start", known_recipient.c.service, known_recipient.c.recipient_start)

known_gram = Table(
    "known_gram",
    metadata,
    Column("known", Text, primary_key=True),
    Column("gram", StoredText, primary_key=True),
    comment="Which groups of three letters there are, so that one or two letters lead to them.",
)

recent_item = Table(
    "recent_item",
    metadata,
    Column("service", ExactText, primary_key=True),
    Column("person", ExactText, primary_key=True),
    Column("item_digest", _Digest, primary_key=True),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("used_at", UtcTime, nullable=False),
)

service_fact = Table(
    "service_fact",
    metadata,
    Column("service", ExactText, primary_key=True),
    Column("fact", ExactText, primary_key=True),
    Column("value", ExactText, nullable=False),
    Column("observed_at", UtcTime, nullable=False),
)

draft = Table(
    "draft",
    metadata,
    Column("service", ExactText, primary_key=True),
    Column("owner", ExactText, primary_key=True),
    Column("item_digest", _Digest, primary_key=True),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("base_recipients", RecipientSet),
    Column("read_at", UtcTime, nullable=False),
    Column("added", RecipientSet, nullable=False),
    Column("removed", RecipientSet, nullable=False),
    Column("origin", ExactText, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("taken_over_at", UtcTime),
    comment="The staged changes of a browser, one row an item.",
)

seen_list = Table(
    "seen_list",
    metadata,
    Column("service", ExactText, primary_key=True),
    Column("item_digest", _Digest, primary_key=True),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("list_digest", _Digest, ForeignKey("recipient_list.digest"), nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("saved_at", UtcTime),
    Column("unsure", RecipientSet, nullable=False),
    Column("before_digest", _Digest),
    comment="Each item's list as a read or a save showed it last.",
)

recipient_set = Table(
    "recipient_set",
    metadata,
    Column("service", ExactText, primary_key=True),
    Column("digest", _Digest, primary_key=True),
    Column("name", ExactText, nullable=False),
    Column("folded_name", ExactText, nullable=False),
    Column("recipients", RecipientSet, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", ExactText, nullable=False),
    comment="Recipients under a name of ours.",
)

parked_item = Table(
    "parked_item",
    metadata,
    Column("service", ExactText, primary_key=True),
    Column("key", ExactText, primary_key=True),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("item_digest", _Digest, nullable=False),
    Column("recipients", RecipientSet, nullable=False),
    Column("parked_at", UtcTime, nullable=False),
    Column("parked_by", ExactText, nullable=False),
    Column("settled_at", UtcTime),
    Column("restored_at", UtcTime),
    Column("note", ExactText, nullable=False),
    comment="The recipients of items that were withdrawn, as they were just before.",
)
