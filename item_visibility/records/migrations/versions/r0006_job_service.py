"""Which service a job was read from.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText

revision = "0006"
down_revision = "0004"


def upgrade() -> None:
    """Add the column; jobs from before are those of the demo, whose service has no fixed address."""
    op.add_column("job", sa.Column("base_url", ExactText(), nullable=False, server_default=""))


def downgrade() -> None:
    """Forget which service it was."""
    op.drop_column("job", "base_url")
