"""The tables of bulk jobs. Rows and items belong to a job; the job belongs to one service.

It also belongs to one environment, which decides its client: two environments may name one service.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from item_visibility.changes.job import RowOutcome
from item_visibility.records.ground.tables import metadata
from item_visibility.records.ground.types import ExactText, UtcTime

_RowId = BigInteger().with_variant(Integer, "sqlite")
_Digest = String(40)

OUTCOME_COLUMNS = {outcome: f"rows_{outcome.value.replace(' ', '_')}" for outcome in RowOutcome}
"""The column that counts a job's rows by outcome: counting 200,000 rows each time would take too long."""

INCOMPLETE = "incomplete"
"""The state of a job whose items are still being saved. It is hidden until then."""

job = Table(
    "job",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("service", ExactText, nullable=False),
    Column("environment", ExactText, nullable=False),
    Column("key", ExactText, nullable=False),
    Column("title", ExactText, nullable=False),
    Column("person", ExactText, nullable=False),
    Column("reason", ExactText, nullable=False),
    Column("state", Text, nullable=False),
    Column("message", ExactText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("undo_of", ExactText),
    Column("retry_of", ExactText),
    Column("confirmed_count", Integer),
    Column("item_count", Integer, nullable=False),
    Column("read_items", Integer, nullable=False),
    Column("to_add", Integer, nullable=False),
    Column("to_remove", Integer, nullable=False),
    Column("in_place", Integer, nullable=False),
    Column("changing_items", Integer, nullable=False),
    Column("refused_items", Integer, nullable=False),
    Column("large_removals", Integer, nullable=False),
    Column("removals_to_confirm", Integer, nullable=False),
    Column("ended_items", Integer, nullable=False),
    Column("skipped", Integer, nullable=False),
    *(Column(name, Integer, nullable=False) for name in OUTCOME_COLUMNS.values()),
    UniqueConstraint("service", "key"),
    comment="One row a bulk job, with its counts: what the previews show, and how rows ended.",
)

Index("ix_job_newest", job.c.service, job.c.environment, job.c.id)
Index("ix_job_state", job.c.service, job.c.environment, job.c.state, job.c.id)

job_item = Table(
    "job_item",
    metadata,
    Column("job_id", _RowId, ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("is_ended", Boolean, nullable=False),
    Column("read_at", UtcTime),
    Column("to_add", Integer, nullable=False),
    Column("to_remove", Integer, nullable=False),
    Column("in_place", Integer, nullable=False),
    Column("is_large_removal", Boolean, nullable=False),
    Column("add_digest", _Digest, nullable=False),
    Column("remove_digest", _Digest, nullable=False),
    Column("exactly_digest", _Digest),
    Column("current_digest", _Digest),
    Column("to_add_digest", _Digest),
    Column("to_remove_digest", _Digest),
    Column("in_place_digest", _Digest),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("refusal", ExactText, nullable=False),
    Column("rows", Text, nullable=False),
    comment="What a job asks of one item, and what a read showed. The lists are kept in recipient_list.",
    sqlite_with_rowid=False,
)

Index("ix_job_item_open", job_item.c.job_id, job_item.c.is_ended, job_item.c.position)

job_row = Table(
    "job_row",
    metadata,
    Column("job_id", _RowId, ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("recipient_digest", _Digest, primary_key=True),
    Column("recipient_id", ExactText, nullable=False),
    Column("goal", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("message", ExactText, nullable=False),
    comment="How one recipient of one item of a job ended.",
    sqlite_with_rowid=False,
)

Index("ix_job_row_outcome", job_row.c.job_id, job_row.c.outcome, job_row.c.position)

job_skipped_row = Table(
    "job_skipped_row",
    metadata,
    Column("job_id", _RowId, ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("supplier", ExactText, nullable=False),
    Column("supplier_item_id", ExactText, nullable=False),
    Column("recipients", ExactText, nullable=False),
    Column("action", ExactText, nullable=False),
    Column("reason", ExactText, nullable=False),
    comment="Rows of the list that a job does not take, and why.",
    sqlite_with_rowid=False,
)
