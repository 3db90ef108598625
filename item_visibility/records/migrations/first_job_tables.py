"""The first tables of bulk jobs."""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.ground.types import ExactText, UtcTime
from item_visibility.records.migrations.columns import DIGEST, ROW_ID, column

JOB_TABLES = ("job", "job_item", "job_row", "job_skipped_row")


def make_job_tables() -> None:
    """Make the tables of bulk jobs."""
    _make_job()
    _make_job_item()
    _make_job_row()
    _make_job_skipped_row()


def _make_job() -> None:
    op.create_table(
        "job",
        column("id", ROW_ID),
        column("service", ExactText()),
        column("environment", ExactText()),
        column("key", ExactText()),
        column("title", ExactText()),
        column("person", ExactText()),
        column("reason", ExactText()),
        column("state", sa.Text()),
        column("message", ExactText()),
        column("created_at", UtcTime()),
        column("started_at", UtcTime(), nullable=True),
        column("ended_at", UtcTime(), nullable=True),
        column("undo_of", ExactText(), nullable=True),
        column("retry_of", ExactText(), nullable=True),
        column("confirmed_count", sa.Integer(), nullable=True),
        column("item_count", sa.Integer()),
        column("read_items", sa.Integer()),
        column("to_add", sa.Integer()),
        column("to_remove", sa.Integer()),
        column("in_place", sa.Integer()),
        column("changing_items", sa.Integer()),
        column("refused_items", sa.Integer()),
        column("large_removals", sa.Integer()),
        column("removals_to_confirm", sa.Integer()),
        column("ended_items", sa.Integer()),
        column("rows_verified", sa.Integer()),
        column("rows_already_in_place", sa.Integer()),
        column("rows_refused", sa.Integer()),
        column("rows_changed_meanwhile", sa.Integer()),
        column("rows_not_confirmed", sa.Integer()),
        column("rows_not_sent", sa.Integer()),
        column("skipped", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("service", "key", name=op.f("uq_job_service")),
        comment="One row a bulk job, with its counts: what the previews show, and how rows ended.",
    )
    op.create_index("ix_job_newest", "job", ["service", "environment", "id"])
    op.create_index("ix_job_state", "job", ["service", "environment", "state", "id"])


def _make_job_item() -> None:
    op.create_table(
        "job_item",
        column("job_id", ROW_ID),
        column("position", sa.Integer()),
        column("is_ended", sa.Boolean()),
        column("read_at", UtcTime(), nullable=True),
        column("to_add", sa.Integer()),
        column("to_remove", sa.Integer()),
        column("in_place", sa.Integer()),
        column("is_large_removal", sa.Boolean()),
        column("add_digest", DIGEST),
        column("remove_digest", DIGEST),
        column("exactly_digest", DIGEST, nullable=True),
        column("current_digest", DIGEST, nullable=True),
        column("to_add_digest", DIGEST, nullable=True),
        column("to_remove_digest", DIGEST, nullable=True),
        column("in_place_digest", DIGEST, nullable=True),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("refusal", ExactText()),
        column("rows", sa.Text()),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_item_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "position", name=op.f("pk_job_item")),
        comment="What a job asks of one item, and what a read showed. The lists are kept in recipient_list.",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_item_open", "job_item", ["job_id", "is_ended", "position"])


def _make_job_row() -> None:
    op.create_table(
        "job_row",
        column("job_id", ROW_ID),
        column("position", sa.Integer()),
        column("recipient_digest", DIGEST),
        column("recipient_id", ExactText()),
        column("goal", sa.Text()),
        column("outcome", sa.Text()),
        column("message", ExactText()),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_row_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "position", "recipient_digest", name=op.f("pk_job_row")),
        comment="How one recipient of one item of a job ended.",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_row_outcome", "job_row", ["job_id", "outcome", "position"])


def _make_job_skipped_row() -> None:
    op.create_table(
        "job_skipped_row",
        column("job_id", ROW_ID),
        column("position", sa.Integer()),
        column("number", sa.Integer()),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("recipients", ExactText()),
        column("action", ExactText()),
        column("reason", ExactText()),
        sa.ForeignKeyConstraint(
            ["job_id"], ["job.id"], name=op.f("fk_job_skipped_row_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "position", name=op.f("pk_job_skipped_row")),
        comment="Rows of the list that a job does not take, and why.",
        sqlite_with_rowid=False,
    )
