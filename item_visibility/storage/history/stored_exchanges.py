"""The requests of a save and their answers, stored as one text beside its entry in the history."""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ProblemDetail
from item_visibility.storage.database.connecting import Database
from item_visibility.storage.database.tables import history

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class SavesExchanges:
    """The exchanges of the saves at one service."""

    database: Database
    service: str

    def of(self, key: str) -> tuple[CallRecord, ...]:
        """Return those of the save with this key; none where none were kept. Raises RecordsError."""
        row = self.database.row(
            select(history.c.exchanges, history.c.started_at).where(
                history.c.service == self.service, history.c.key == key
            )
        )
        if row is None or not row.exchanges:
            return ()
        return tuple(_read(fields, since=row.started_at) for fields in json.loads(row.exchanges))


def as_stored(exchanges: Sequence[CallRecord], *, since: datetime) -> str:
    """Return the text; empty for none. Times are milliseconds after `since`."""
    rows = [_row(record, since=since) for record in exchanges]
    return json.dumps(rows, separators=(",", ":")) if rows else ""


def _row(record: CallRecord, *, since: datetime) -> list[object]:
    return [
        (record.sent_at - since) // _MILLISECOND,
        record.operation,
        record.method,
        record.path,
        record.status,
        round(record.took_s * 1_000),
        record.request_id,
        record.attempt,
        record.failure,
        None if record.problem is None else astuple(record.problem),
    ]


def _read(fields: Sequence[Any], *, since: datetime) -> CallRecord:
    after_ms, operation, method, path, status, took_ms, request_id, attempt, failure, problem = fields
    return CallRecord(
        operation,
        status,
        failure,
        request_id=request_id,
        took_s=took_ms / 1_000,
        method=method,
        path=path,
        problem=None if problem is None else ProblemDetail(*problem),
        attempt=attempt,
        sent_at=since + after_ms * _MILLISECOND,
    )
