"""The requests of a save and their answers, kept in one short text beside its entry in the history."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from item_visibility.api.observing import CallRecord
from item_visibility.api.operations import GET_VISIBILITIES, OPERATIONS
from item_visibility.changes.outcome import Exchanges
from item_visibility.errors import ProblemDetail
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.tables import history

_NUMBERS = {one.name: number for number, one in enumerate(OPERATIONS)}

_LEAST, _USUAL = 7, (1, "", None)
"""The columns that each row has, and what follows when it is omitted: attempt, failure, problem."""

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class SavesExchanges:
    """The exchanges of the saves at one service."""

    database: Database
    service: str

    def of(self, key: str) -> Exchanges:
        """Return those of the save with this key; none where none were kept. Raises RecordsError."""
        row = self.database.row(
            select(history.c.exchanges, history.c.started_at).where(
                history.c.service == self.service, history.c.key == key
            )
        )
        return Exchanges() if row is None or not row.exchanges else _read(row.exchanges, row.started_at)


def as_stored(exchanges: Exchanges, *, since: datetime) -> str:
    """Return the text; empty for none.

    It holds how many were skipped, the path of the item, and a row for each record: its time in milliseconds
    after `since`, and what follows that path. The usual values at the end of a row are omitted.
    """
    records = exchanges.records
    if not records:
        return ""
    base = next((one.path for one in records if one.operation == GET_VISIBILITIES.name), records[0].path)
    rows = [_row(record, base, since) for record in records]
    return json.dumps([exchanges.skipped, base, rows], separators=(",", ":"))


def _row(record: CallRecord, base: str, since: datetime) -> list[object]:
    is_below = record.path.startswith(base)
    problem = record.problem
    row: list[object] = [
        (record.sent_at - since) // _MILLISECOND,
        _NUMBERS[record.operation],
        int(is_below),
        record.path.removeprefix(base) if is_below else record.path,
        record.status,
        round(record.took_s * 1_000),
        record.request_id,
        record.attempt,
        record.failure,
        [problem.status, problem.title, problem.detail, problem.instance] if problem else None,
    ]
    while len(row) > _LEAST and row[-1] == _USUAL[len(row) - 1 - _LEAST]:
        row.pop()
    return row


def _read(text: str, since: datetime) -> Exchanges:
    skipped, base, rows = json.loads(text)
    return Exchanges(tuple(_record(row, base=base, since=since) for row in rows), skipped)


def _record(row: Sequence[Any], *, base: str, since: datetime) -> CallRecord:
    full = [*row, *_USUAL[len(row) - _LEAST :]]
    after_ms, number, is_below, path, status, took_ms, request_id, attempt, failure, problem = full
    operation = OPERATIONS[number]
    return CallRecord(
        operation.name,
        status,
        failure,
        request_id=request_id,
        took_s=took_ms / 1_000,
        method=operation.method,
        path=f"{base if is_below else ''}{path}",
        problem=None if problem is None else ProblemDetail(*problem),
        attempt=attempt,
        sent_at=since + after_ms * _MILLISECOND,
    )
