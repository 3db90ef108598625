"""The skipped rows of a job's list, saved with the job so that its result shows them too."""

from collections.abc import Iterable
from itertools import count, islice

from sqlalchemy import ColumnElement, Connection, insert, select

from item_visibility.changes.job import LeftOutRow
from item_visibility.records.ground.connecting import Database
from item_visibility.records.jobs.job_tables import job_left_out

PIECE = 1_000
"""The number of rows saved at once, so that no writer waits long."""


def keep_left_out(database: Database, job_id: int | None, rows: Iterable[LeftOutRow]) -> int:
    """Save the skipped rows of a job, in pieces; return their number."""
    numbered = (
        {
            "job_id": job_id,
            "number": row.number,
            "supplier": row.supplier,
            "supplier_item_id": row.supplier_item_id,
            "recipients": row.recipients,
            "action": row.action,
            "reason": row.reason,
        }
        for row in rows
    )
    positions = count()
    kept = 0
    while some := [row | {"position": next(positions)} for row in islice(numbered, PIECE)]:
        with database.write() as connection:
            connection.execute(insert(job_left_out), some)
        kept += len(some)
    return kept


def read_left_out(
    connection: Connection, job_id: ColumnElement[int], *, after: int, limit: int
) -> tuple[LeftOutRow, ...]:
    """Return the skipped rows of the job after position `after`, in order."""
    query = (
        select(job_left_out)
        .where(job_left_out.c.job_id == job_id, job_left_out.c.position > after)
        .order_by(job_left_out.c.position)
        .limit(limit)
    )
    return tuple(
        LeftOutRow(
            number=row.number,
            supplier=row.supplier,
            supplier_item_id=row.supplier_item_id,
            recipients=row.recipients,
            action=row.action,
            reason=row.reason,
        )
        for row in connection.execute(query)
    )
