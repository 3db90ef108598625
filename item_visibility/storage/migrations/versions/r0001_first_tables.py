"""The tables of our own records.

Revision ID: 20261125f
"""

from alembic import op

from item_visibility.storage import directory, history, jobs, recipient_lists, seen_lists, sign_outs

revision = "20261125f"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for module in (directory, sign_outs, recipient_lists, history, seen_lists, jobs):
        module.metadata.create_all(op.get_bind())
