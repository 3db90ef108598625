"""Which service a job was read from, and which rows of its list it does not take.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText

revision = "0006"
down_revision = "0005"


_JOB_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the columns and the table; jobs from before are those of the demo, without a fixed address."""
    op.add_column("job", sa.Column("base_url", ExactText(), nullable=False, server_default=""))
    op.add_column("job", sa.Column("left_out", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "job_left_out",
        sa.Column("job_id", _JOB_ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("supplier", ExactText(), nullable=False),
        sa.Column("supplier_item_id", ExactText(), nullable=False),
        sa.Column("recipients", ExactText(), nullable=False),
        sa.Column("action", ExactText(), nullable=False),
        sa.Column("reason", ExactText(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["job.id"], name=op.f("fk_job_left_out_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "position", name=op.f("pk_job_left_out")),
        comment="Rows of the list that a job does not take, and why.",
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Forget which service it was, and what was not taken."""
    op.drop_table("job_left_out")
    op.drop_column("job", "left_out")
    op.drop_column("job", "base_url")
