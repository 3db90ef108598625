"""Names and ids are found without looking at every row: in order of the ids, and by three letters at a time.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

from item_visibility.records.types import ExactText, StoredText

revision = "0003"
down_revision = "0002"

_START_LENGTH = 100
_LONG = 1_000
_END = "\x1b\x1b"
"""Stands behind each text that is indexed, so that its last letters begin a group of three, too."""
_IDS = {
    "known_supplier": {"supplier": "supplier_start"},
    "known_item": {"supplier": "supplier_start", "supplier_item_id": "item_start"},
    "known_recipient": {"recipient_id": "recipient_start"},
}
_OLD_KEYS = {
    "known_supplier": ("environment", "digest"),
    "known_item": ("environment", "supplier_digest", "digest"),
    "known_recipient": ("environment", "digest"),
}
_OLD_COLUMNS = {
    "known_supplier": ("supplier", "name", "folded_name"),
    "known_item": ("supplier", "supplier_item_id", "market", "name", "folded_name"),
    "known_recipient": ("recipient_id", "name", "folded_name"),
}


def upgrade() -> None:
    """Make the three tables anew, each row with a number and the starts of its ids, and index them."""
    op.create_table(
        "known_gram",
        sa.Column("known", sa.Text(), nullable=False),
        sa.Column("gram", StoredText(), nullable=False),
        sa.PrimaryKeyConstraint("known", "gram", name=op.f("pk_known_gram")),
        comment="Which groups of three letters there are, so that one or two letters lead to them.",
    )
    for table in _IDS:
        _keep_aside(table)
        _make_table(table)
        _take_back(table)
        _note_grams(table)
    if op.get_bind().dialect.name == "postgresql":
        _index_postgresql()
    else:
        _index_sqlite()


def _keep_aside(table: str) -> None:
    op.execute(f"CREATE TABLE {table}_kept AS SELECT * FROM {table}")  # noqa: S608  (our own names)
    op.drop_table(table)


def _make_table(table: str) -> None:
    row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        table,
        sa.Column("number", row_id, nullable=False),
        *_old_columns(table),
        *(sa.Column(name, StoredText(), nullable=False) for name in _IDS[table].values()),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{table}")),
        sa.UniqueConstraint(*_OLD_KEYS[table], name=op.f(f"uq_{table}_environment")),
        comment="Numbered, for the index of three letters; in order of the ids by their starts.",
    )
    op.create_index(f"ix_{table}_start", table, ["environment", *_IDS[table].values()])


def _take_back(table: str) -> None:
    """Put every row in again, in order of the ids, so that neighbours lie together."""
    kept = ", ".join((*_OLD_KEYS[table], *_OLD_COLUMNS[table]))
    starts = ", ".join(_IDS[table].values())
    cut = ", ".join(f"substr({column}, 1, {_START_LENGTH})" for column in _IDS[table])
    order = ", ".join(_IDS[table])
    op.execute(
        f"INSERT INTO {table} ({kept}, {starts})"  # noqa: S608  (our own names)
        f" SELECT {kept}, {cut} FROM {table}_kept ORDER BY environment, {order}"
    )
    op.drop_table(f"{table}_kept")


def _note_grams(table: str) -> None:
    names = (*_IDS[table], "folded_name")
    rows = op.get_bind().execute(sa.text(f"SELECT {', '.join(names)} FROM {table}"))  # noqa: S608  (our own names)
    grams = {
        ended[place : place + 3]
        for row in rows
        for ended in (stored + _END for stored in row)
        for place in range(len(ended) - 2)
    }
    known_gram = sa.table("known_gram", sa.column("known", sa.Text()), sa.column("gram", StoredText()))
    if grams:
        op.bulk_insert(known_gram, [{"known": table, "gram": gram} for gram in sorted(grams)])


def _index_sqlite() -> None:
    """A full-text index of three letters beside each table; triggers keep it in step."""
    for table, ids in _IDS.items():
        names = (*ids, "folded_name")
        columns = ", ".join(names)
        old, new = (", ".join(f"{row}.{name} || char(27, 27)" for name in names) for row in ("old", "new"))
        index = f"{table}_gram"
        enter = f"INSERT INTO {index} (rowid, {columns})"
        enter_new = f"{enter} VALUES (new.number, {new});"
        strike = (
            f"INSERT INTO {index} ({index}, rowid, {columns})"  # noqa: S608  (our own names)
            f" VALUES ('delete', old.number, {old});"
        )
        op.execute(
            f"CREATE VIRTUAL TABLE {index} USING fts5({columns}, content='',"
            " tokenize='trigram case_sensitive 1', detail=column)"
        )
        op.execute(f"{enter} SELECT number, {new.replace('new.', '')} FROM {table}")  # noqa: S608  (the same)
        for event, work in {
            "insert": f"AFTER INSERT ON {table} BEGIN {enter_new} END",
            "delete": f"AFTER DELETE ON {table} BEGIN {strike} END",
            "update": (f"AFTER UPDATE ON {table} WHEN ({old}) IS NOT ({new}) BEGIN {strike} {enter_new} END"),
        }.items():
            op.execute(f"CREATE TRIGGER {index}_{event} {work}")


def _index_postgresql() -> None:
    """An inverted index of three letters. Very long texts are only marked as such: any search may fit."""
    op.execute(
        "CREATE FUNCTION known_grams(whole text) RETURNS text[]"  # noqa: S608  (our own words)
        " LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$"
        f" SELECT CASE WHEN length(whole) > {_LONG} THEN ARRAY['long text'] ELSE ("
        " SELECT coalesce(array_agg(DISTINCT substr(whole || chr(27) || chr(27), place, 3)), '{}')"
        " FROM generate_series(1, length(whole)) AS place) END $$"
    )
    for table, ids in _IDS.items():
        grams = ", ".join(f"known_grams({name})" for name in (*ids, "folded_name"))
        op.execute(f"CREATE INDEX ix_{table}_gram ON {table} USING gin ({grams})")


def _old_columns(table: str) -> list[sa.Column[str]]:
    keys = [
        sa.Column(name, ExactText() if name == "environment" else sa.String(length=40), nullable=False)
        for name in _OLD_KEYS[table]
    ]
    return keys + [sa.Column(name, ExactText(), nullable=False) for name in _OLD_COLUMNS[table]]


def downgrade() -> None:
    """Take away the indexes and make the tables of before; their rows stay."""
    op.drop_table("known_gram")
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for table in _IDS:
        if is_sqlite:
            op.drop_table(f"{table}_gram")
        _keep_aside(table)
        op.create_table(
            table,
            *_old_columns(table),
            sa.PrimaryKeyConstraint(*_OLD_KEYS[table], name=op.f(f"pk_{table}")),
            sqlite_with_rowid=False,
        )
        columns = ", ".join((*_OLD_KEYS[table], *_OLD_COLUMNS[table]))
        op.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}_kept")  # noqa: S608  (our own names)
        op.drop_table(f"{table}_kept")
    if not is_sqlite:
        op.execute("DROP FUNCTION known_grams(text)")
