"""The first tables: history, directory, recent items, facts about the service.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText, RecipientSet, UtcTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    _make_known_item()
    _make_known_recipient()
    _make_known_supplier()
    _make_recent_item()
    _make_recipient_list()
    _make_service_fact()
    _make_history()
    _make_history_step()


def _make_known_item() -> None:
    op.create_table(
        "known_item",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("supplier_digest", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=40), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("market", ExactText(), nullable=False),
        sa.Column("name", ExactText(), nullable=False),
        sa.Column("folded_name", ExactText(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "supplier_digest", "digest", name=op.f("pk_known_item")),
        comment="Keyed by supplier first, so that one supplier's items lie together.",
        sqlite_with_rowid=False,
    )


def _make_known_recipient() -> None:
    op.create_table(
        "known_recipient",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("digest", sa.String(length=40), nullable=False),
        sa.Column("recipient_id", ExactText(), nullable=False),
        sa.Column("name", ExactText(), nullable=False),
        sa.Column("folded_name", ExactText(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "digest", name=op.f("pk_known_recipient")),
        sqlite_with_rowid=False,
    )


def _make_known_supplier() -> None:
    op.create_table(
        "known_supplier",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("digest", sa.String(length=40), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("name", ExactText(), nullable=False),
        sa.Column("folded_name", ExactText(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "digest", name=op.f("pk_known_supplier")),
        sqlite_with_rowid=False,
    )


def _make_recent_item() -> None:
    op.create_table(
        "recent_item",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("person", ExactText(), nullable=False),
        sa.Column("item_digest", sa.String(length=40), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("used_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "person", "item_digest", name=op.f("pk_recent_item")),
    )


def _make_recipient_list() -> None:
    op.create_table(
        "recipient_list",
        sa.Column("digest", sa.String(length=40), nullable=False),
        sa.Column("recipients", RecipientSet(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_recipient_list")),
        comment="Lists before and after saves, each distinct one once: what one save leaves, the next finds.",
    )


def _make_service_fact() -> None:
    op.create_table(
        "service_fact",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("fact", ExactText(), nullable=False),
        sa.Column("value", ExactText(), nullable=False),
        sa.Column("observed_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "fact", name=op.f("pk_service_fact")),
    )


def _make_history() -> None:
    op.create_table(
        "history",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("key", ExactText(), nullable=False),
        sa.Column("base_url", ExactText(), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("item_digest", sa.String(length=40), nullable=False),
        sa.Column("person", ExactText(), nullable=False),
        sa.Column("reason", ExactText(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("undo_of", ExactText(), nullable=True),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("ended_at", UtcTime(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("before_digest", sa.String(length=40), nullable=True),
        sa.Column("after_digest", sa.String(length=40), nullable=True),
        sa.Column("others_added", RecipientSet(), nullable=False),
        sa.Column("others_removed", RecipientSet(), nullable=False),
        sa.Column("message", ExactText(), nullable=False),
        sa.Column("advice", ExactText(), nullable=False),
        sa.ForeignKeyConstraint(
            ["after_digest"], ["recipient_list.digest"], name=op.f("fk_history_after_digest")
        ),
        sa.ForeignKeyConstraint(
            ["before_digest"], ["recipient_list.digest"], name=op.f("fk_history_before_digest")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_history")),
        sa.UniqueConstraint("environment", "key", name=op.f("uq_history_environment")),
        comment="One row a save, in the order in which they were begun: the newest have the highest id.",
    )
    op.create_index("ix_history_item", "history", ["environment", "item_digest", "id"], unique=False)
    op.create_index("ix_history_newest", "history", ["environment", "id"], unique=False)
    op.create_index(
        "ix_history_open",
        "history",
        ["environment", "id"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index("ix_history_person", "history", ["environment", "person", "id"], unique=False)


def _make_history_step() -> None:
    op.create_table(
        "history_step",
        sa.Column("history_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("recipient_id", ExactText(), nullable=False),
        sa.Column("recipient_digest", sa.String(length=40), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("problem_status", sa.Integer(), nullable=True),
        sa.Column("problem_title", ExactText(), nullable=True),
        sa.Column("problem_detail", ExactText(), nullable=True),
        sa.Column("problem_instance", ExactText(), nullable=True),
        sa.Column("message", ExactText(), nullable=False),
        sa.ForeignKeyConstraint(
            ["history_id"], ["history.id"], name=op.f("fk_history_step_history_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("history_id", "position", name=op.f("pk_history_step")),
        comment="One row a recipient that a save was asked to change.",
    )
    op.create_index(
        "ix_history_step_recipient", "history_step", ["recipient_digest", "history_id"], unique=False
    )


def downgrade() -> None:
    """Take the tables away."""
    for table in (
        "history_step",
        "history",
        "recipient_list",
        "known_supplier",
        "known_item",
        "known_recipient",
        "recent_item",
        "service_fact",
    ):
        op.drop_table(table)
