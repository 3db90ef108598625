"""The tables of our own records.

Revision ID: 20261125c
"""

from alembic import op

from item_visibility.storage import directory, scans, sign_outs
from item_visibility.storage.history import tables
from item_visibility.storage.jobs import job_tables

revision = "20261125c"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for module in (directory, sign_outs, tables, job_tables, scans):
        module.metadata.create_all(op.get_bind())
