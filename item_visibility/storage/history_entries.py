"""Writes and reads the entries of the history.

Each entry has a row, and each of its recipients has another one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from item_visibility.errors import ProblemDetail
from item_visibility.model.change import (
    ChangeRequest,
    ChangeStep,
    Goal,
    recipients_of,
)
from item_visibility.model.outcome import (
    HistoryEntry,
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
)
from item_visibility.storage.recipient_lists import read_lists
from item_visibility.storage.rows import (
    AnyRow,
    Values,
    digest,
    insert_all,
    insert_new,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.storage.schema import history, history_step

FIRST_IDS = 3
"""A history line names at most this many added and this many removed recipients."""


def put_entry(
    connection: sa.Connection, values: Values, steps: Sequence[StepResult]
) -> bool:
    """Add an entry with its steps.

    If an entry with this key exists, add nothing and return False.
    """
    insertion = insert_new(connection, history).values(values | changes_made(steps))
    insertion = insertion.returning(history.c.id, history.c.started_at)
    row = connection.execute(insertion).first()
    if row is None:
        return False
    put_steps(connection, row.id, steps, started_at=row.started_at)
    return True


def put_steps(
    connection: sa.Connection,
    row_id: int,
    steps: Iterable[StepResult],
    *,
    started_at: datetime,
) -> None:
    """Add the steps of an entry, in order."""
    rows: Iterator[Values] = (
        values_of(result, history_step)
        | values_of(result.step, history_step)
        | {
            "history_id": row_id,
            "position": position,
            "recipient_digest": digest(result.step.recipient_id),
            "problem": result.problem and asdict(result.problem),
            "started_at": started_at,
        }
        for position, result in enumerate(steps)
    )
    insert_all(connection, history_step, rows)


def changes_made(steps: Iterable[StepResult]) -> Values:
    """Return the values of the columns that count and name the changed recipients."""
    done = [result.step for result in steps if result.outcome is Outcome.DONE]
    added = recipients_of(done, Goal.VISIBLE)
    removed = recipients_of(done, Goal.NOT_VISIBLE)
    return {
        "added": len(added),
        "removed": len(removed),
        "added_ids": frozenset(sorted(added)[:FIRST_IDS]),
        "removed_ids": frozenset(sorted(removed)[:FIRST_IDS]),
    }


def entries(
    connection: sa.Connection, is_wanted: sa.ColumnElement[bool]
) -> tuple[HistoryEntry, ...]:
    """Return the entries that meet the condition, oldest first."""
    query = sa.select(history).where(is_wanted)
    query = query.order_by(history.c.started_at, history.c.id)
    rows = connection.execute(query).all()
    if not rows:
        return ()

    # Read the lists that the entries refer to.
    digests = [row.before_digest for row in rows] + [row.after_digest for row in rows]
    lists = read_lists(connection, digests)

    # Read the steps, by entry and position.
    ids = sa.select(history.c.id).where(is_wanted)
    query = sa.select(history_step).where(history_step.c.history_id.in_(ids))
    steps: defaultdict[int, list[StepResult]] = defaultdict(list)
    for row in connection.execute(query.order_by(*history_step.primary_key)):
        step = ChangeStep(row.recipient_id, row.goal)
        problem = row.problem and ProblemDetail(**row.problem)
        result = StepResult(step, row.outcome, row.attempts, problem, row.message)
        steps[row.history_id].append(result)

    return tuple(_entry(row, tuple(steps[row.id]), lists) for row in rows)


def _entry(
    row: AnyRow, steps: tuple[StepResult, ...], lists: Mapping[str, frozenset[str]]
) -> HistoryEntry:
    item = read_item_key(row)
    before = lists.get(row.before_digest)
    requested = [result.step for result in steps]
    request = read_value(
        ChangeRequest,
        history,
        row,
        item=item,
        base=before,
        add=recipients_of(requested, Goal.VISIBLE),
        remove=recipients_of(requested, Goal.NOT_VISIBLE),
    )
    result = read_value(
        SaveResult,
        history,
        row,
        item=item,
        steps=steps,
        others=OthersChanges(added=row.others_added, removed=row.others_removed),
        before=before,
        after=lists.get(row.after_digest),
        exchanges=(),
    )
    return read_value(
        HistoryEntry,
        history,
        row,
        request=request,
        steps=steps,
        result=None if row.ended_at is None else result,
    )
