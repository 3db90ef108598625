"""Which processes work on jobs now.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table; everything else stays."""
    op.create_table(
        "job_worker",
        sa.Column("worker", ExactText(), nullable=False),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("worker", name="pk_job_worker"),
        comment="Processes that work on jobs, and a number that moves while they are alive.",
    )


def downgrade() -> None:
    """Forget who works; the jobs stay."""
    op.drop_table("job_worker")
