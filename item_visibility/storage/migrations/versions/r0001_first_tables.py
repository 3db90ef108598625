"""The tables of our own records.

Revision ID: 20261125b
"""

from alembic import op

from item_visibility.storage import addresses, directory, sign_outs
from item_visibility.storage.history import tables
from item_visibility.storage.jobs import job_tables
from item_visibility.storage.scans import scan_tables

revision = "20261125b"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for module in (directory, addresses, sign_outs, tables, job_tables, scan_tables):
        module.metadata.create_all(op.get_bind())
