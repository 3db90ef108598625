"""The tables for visibilities and for the key that signs access tokens."""

from alembic import op

from item_visibility_service.store import METADATA

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables as they are now; the next migration first writes them out here."""
    METADATA.create_all(op.get_bind())
