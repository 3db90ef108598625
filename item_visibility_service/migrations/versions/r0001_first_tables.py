"""The tables of version 0.1.0. Never change this file. To change a table, add another migration."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables for visibilities and for the key that signs access tokens."""
    identifier = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "visibility",
        sa.Column("supplier", identifier, primary_key=True),
        sa.Column("supplier_item_id", identifier, primary_key=True),
        sa.Column("recipient_id", identifier, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "signing_key",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("secret", sa.Text, nullable=False),
    )
