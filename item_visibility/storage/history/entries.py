"""The tables of the history, and their rows as entries with steps, lists, requests and answers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    Integer,
    Table,
    UniqueConstraint,
    false,
    insert,
    select,
    text,
)

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ProblemDetail
from item_visibility.saving.outcome import (
    HistoryEntry,
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.saving.plan import ChangeStep, Goal, recipients_of
from item_visibility.saving.request import ChangeKind, ChangeRequest, Operation
from item_visibility.storage.columns import (
    DIGEST,
    ITEM,
    ROW_ID,
    AnyRow,
    ExactText,
    RecipientSet,
    UtcTime,
    Values,
    digest,
    filled,
    keys,
    metadata,
    one_of,
    optional,
    read_item_key,
    read_value,
)
from item_visibility.storage.recipient_lists import recipient_list

history = Table(
    "history",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(ExactText, "service", "key", *ITEM),
    *filled(ExactText, "person", "person_key", "reason", "message", "advice", default=""),
    *filled(DIGEST, "item_digest"),
    Column("kind", one_of(ChangeKind), nullable=False),
    *optional(ExactText, "undo_of"),
    Column("operation", one_of(Operation), nullable=False, default=Operation.EDIT),
    Column("verdict", one_of(Verdict)),
    *filled(UtcTime, "started_at"),
    *optional(UtcTime, "ended_at", "seen_before_at"),
    Column("before_digest", DIGEST, ForeignKey("recipient_list.digest")),
    Column("after_digest", DIGEST, ForeignKey("recipient_list.digest")),
    *filled(RecipientSet, "others_added", "others_removed", "added_ids", "removed_ids", default=frozenset()),
    *filled(Integer, "added", "removed", default=0),
    Column("was_settled_later", Boolean, server_default=false(), nullable=False),
    Column("exchanges", JSON(none_as_null=True)),
    UniqueConstraint("service", "key"),
    comment="One row a save, in the order in which they were begun: the newest have the highest id.",
)

for _name, _columns in {
    "time": (),
    "item": ("item_digest",),
    "supplier": ("supplier",),
    "person": ("person",),
    "kind": ("kind",),
    "verdict": ("verdict",),
}.items():  # pages are sorted by time; the id separates equal times
    _sorted_by = ("service", *_columns, "started_at", "id")
    Index(f"ix_history_{_name}", *(history.c[column] for column in _sorted_by))
Index(
    "ix_history_open",
    history.c.service,
    history.c.id,
    sqlite_where=text("ended_at IS NULL"),
    postgresql_where=text("ended_at IS NULL"),
)

history_step = Table(
    "history_step",
    metadata,
    Column("history_id", ROW_ID, ForeignKey("history.id", ondelete="CASCADE"), primary_key=True),
    *keys(Integer, "position"),
    *filled(ExactText, "recipient_id", "message"),
    *filled(DIGEST, "recipient_digest"),
    Column("goal", one_of(Goal), nullable=False),
    Column("outcome", one_of(Outcome), nullable=False),
    *filled(Integer, "attempts"),
    Column("problem", JSON(none_as_null=True)),
    *optional(UtcTime, "started_at"),
    Index("ix_history_step_recipient", "recipient_digest", "started_at", "history_id"),
    comment="One row a recipient that a save was asked to change.",
)

FIRST_IDS = 3
"""The number of recipients that a line names for each of added and removed."""
_before = recipient_list.alias("list_before")
_after = recipient_list.alias("list_after")
# built once: each page of an item asks for entries
_ENTRIES = (
    select(history, _before.c.recipients.label("before"), _after.c.recipients.label("after"))
    .join(_before, history.c.before_digest == _before.c.digest, isouter=True)
    .join(_after, history.c.after_digest == _after.c.digest, isouter=True)
    .order_by(history.c.started_at, history.c.id)
)
_STEPS = select(history_step).order_by(history_step.c.history_id, history_step.c.position)


def put_steps(
    connection: Connection, row_id: int, steps: Iterable[StepResult], *, started_at: datetime
) -> None:
    """Add the steps of an entry, in order."""
    rows = [
        {
            "history_id": row_id,
            "position": position,
            "recipient_id": result.step.recipient_id,
            "recipient_digest": digest(result.step.recipient_id),
            "goal": result.step.goal,
            "outcome": result.outcome,
            "attempts": result.attempts,
            "problem": result.problem and asdict(result.problem),
            "message": result.message,
            "started_at": started_at,
        }
        for position, result in enumerate(steps)
    ]
    connection.execute(insert(history_step), rows)


def changes_made(steps: Iterable[StepResult]) -> Values:
    """Return the columns that sum up the recipients that these steps really changed."""
    done = [result.step for result in steps if result.outcome is Outcome.DONE]
    added, removed = recipients_of(done, Goal.VISIBLE), recipients_of(done, Goal.NOT_VISIBLE)
    return {
        "added": len(added),
        "removed": len(removed),
        "added_ids": frozenset(sorted(added)[:FIRST_IDS]),
        "removed_ids": frozenset(sorted(removed)[:FIRST_IDS]),
    }


def entries(connection: Connection, is_wanted: ColumnElement[bool]) -> tuple[HistoryEntry, ...]:
    """Return the wanted entries, oldest first."""
    rows = connection.execute(_ENTRIES.where(is_wanted)).all()
    if not rows:
        return ()
    steps: defaultdict[int, list[StepResult]] = defaultdict(list)
    is_of_wanted = history_step.c.history_id.in_(select(history.c.id).where(is_wanted))
    for step in connection.execute(_STEPS.where(is_of_wanted)):
        steps[step.history_id].append(_step(step))
    return tuple(_entry(row, tuple(steps[row.id])) for row in rows)


def _entry(row: AnyRow, steps: tuple[StepResult, ...]) -> HistoryEntry:
    asked = [result.step for result in steps]
    return HistoryEntry(
        service=row.service,
        request=read_value(
            ChangeRequest,
            history,
            row,
            item=read_item_key(row),
            base=row.before,
            add=recipients_of(asked, Goal.VISIBLE),
            remove=recipients_of(asked, Goal.NOT_VISIBLE),
        ),
        started_at=row.started_at,
        steps=steps,
        result=None if row.ended_at is None else _result(row, steps),
        was_settled_later=row.was_settled_later,
        seen_before_at=row.seen_before_at,
    )


def _result(row: AnyRow, steps: tuple[StepResult, ...]) -> SaveResult:
    return SaveResult(
        item=read_item_key(row),
        verdict=row.verdict,
        steps=steps,
        others=OthersChanges(added=row.others_added, removed=row.others_removed),
        before=row.before,
        after=row.after,
        started_at=row.started_at,
        ended_at=row.ended_at,
        message=row.message,
        advice=row.advice,
    )


def _step(row: AnyRow) -> StepResult:
    step = ChangeStep(row.recipient_id, row.goal)
    problem = row.problem and ProblemDetail(**row.problem)
    return StepResult(step, row.outcome, row.attempts, problem, row.message)


def stored_exchanges(exchanges: Sequence[CallRecord]) -> list[dict[str, Any]] | None:
    """Return requests and answers as JSON; None for none."""
    return [asdict(call) | {"sent_at": call.sent_at.isoformat()} for call in exchanges] or None


def read_exchanges(stored: Sequence[dict[str, Any]] | None) -> tuple[CallRecord, ...]:
    """Return the requests and answers, undoing `stored_exchanges`."""
    return tuple(map(_exchange, stored or ()))


def _exchange(fields: dict[str, Any]) -> CallRecord:
    problem = fields["problem"] and ProblemDetail(**fields["problem"])
    return CallRecord(**fields | {"problem": problem, "sent_at": datetime.fromisoformat(fields["sent_at"])})
