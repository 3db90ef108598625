"""Changes to come for this very pair: staged ones, and jobs that have not come to it yet."""

from collections.abc import Iterator

from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.why_not.reasons import Reason, ReasonKind
from item_visibility.records.jobs.item_in_jobs import ItemInJobs
from item_visibility.records.stored_drafts import Drafts

_MOST_DRAFTS = 50


def staged_for_pair(item: ItemKey, recipient_id: str, *, drafts: Drafts, owner: str) -> Iterator[Reason]:
    """Yield who staged to add the recipient, and since when. Their other staged changes are not told.

    Raises RecordsError.
    """
    for one in drafts.of_others("", item=item, limit=_MOST_DRAFTS):
        if recipient_id in one.draft.add:
            is_own = bool(owner) and one.owner == owner
            yield Reason(kind=ReasonKind.STAGED, at=one.updated_at, who=one.staged_by, is_own=is_own)


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
