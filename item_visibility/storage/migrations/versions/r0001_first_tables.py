"""The tables of our own records.

Revision ID: 20261125d
"""

from alembic import op

from item_visibility.storage import directory, recipient_lists, sign_outs
from item_visibility.storage.history import tables
from item_visibility.storage.jobs import job_tables

revision = "20261125d"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for module in (directory, sign_outs, recipient_lists, tables, job_tables):
        module.metadata.create_all(op.get_bind())
