"""Jobs that are to change this very pair and have not come to it yet."""

from collections.abc import Iterator

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.jobs.item_in_jobs import ItemInJobs
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind


def jobs_for_pair(item: ItemKey, recipient_id: str, *, jobs: ItemInJobs) -> Iterator[Reason]:
    """Yield the jobs that are to add the recipient. Raises RecordsError."""
    for one in jobs.unfinished(item):
        if recipient_id in (one.intent.exactly or one.intent.add):
            job = one.job
            yield Reason(
                kind=ReasonKind.JOB,
                at=job.started_at or job.created_at,
                who=job.person,
                why=job.reason,
                key=job.key,
                title=job.title,
                state=job.state,
                message=job.message,
            )
