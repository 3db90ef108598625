"""The tables as of the newest migration."""

from sqlalchemy import Column, MetaData, SmallInteger, Table, Text

METADATA = MetaData()

IDENTIFIER = Text().with_variant(Text(collation="C"), "postgresql")
"""A text compared and sorted byte by byte, as in SQLite: no locale decides which ids are equal."""

VISIBILITY = Table(
    "visibility",
    METADATA,
    Column("supplier", IDENTIFIER, primary_key=True),
    Column("supplier_item_id", IDENTIFIER, primary_key=True),
    Column("recipient_id", IDENTIFIER, primary_key=True),
    sqlite_with_rowid=False,
)

SIGNING_KEY = Table(
    "signing_key",
    METADATA,
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    Column("secret", Text, nullable=False),
)
"""One row: the key that signs access tokens, the same for all processes on this database."""
