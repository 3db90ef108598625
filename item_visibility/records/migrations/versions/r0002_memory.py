"""What the dashboard remembers beyond saves: drafts, lists as seen, recipient sets, parked items.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText, RecipientSet, UtcTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables, and give the history its new columns; every row stays."""
    _make_draft()
    _make_seen_list()
    _make_recipient_set()
    _make_parked_item()
    _widen_history()
    _widen_history_step()


def _make_draft() -> None:
    op.create_table(
        "draft",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("owner", ExactText(), nullable=False),
        sa.Column("item_digest", sa.String(length=40), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("base_recipients", RecipientSet(), nullable=True),
        sa.Column("read_at", UtcTime(), nullable=False),
        sa.Column("added", RecipientSet(), nullable=False),
        sa.Column("removed", RecipientSet(), nullable=False),
        sa.Column("origin", ExactText(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("taken_over_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("environment", "owner", "item_digest", name=op.f("pk_draft")),
        comment="What was staged in a browser and not saved yet, one row an item.",
    )


def _make_seen_list() -> None:
    op.create_table(
        "seen_list",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("item_digest", sa.String(length=40), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("list_digest", sa.String(length=40), nullable=False),
        sa.Column("seen_at", UtcTime(), nullable=False),
        sa.Column("saved_at", UtcTime(), nullable=True),
        sa.Column("unsure", RecipientSet(), nullable=False),
        sa.Column("before_digest", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["list_digest"], ["recipient_list.digest"], name=op.f("fk_seen_list_list_digest")
        ),
        sa.PrimaryKeyConstraint("environment", "item_digest", name=op.f("pk_seen_list")),
        comment="Each item's list as a read or a save showed it last.",
    )


def _make_recipient_set() -> None:
    op.create_table(
        "recipient_set",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("digest", sa.String(length=40), nullable=False),
        sa.Column("name", ExactText(), nullable=False),
        sa.Column("folded_name", ExactText(), nullable=False),
        sa.Column("recipients", RecipientSet(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("updated_by", ExactText(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "digest", name=op.f("pk_recipient_set")),
        comment="Recipients under a name of ours.",
    )


def _make_parked_item() -> None:
    op.create_table(
        "parked_item",
        sa.Column("environment", ExactText(), nullable=False),
        sa.Column("key", ExactText(), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("item_digest", sa.String(length=40), nullable=False),
        sa.Column("recipients", RecipientSet(), nullable=False),
        sa.Column("parked_at", UtcTime(), nullable=False),
        sa.Column("parked_by", ExactText(), nullable=False),
        sa.Column("settled_at", UtcTime(), nullable=True),
        sa.Column("restored_at", UtcTime(), nullable=True),
        sa.Column("note", ExactText(), nullable=False),
        sa.PrimaryKeyConstraint("environment", "key", name=op.f("pk_parked_item")),
        comment="The recipients of items that were withdrawn, as they were just before.",
    )


def _widen_history() -> None:
    op.add_column("history", sa.Column("set_name", ExactText(), nullable=True))
    op.add_column("history", sa.Column("set_recipients", RecipientSet(), nullable=True))
    op.add_column("history", sa.Column("restored_from", ExactText(), nullable=True))
    op.add_column(
        "history", sa.Column("was_settled_later", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column("history", sa.Column("seen_before_at", UtcTime(), nullable=True))
    for index in ("newest", "item", "person"):
        op.drop_index(f"ix_history_{index}", "history")
    op.create_index("ix_history_time", "history", ["environment", "started_at", "id"])
    for index, column in _FILTERS.items():
        op.create_index(f"ix_history_{index}", "history", ["environment", column, "started_at", "id"])


def _widen_history_step() -> None:
    """Each step has the time of its save, so that one recipient's saves are found in order."""
    op.add_column("history_step", sa.Column("started_at", UtcTime(), nullable=True))
    op.execute(
        "UPDATE history_step SET started_at ="
        " (SELECT started_at FROM history WHERE history.id = history_step.history_id)"
    )
    op.drop_index("ix_history_step_recipient", "history_step")
    op.create_index(
        "ix_history_step_recipient", "history_step", ["recipient_digest", "started_at", "history_id"]
    )


_FILTERS = {
    "item": "item_digest",
    "supplier": "supplier",
    "person": "person",
    "kind": "kind",
    "verdict": "verdict",
}


def downgrade() -> None:
    """Take away what this migration made."""
    op.drop_index("ix_history_step_recipient", "history_step")
    op.create_index("ix_history_step_recipient", "history_step", ["recipient_digest", "history_id"])
    op.drop_column("history_step", "started_at")
    for index in ("time", *_FILTERS):
        op.drop_index(f"ix_history_{index}", "history")
    op.create_index("ix_history_newest", "history", ["environment", "id"])
    op.create_index("ix_history_item", "history", ["environment", "item_digest", "id"])
    op.create_index("ix_history_person", "history", ["environment", "person", "id"])
    op.drop_column("history", "seen_before_at")
    for column in ("was_settled_later", "restored_from", "set_recipients", "set_name"):
        op.drop_column("history", column)
    for table in ("parked_item", "recipient_set", "seen_list", "draft"):
        op.drop_table(table)
