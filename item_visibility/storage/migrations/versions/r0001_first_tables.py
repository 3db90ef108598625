"""The tables of our own records.

Revision ID: 20261125b
"""

from alembic import op

from item_visibility.storage.directory import known_item
from item_visibility.storage.jobs.job_tables import job
from item_visibility.storage.scans.scan_tables import scan

revision = "20261125b"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for one in (known_item, job, scan):  # each brings the tables of its module, and those that it refers to
        one.metadata.create_all(op.get_bind())
