"""The first tables of known names and ids, with the trigram index used to search them.

Each kind of database has its own index, so the schema does not name it.
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.ground.types import ExactText, StoredText
from item_visibility.records.migrations.columns import DIGEST, ROW_ID, column

KNOWN_TABLES = ("known_supplier", "known_item", "known_recipient", "known_gram")

_LONG = 1_000
_IDS = {
    "known_supplier": ("supplier",),
    "known_item": ("supplier", "supplier_item_id"),
    "known_recipient": ("recipient_id",),
}


def make_known_tables() -> None:
    """Make the tables and the index."""
    _make_known_supplier()
    _make_known_item()
    _make_known_recipient()
    _make_known_gram()
    _index_grams()


def drop_grams() -> None:
    """Drop the index."""
    if op.get_bind().dialect.name == "postgresql":
        for table in _IDS:
            op.execute(f"DROP INDEX ix_{table}_gram")
        op.execute("DROP FUNCTION known_grams(text)")
    else:
        for table in _IDS:
            op.drop_table(f"{table}_gram")


def _make_known_supplier() -> None:
    op.create_table(
        "known_supplier",
        column("number", ROW_ID),
        column("service", ExactText()),
        column("digest", DIGEST),
        column("supplier", ExactText()),
        column("name", ExactText()),
        column("folded_name", ExactText()),
        column("supplier_start", StoredText()),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_known_supplier")),
        sa.UniqueConstraint("service", "digest", name=op.f("uq_known_supplier_service")),
        comment="Numbered, for the index of three letters; in order of the ids by their starts.",
    )
    op.create_index("ix_known_supplier_start", "known_supplier", ["service", "supplier_start"])


def _make_known_item() -> None:
    op.create_table(
        "known_item",
        column("number", ROW_ID),
        column("service", ExactText()),
        column("supplier_digest", DIGEST),
        column("digest", DIGEST),
        column("supplier", ExactText()),
        column("supplier_item_id", ExactText()),
        column("market", ExactText()),
        column("name", ExactText()),
        column("folded_name", ExactText()),
        column("supplier_start", StoredText()),
        column("item_start", StoredText()),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_known_item")),
        sa.UniqueConstraint("service", "supplier_digest", "digest", name=op.f("uq_known_item_service")),
        comment="Numbered, for the index of three letters; in order of the ids by their starts.",
    )
    op.create_index("ix_known_item_start", "known_item", ["service", "supplier_start", "item_start"])


def _make_known_recipient() -> None:
    op.create_table(
        "known_recipient",
        column("number", ROW_ID),
        column("service", ExactText()),
        column("digest", DIGEST),
        column("recipient_id", ExactText()),
        column("name", ExactText()),
        column("folded_name", ExactText()),
        column("recipient_start", StoredText()),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_known_recipient")),
        sa.UniqueConstraint("service", "digest", name=op.f("uq_known_recipient_service")),
        comment="Numbered, for the index of three letters; in order of the ids by their starts.",
    )
    op.create_index("ix_known_recipient_start", "known_recipient", ["service", "recipient_start"])


def _make_known_gram() -> None:
    op.create_table(
        "known_gram",
        column("known", sa.Text()),
        column("gram", StoredText()),
        sa.PrimaryKeyConstraint("known", "gram", name=op.f("pk_known_gram")),
        comment="Which groups of three letters there are, so that one or two letters lead to them.",
    )


def _index_grams() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _index_postgresql()
    else:
        _index_sqlite()


def _index_sqlite() -> None:
    """Make a full-text trigram index beside each table; triggers keep it up to date.

    Two escape characters follow each text, so that its last letters also begin a trigram.
    """
    for table, ids in _IDS.items():
        names = (*ids, "folded_name")
        columns = ", ".join(names)
        old, new = (", ".join(f"{row}.{name} || char(27, 27)" for name in names) for row in ("old", "new"))
        index = f"{table}_gram"
        enter_new = f"INSERT INTO {index} (rowid, {columns}) VALUES (new.number, {new});"  # noqa: S608  (our own names)
        strike = (
            f"INSERT INTO {index} ({index}, rowid, {columns})"  # noqa: S608  (our own names)
            f" VALUES ('delete', old.number, {old});"
        )
        op.execute(
            f"CREATE VIRTUAL TABLE {index} USING fts5({columns}, content='',"
            " tokenize='trigram case_sensitive 1', detail=column)"
        )
        for event, work in {
            "insert": f"AFTER INSERT ON {table} BEGIN {enter_new} END",
            "delete": f"AFTER DELETE ON {table} BEGIN {strike} END",
            "update": (f"AFTER UPDATE ON {table} WHEN ({old}) IS NOT ({new}) BEGIN {strike} {enter_new} END"),
        }.items():
            op.execute(f"CREATE TRIGGER {index}_{event} {work}")


def _index_postgresql() -> None:
    """Make an inverted trigram index. It only marks very long texts, so any search may match them."""
    op.execute(
        "CREATE FUNCTION known_grams(whole text) RETURNS text[]"  # noqa: S608  (our own words)
        " LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$"
        f" SELECT CASE WHEN length(whole) > {_LONG} THEN ARRAY['long text'] ELSE ("
        " SELECT coalesce(array_agg(DISTINCT substr(whole || chr(27) || chr(27), start, 3)), '{}')"
        " FROM generate_series(1, length(whole)) AS start) END $$"
    )
    for table, ids in _IDS.items():
        grams = ", ".join(f"known_grams({name})" for name in (*ids, "folded_name"))
        op.execute(f"CREATE INDEX ix_{table}_gram ON {table} USING gin ({grams})")
