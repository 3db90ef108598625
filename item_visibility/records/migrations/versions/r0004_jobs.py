"""Bulk jobs: what is asked of many items, what reads showed, and how every row ended.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText, UtcTime

revision = "0004"
down_revision = "0003"

_JOB_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables; everything else stays."""
    _make_job()
    _make_job_item()
    _make_job_row()


def _make_job() -> None:
    op.create_table(
        "job",
        sa.Column("id", _JOB_ID, nullable=False),
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("key", ExactText(), nullable=False),
        sa.Column("title", ExactText(), nullable=False),
        sa.Column("person", ExactText(), nullable=False),
        sa.Column("reason", ExactText(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("message", ExactText(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("ended_at", UtcTime(), nullable=True),
        sa.Column("undo_of", ExactText(), nullable=True),
        sa.Column("retry_of", ExactText(), nullable=True),
        sa.Column("confirmed_count", sa.Integer(), nullable=True),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in _COUNTS),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("environment", "key", name=op.f("uq_job_environment")),
        comment="One row a bulk job, with its counts: what the previews show, and how rows ended.",
    )
    op.create_index("ix_job_newest", "job", ["environment", "id"])
    op.create_index("ix_job_state", "job", ["environment", "state", "id"])


_COUNTS = (
    "item_count",
    "read_items",
    "to_add",
    "to_remove",
    "already_so",
    "changing_items",
    "refused_items",
    "large_removals",
    "removals_to_confirm",
    "ended_items",
    "rows_verified",
    "rows_already_so",
    "rows_refused",
    "rows_changed_meanwhile",
    "rows_not_confirmed",
    "rows_not_sent",
)


def _make_job_item() -> None:
    op.create_table(
        "job_item",
        sa.Column("job_id", _JOB_ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("is_ended", sa.Boolean(), nullable=False),
        sa.Column("read_at", UtcTime(), nullable=True),
        sa.Column("to_add", sa.Integer(), nullable=False),
        sa.Column("to_remove", sa.Integer(), nullable=False),
        sa.Column("already_so", sa.Integer(), nullable=False),
        sa.Column("is_large_removal", sa.Boolean(), nullable=False),
        sa.Column("add_digest", sa.String(length=40), nullable=False),
        sa.Column("remove_digest", sa.String(length=40), nullable=False),
        sa.Column("exactly_digest", sa.String(length=40), nullable=True),
        sa.Column("current_digest", sa.String(length=40), nullable=True),
        sa.Column("to_add_digest", sa.String(length=40), nullable=True),
        sa.Column("to_remove_digest", sa.String(length=40), nullable=True),
        sa.Column("already_so_digest", sa.String(length=40), nullable=True),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("refusal", ExactText(), nullable=False),
        sa.Column("rows", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_item_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "position", name=op.f("pk_job_item")),
        comment="What a job asks of one item, and what a read showed. The lists are kept in recipient_list.",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_item_open", "job_item", ["job_id", "is_ended", "position"])


def _make_job_row() -> None:
    op.create_table(
        "job_row",
        sa.Column("job_id", _JOB_ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("recipient_digest", sa.String(length=40), nullable=False),
        sa.Column("recipient_id", ExactText(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("message", ExactText(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_row_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "position", "recipient_digest", name=op.f("pk_job_row")),
        comment="How one recipient of one item of a job ended.",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_row_outcome", "job_row", ["job_id", "outcome", "position"])


def downgrade() -> None:
    """Take away what this migration made."""
    for table in ("job_row", "job_item", "job"):
        op.drop_table(table)
