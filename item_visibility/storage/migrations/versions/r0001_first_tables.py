"""The tables of our own records.

Revision ID: 20261125f
"""

from alembic import op

from item_visibility.storage import directory, recipient_lists, seen_lists, sign_outs
from item_visibility.storage.history import entries
from item_visibility.storage.jobs import job_tables

revision = "20261125f"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for module in (directory, sign_outs, recipient_lists, entries, seen_lists, job_tables):
        module.metadata.create_all(op.get_bind())
