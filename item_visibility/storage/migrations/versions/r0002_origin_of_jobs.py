"""Store where a job was started.

Jobs that were stored before belong to the Bulk page.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column `origin` to the table of jobs."""
    op.add_column(
        "job",
        sa.Column("origin", sa.String(40), server_default="bulk page", nullable=False),
    )
