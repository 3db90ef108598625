"""The tables of version 0.1.0. Never change this file: each change of a table is a migration of its own.

Revision ID: 0001
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
LIST = sa.Text()
JSON = sa.JSON(none_as_null=True)
WORD = DIGEST = sa.String(40)
TIME = sa.DateTime(timezone=True)
ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    create_lists_and_names()
    create_history()
    create_jobs()


def create_lists_and_names() -> None:
    """Create the tables of lists, names, recipient sets, recent items and sign-outs."""
    create_table(
        "recipient_list",
        *filled(DIGEST, "digest"),
        *filled(LIST, "recipients"),
        key=["digest"],
        comment="Each distinct list once: those that the history, the lists last seen and the jobs refer to.",
    )
    create_table(
        "known_id",
        *filled(ROW_ID, "number"),
        *filled(WORD, "kind"),
        *filled(TEXT, "service", "supplier", "own_id", "name", "market"),
        *filled(DIGEST, "digest"),
        *filled(sa.BigInteger(), "version"),
        key=["number"],
        unique=["service", "kind", "digest"],
        comment="Known ids with their names. Only an item has a supplier."
        " `version` is that of the last change.",
    )
    op.create_index("ix_known_id_version", "known_id", ["service", "kind", "version"])
    op.create_index("ix_known_id_supplier", "known_id", ["service", "kind", "supplier"])
    create_table(
        "directory_version",
        *filled(TEXT, "service", "kind"),
        *filled(sa.BigInteger(), "version", "removed_at"),
        key=["service", "kind"],
        comment="Counts the changes of known ids; `removed_at` is the version of the last removal of one.",
    )
    create_table(
        "recent_item",
        *filled(TEXT, "service", "person"),
        *filled(DIGEST, "item_digest"),
        *filled(TEXT, "supplier", "supplier_item_id"),
        *filled(TIME, "used_at"),
        key=["service", "person", "item_digest"],
    )
    create_table(
        "recipient_set",
        *filled(TEXT, "service"),
        *filled(DIGEST, "digest"),
        *filled(TEXT, "name", "folded_name", "updated_by"),
        *filled(LIST, "recipients"),
        *filled(TIME, "updated_at"),
        key=["service", "digest"],
        comment="Recipients under a name of ours."
        " The digest is that of the folded name, which only one set has.",
    )
    create_table(
        "sign_out",
        *filled(TEXT, "person", "session"),
        *filled(TIME, "began_at", "ended_at"),
        key=["person", "session"],
        comment="Sign-ins that were ended: those until `began_at` of a session, or of a name in any session.",
    )


def create_history() -> None:
    """Create the tables of saves and of the lists last seen."""
    create_table(
        "history",
        *filled(ROW_ID, "id"),
        *filled(TEXT, "service", "key", "supplier", "supplier_item_id"),
        *filled(TEXT, "person", "person_key", "reason", "message", "advice"),
        *filled(DIGEST, "item_digest"),
        *filled(WORD, "kind"),
        *optional(TEXT, "undo_of"),
        *filled(WORD, "operation"),
        *optional(WORD, "verdict"),
        *filled(TIME, "started_at"),
        *optional(TIME, "ended_at", "seen_before_at"),
        stored_list("before_digest", table="history"),
        stored_list("after_digest", table="history"),
        *filled(LIST, "others_added", "others_removed", "added_ids", "removed_ids"),
        *filled(sa.Integer(), "added", "removed"),
        sa.Column("was_settled_later", sa.Boolean(), server_default=sa.false(), nullable=False),
        *optional(JSON, "exchanges"),
        key=["id"],
        unique=["service", "key"],
        comment="One row a save, in the order in which they were begun: the newest have the highest id.",
    )
    op.create_index("ix_history_time", "history", ["service", "started_at", "id"])
    op.create_index("ix_history_item", "history", ["service", "item_digest", "started_at", "id"])
    op.create_index("ix_history_supplier", "history", ["service", "supplier", "started_at", "id"])
    op.create_index("ix_history_person", "history", ["service", "person", "started_at", "id"])
    op.create_index("ix_history_kind", "history", ["service", "kind", "started_at", "id"])
    op.create_index("ix_history_verdict", "history", ["service", "verdict", "started_at", "id"])
    is_open = sa.text("ended_at IS NULL")
    op.create_index(
        "ix_history_open", "history", ["service", "id"], sqlite_where=is_open, postgresql_where=is_open
    )
    create_table(
        "history_step",
        child_of("history", table="history_step"),
        *filled(sa.Integer(), "position"),
        *filled(TEXT, "recipient_id", "message"),
        *filled(DIGEST, "recipient_digest"),
        *filled(WORD, "goal", "outcome"),
        *filled(sa.Integer(), "attempts"),
        *optional(JSON, "problem"),
        *optional(TIME, "started_at"),
        key=["history_id", "position"],
        comment="One row a recipient that a save was asked to change.",
    )
    columns = ["recipient_digest", "started_at", "history_id"]
    op.create_index("ix_history_step_recipient", "history_step", columns)
    create_table(
        "seen_list",
        *filled(TEXT, "service"),
        *filled(DIGEST, "item_digest"),
        *filled(TEXT, "supplier", "supplier_item_id"),
        stored_list("list_digest", table="seen_list"),
        *optional(DIGEST, "before_digest"),
        *filled(LIST, "unsure"),
        *filled(TEXT, "failure"),
        *optional(TIME, "seen_at", "saved_at"),
        key=["service", "item_digest"],
        comment="Each item's list as a read or a save showed it last, and why a read failed since then.",
        sqlite_with_rowid=False,
    )


def create_jobs() -> None:
    """Create the tables of jobs, their items and their rows."""
    create_table(
        "job",
        *filled(ROW_ID, "id"),
        *filled(TEXT, "service", "environment", "key", "title", "person", "reason", "message", "person_key"),
        *filled(WORD, "kind", "state"),
        *filled(TIME, "created_at"),
        *optional(TIME, "started_at", "ended_at", "waiting_since", "next_try_at", "beat_at"),
        *optional(TEXT, "undo_of", "retry_of"),
        *optional(sa.Integer(), "confirmed_count", "applied_role"),
        *filled(sa.Integer(), "item_count", "ended_items", "skipped", "repeated"),
        *filled(sa.Integer(), "read_items", "to_add", "to_remove", "in_place"),
        *filled(sa.Integer(), "changing", "refused", "large_removals", "removals_to_confirm"),
        *filled(sa.Integer(), "rows_done", "rows_already_in_place", "rows_refused"),
        *filled(sa.Integer(), "rows_not_sent", "rows_unknown"),
        key=["id"],
        unique=["service", "environment", "key"],
        comment="One row a bulk job or scan, with its counts: what the previews show, and how rows ended.",
    )
    op.create_index("ix_job_newest", "job", ["service", "environment", "kind", "id"])
    op.create_index("ix_job_state", "job", ["service", "environment", "kind", "state", "id"])
    create_table(
        "job_item",
        child_of("job", table="job_item"),
        *filled(sa.Integer(), "position"),
        *filled(TEXT, "supplier", "supplier_item_id", "refusal"),
        *filled(sa.Text(), "rows"),
        *filled(WORD, "shown"),
        *filled(sa.Boolean(), "is_ended"),
        *optional(TIME, "read_at"),
        *filled(DIGEST, "add_digest", "remove_digest"),
        *optional(DIGEST, "exactly_digest", "current_digest"),
        key=["job_id", "position"],
        comment="What a job asks of one item, and what a read showed. The lists are kept in recipient_list.",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_job_item_open", "job_item", ["job_id", "is_ended", "position"])
    op.create_index(
        "ix_job_item_of_item",
        "job_item",
        ["supplier_item_id", "job_id"],
        sqlite_where=sa.text("is_ended = 0"),
        postgresql_where=sa.text("NOT is_ended"),
    )
    create_table(
        "job_row",
        child_of("job", table="job_row"),
        *filled(sa.Integer(), "position", "number"),
        *filled(TEXT, "recipient_id", "message"),
        *filled(WORD, "goal", "outcome"),
        key=["job_id", "position", "number"],
        comment="How one recipient of one item of a job ended;"
        " those of an item are in the order of their ids.",
        sqlite_with_rowid=False,
    )
    create_table(
        "job_skipped_row",
        child_of("job", table="job_skipped_row"),
        *filled(sa.Integer(), "position", "number"),
        *filled(TEXT, "supplier", "supplier_item_id", "recipients", "action", "reason"),
        key=["job_id", "position"],
        comment="Rows of the list that a job does not take, and why.",
        sqlite_with_rowid=False,
    )


def create_table(
    name: str,
    *columns: sa.Column[Any],
    key: list[str],
    unique: list[str] | None = None,
    comment: str | None = None,
    sqlite_with_rowid: bool = True,
) -> None:
    """Create a table with a primary key and perhaps one unique constraint."""
    constraints: list[sa.Constraint] = [sa.PrimaryKeyConstraint(*key, name=f"pk_{name}")]
    if unique:
        constraints.append(sa.UniqueConstraint(*unique, name=f"uq_{name}_{unique[0]}"))
    op.create_table(name, *columns, *constraints, comment=comment, sqlite_with_rowid=sqlite_with_rowid)


def filled(kind: sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    """Return columns that are never NULL."""
    return [sa.Column(name, kind, nullable=False) for name in names]


def optional(kind: sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    """Return columns that may be NULL."""
    return [sa.Column(name, kind) for name in names]


def stored_list(name: str, *, table: str) -> sa.Column[Any]:
    """Return a column that may refer to a list of recipients."""
    foreign_key = sa.ForeignKey("recipient_list.digest", name=f"fk_{table}_{name}")
    return sa.Column(name, DIGEST, foreign_key)


def child_of(parent: str, *, table: str) -> sa.Column[Any]:
    """Return the column of rows that are deleted with the row of their parent."""
    foreign_key = sa.ForeignKey(f"{parent}.id", name=f"fk_{table}_{parent}_id", ondelete="CASCADE")
    return sa.Column(f"{parent}_id", ROW_ID, foreign_key, nullable=False)
