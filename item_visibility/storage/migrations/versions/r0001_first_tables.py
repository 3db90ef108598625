"""The tables of our own records.

Revision ID: 20261125f
"""

from alembic import op

from item_visibility.storage import columns, directory, history, jobs, seen_lists, sign_outs

revision = "20261125f"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for module in (columns, directory, sign_outs, history, seen_lists, jobs):
        module.metadata.create_all(op.get_bind())
