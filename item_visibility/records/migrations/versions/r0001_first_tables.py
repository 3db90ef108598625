"""The tables of our own records.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.ground.types import ExactText, RecipientSet, UtcTime
from item_visibility.records.migrations.columns import DIGEST, ROW_ID, column
from item_visibility.records.migrations.first_job_tables import JOB_TABLES, make_job_tables
from item_visibility.records.migrations.first_known_tables import KNOWN_TABLES, drop_grams, make_known_tables

revision = "0001"
down_revision = None

_TABLES = (
    "environment_address",
    "recipient_list",
    "history",
    "history_step",
    "seen_list",
    "draft",
    "parked_item",
    "recipient_set",
    "recent_item",
    "service_fact",
)


def upgrade() -> None:
    """Make the tables."""
    _make_environment_address()
    _make_recipient_list()
    _make_history()
    _make_history_step()
    _make_seen_list()
    _make_draft()
    _make_parked_item()
    _make_recipient_set()
    _make_recent_item()
    _make_service_fact()
    make_known_tables()
    make_job_tables()


def downgrade() -> None:
    """Drop the tables."""
    drop_grams()
    for table in reversed((*_TABLES, *KNOWN_TABLES, *JOB_TABLES)):
        op.drop_table(table)


def _make_environment_address() -> None:
    op.create_table(
        "environment_address",
        column("environment", ExactText()),
        column("service", ExactText()),
        column("service_before", ExactText(), nullable=True),
        column("changed_at", UtcTime(), nullable=True),
        column("is_told", sa.Boolean()),
        sa.PrimaryKeyConstraint("environment", name=op.f("pk_environment_address")),
        comment="Which service each environment named last, and which one before.",
    )


def _make_recipient_list() -> None:
    op.create_table(
        "recipient_list",
        column("digest", DIGEST),
        column("recipients", RecipientSet()),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_recipient_list")),
        comment="Lists before and after saves, each distinct one once: what one save leaves, the next finds.",
    )


def _make_history() -> None:
    op.create_table(
        "history",
        column("id", ROW_ID),
        column("service", ExactText()),
        column("key", ExactText()),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("item_digest", DIGEST),
        column("person", ExactText()),
        column("reason", ExactText()),
        column("kind", sa.Text()),
        column("undo_of", ExactText(), nullable=True),
        column("started_at", UtcTime()),
        column("ended_at", UtcTime(), nullable=True),
        column("verdict", sa.Text(), nullable=True),
        column("before_digest", DIGEST, nullable=True),
        column("after_digest", DIGEST, nullable=True),
        column("others_added", RecipientSet()),
        column("others_removed", RecipientSet()),
        column("message", ExactText()),
        column("advice", ExactText()),
        column("set_name", ExactText(), nullable=True),
        column("set_recipients", RecipientSet(), nullable=True),
        column("restored_from", ExactText(), nullable=True),
        column("was_settled_later", sa.Boolean(), server_default=sa.false()),
        column("seen_before_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["after_digest"], ["recipient_list.digest"], name=op.f("fk_history_after_digest")
        ),
        sa.ForeignKeyConstraint(
            ["before_digest"], ["recipient_list.digest"], name=op.f("fk_history_before_digest")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_history")),
        sa.UniqueConstraint("service", "key", name=op.f("uq_history_service")),
        comment="One row a save, in the order in which they were begun: the newest have the highest id.",
    )
    op.create_index("ix_history_item", "history", ["service", "item_digest", "started_at", "id"])
    op.create_index("ix_history_kind", "history", ["service", "kind", "started_at", "id"])
    op.create_index(
        "ix_history_open",
        "history",
        ["service", "id"],
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index("ix_history_person", "history", ["service", "person", "started_at", "id"])
    op.create_index("ix_history_supplier", "history", ["service", "supplier", "started_at", "id"])
    op.create_index("ix_history_time", "history", ["service", "started_at", "id"])
    op.create_index("ix_history_verdict", "history", ["service", "verdict", "started_at", "id"])


def _make_history_step() -> None:
    op.create_table(
        "history_step",
        column("history_id", ROW_ID),
        column("position", sa.Integer()),
        column("recipient_id", ExactText()),
        column("recipient_digest", DIGEST),
        column("goal", sa.Text()),
        column("outcome", sa.Text()),
        column("attempts", sa.Integer()),
        column("problem_status", sa.Integer(), nullable=True),
        column("problem_title", ExactText(), nullable=True),
        column("problem_detail", ExactText(), nullable=True),
        column("problem_instance", ExactText(), nullable=True),
        column("message", ExactText()),
        column("started_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["history_id"], ["history.id"], name=op.f("fk_history_step_history_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("history_id", "position", name=op.f("pk_history_step")),
        comment="One row a recipient that a save was asked to change.",
    )
    op.create_index(
        "ix_history_step_recipient", "history_step", ["recipient_digest", "started_at", "history_id"]
    )


def _make_seen_list() -> None:
    op.create_table(
        "seen_list",
        column("service", ExactText()),
        column("item_digest", DIGEST),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("list_digest", DIGEST),
        column("seen_at", UtcTime()),
        column("saved_at", UtcTime(), nullable=True),
        column("unsure", RecipientSet()),
        column("before_digest", DIGEST, nullable=True),
        sa.ForeignKeyConstraint(
            ["list_digest"], ["recipient_list.digest"], name=op.f("fk_seen_list_list_digest")
        ),
        sa.PrimaryKeyConstraint("service", "item_digest", name=op.f("pk_seen_list")),
        comment="Each item's list as a read or a save showed it last.",
    )


def _make_draft() -> None:
    op.create_table(
        "draft",
        column("service", ExactText()),
        column("owner", ExactText()),
        column("item_digest", DIGEST),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("base_recipients", RecipientSet(), nullable=True),
        column("read_at", UtcTime()),
        column("added", RecipientSet()),
        column("removed", RecipientSet()),
        column("origin", ExactText()),
        column("updated_at", UtcTime()),
        column("taken_over_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("service", "owner", "item_digest", name=op.f("pk_draft")),
        comment="The staged changes of a browser, one row an item.",
    )


def _make_parked_item() -> None:
    op.create_table(
        "parked_item",
        column("service", ExactText()),
        column("key", ExactText()),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("item_digest", DIGEST),
        column("recipients", RecipientSet()),
        column("parked_at", UtcTime()),
        column("parked_by", ExactText()),
        column("settled_at", UtcTime(), nullable=True),
        column("restored_at", UtcTime(), nullable=True),
        column("note", ExactText()),
        sa.PrimaryKeyConstraint("service", "key", name=op.f("pk_parked_item")),
        comment="The recipients of items that were withdrawn, as they were just before.",
    )


def _make_recipient_set() -> None:
    op.create_table(
        "recipient_set",
        column("service", ExactText()),
        column("digest", DIGEST),
        column("name", ExactText()),
        column("folded_name", ExactText()),
        column("recipients", RecipientSet()),
        column("updated_at", UtcTime()),
        column("updated_by", ExactText()),
        sa.PrimaryKeyConstraint("service", "digest", name=op.f("pk_recipient_set")),
        comment="Recipients under a name of ours.",
    )


def _make_recent_item() -> None:
    op.create_table(
        "recent_item",
        column("service", ExactText()),
        column("person", ExactText()),
        column("item_digest", DIGEST),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("used_at", UtcTime()),
        sa.PrimaryKeyConstraint("service", "person", "item_digest", name=op.f("pk_recent_item")),
    )


def _make_service_fact() -> None:
    op.create_table(
        "service_fact",
        column("service", ExactText()),
        column("fact", ExactText()),
        column("value", ExactText()),
        column("observed_at", UtcTime()),
        sa.PrimaryKeyConstraint("service", "fact", name=op.f("pk_service_fact")),
    )
