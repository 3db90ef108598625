"""The tables of our own records, and the trigram index of known names and ids.

Each kind of database has its own index, so the schema does not name it.

Revision ID: 20261125a
"""

from alembic import op

from item_visibility.storage.jobs.job_tables import job
from item_visibility.storage.scans.scan_tables import scan

revision = "20261125a"
down_revision = None

_LONG = 1_000
_INDEXED = {
    "known_supplier": ("supplier", "folded_name"),
    "known_item": ("supplier", "supplier_item_id", "folded_name"),
    "known_recipient": ("recipient_id", "folded_name"),
}


def upgrade() -> None:
    """Make the tables as they are now: see docs/decisions/records.md before the next migration."""
    for one in (job, scan):  # each brings the tables of its module, and those that it refers to
        one.metadata.create_all(op.get_bind())
    if op.get_bind().dialect.name == "postgresql":
        _index_postgresql()
    else:
        _index_sqlite()


def _index_sqlite() -> None:
    """Make a full-text trigram index beside each table; triggers keep it up to date.

    Two escape characters follow each text, so that its last letters also begin a trigram.
    """
    for table, names in _INDEXED.items():
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
            "update": f"AFTER UPDATE ON {table} WHEN ({old}) IS NOT ({new}) BEGIN {strike} {enter_new} END",
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
    for table, names in _INDEXED.items():
        grams = ", ".join(f"known_grams({name})" for name in names)
        op.execute(f"CREATE INDEX ix_{table}_gram ON {table} USING gin ({grams})")
