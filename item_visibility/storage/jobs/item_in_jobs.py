"""The jobs that are to change one item and have not ended: begun, waiting, or only previewed."""

from dataclasses import dataclass

from sqlalchemy import and_, not_, select

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import FINISHED, Job, JobState
from item_visibility.storage.database import Database
from item_visibility.storage.jobs.job_rows import lists_of, read_intent, read_job
from item_visibility.storage.jobs.job_tables import job, job_item

_MOST_JOBS = 50
"""The limit of returned jobs, the newest: each preview that was never applied is one."""


@dataclass(frozen=True, slots=True)
class ItemInJob:
    """A job that has not ended, and what it is to do to the item."""

    job: Job
    intent: BulkItem


class ItemInJobs:
    """The jobs of one environment at one service, looked up by item."""

    def __init__(self, database: Database, *, service: str, environment: str) -> None:
        self._database = database
        self._is_here = and_(job.c.service == service, job.c.environment == environment)

    def unfinished(self, item: ItemKey) -> tuple[ItemInJob, ...]:
        """Return the jobs that are still to work on the item, the newest first."""
        query = (
            select(job_item)
            .join(job)
            .where(
                job_item.c.supplier_item_id == item.supplier_item_id,
                job_item.c.supplier == item.supplier,
                not_(job_item.c.is_ended),
                self._is_here,
                job.c.state.in_(frozenset(JobState) - FINISHED),
            )
            .order_by(job_item.c.job_id.desc())
            .limit(_MOST_JOBS)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = lists_of(connection, rows)
            is_one = job.c.id.in_([row.job_id for row in rows])
            jobs = {row.id: read_job(row) for row in connection.execute(select(job).where(is_one))}
        return tuple(ItemInJob(jobs[row.job_id], read_intent(row, lists)) for row in rows)
