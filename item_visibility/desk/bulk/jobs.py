"""Many items at once: from a list to a preview, and from a preview to a job that is followed to its end."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from uuid import uuid4

from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import UNDER_WAY, Job, JobItem, JobRow, JobState, LeftOutRow, RowOutcome
from item_visibility.desk.bulk.lists import BulkIntake, HiddenCells, Understood
from item_visibility.desk.bulk.results import BulkResults, ResultRow
from item_visibility.desk.bulk.undo_jobs import taken_back
from item_visibility.errors import BulkError
from item_visibility.intake.damage.finding import Finding
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.preview_runs import PreviewRuns
from item_visibility.records.history.search import HistorySearch
from item_visibility.records.jobs.job_store import Jobs
from item_visibility.records.jobs.preview_rows import ItemsShown, PreviewSummary
from item_visibility.settings.values import Environment

__all__ = ["BulkDesk", "HiddenCells", "ItemsShown", "PreviewSummary", "ResultRow", "Understood"]

_ALL = frozenset(RowOutcome)
_UNFINISHED = frozenset(JobState) - {JobState.ENDED, JobState.CANCELLED}
_LOOK = "Look at the job again: it is shown as it is now."


class BulkDesk(BulkIntake):
    """Bulk jobs of one environment. Methods raise BulkError, RecordsError, and what is said with them.

    A preview reads only. Nothing is sent before `apply`; then the dispatcher has it done, whatever
    becomes of the screen that asked for it. `results` says how rows ended, and writes them as a file.
    """

    def __init__(  # noqa: PLR0913  (wired in one place, from all its parts)
        self,
        environment: Environment,
        *,
        store: Jobs,
        history: HistorySearch,
        previews: PreviewRuns,
        dispatcher: JobDispatcher,
        find_damage: Callable[..., Iterable[Finding]],
        person: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(find_damage)
        self._environment = environment
        self._store = store
        self._history = history
        self._previews = previews
        self._dispatcher = dispatcher
        self._person = person
        self._clock = clock
        self.results = BulkResults(store)

    def start_preview(
        self, items: Iterable[BulkItem], *, title: str, reason: str = "", left_out: Iterable[LeftOutRow] = ()
    ) -> str:
        """Have every item read in the background; the key of the job that will show what it would do.

        The rows of the list that are left out are kept with the job.
        """
        return self._read_new(items, title=title, reason=reason, left_out=left_out)

    def job(self, key: str) -> Job | None:
        """The job as it stands; None when there is none."""
        return self._store.job(key)

    def jobs(self, *, limit: int = 20) -> tuple[Job, ...]:
        """The newest jobs first."""
        return self._store.jobs(limit=limit)

    def is_read_here(self, key: str) -> bool:
        """True while its preview is read by this process, or waits for its turn.

        A READING job of which this is not true may be read by another process; `resume` does no harm then.
        """
        return self._previews.is_running(key)

    def summary(self, key: str) -> PreviewSummary:
        """What the job would do in total."""
        summary = self._store.summary(key)
        if summary is None:
            raise _gone()
        return summary

    def items(
        self, key: str, *, after: int = -1, limit: int = 50, shown: ItemsShown = ItemsShown.ALL
    ) -> tuple[JobItem, ...]:
        """Items by position, those after `after`."""
        return self._store.items(key, after=after, limit=limit, shown=shown)

    def rows(
        self,
        key: str,
        *,
        outcomes: Collection[RowOutcome] = _ALL,
        after: tuple[int, str] = (-1, ""),
        limit: int = 50,
    ) -> tuple[JobRow, ...]:
        """How rows ended, by position and recipient, those after `after`."""
        return self._store.rows(key, outcomes=outcomes, after=after, limit=limit)

    def check(self) -> None:
        """Raise RecordsError when no job can be worked on here: none is applied then."""
        self._dispatcher.check()

    def trouble(self) -> str:
        """Why no job could be worked on just now; empty when one could."""
        return self._dispatcher.trouble()

    def left_out_rows(self, key: str, *, after: int = -1, limit: int = 50) -> tuple[LeftOutRow, ...]:
        """The rows of its list that the job does not take, in their order, those after `after`."""
        return self._store.left_out(key, after=after, limit=limit)

    def apply(self, key: str, *, confirmed_count: int | None = None, reason: str = "") -> None:
        """Have done what the preview shows, and come back at once; a second time changes nothing.

        `confirmed_count` is the number that the person typed when the summary asks for one. ReadOnlyError.
        """
        self._environment.refuse_when_read_only()
        if self._there(key).state in UNDER_WAY:
            return
        self.check()
        summary = self.summary(key)
        if summary.unread:
            raise BulkError(
                f"{summary.unread:,} items were not read, so it is not known what would be done to them.",
                advice="Nothing was sent. Read them again, or leave them out of the list.",
            )
        if summary.removals_to_confirm and confirmed_count != summary.removals_to_confirm:
            raise BulkError(
                f"Large removals take away {summary.removals_to_confirm:,} recipients in total.",
                advice=f"Nothing was sent. If that is meant, type {summary.removals_to_confirm}"
                " to confirm, and apply again.",
            )
        if reason:
            self._store.give_reason(key, reason)
        self._move(key, JobState.QUEUED, expected={JobState.PREVIEWED}, confirmed_count=confirmed_count)
        self._dispatcher.notify(key)

    def pause(self, key: str) -> None:
        """Begin no further item until the job is resumed."""
        self._move(key, JobState.PAUSED, expected=UNDER_WAY)
        self._dispatcher.notify(key)

    def cancel(self, key: str) -> None:
        """Begin no further item, or read no further one. What was done stays, and can be undone."""
        self._move(key, JobState.CANCELLED, expected=_UNFINISHED)
        self._previews.stop(key)
        self._dispatcher.notify(key)

    def resume(self, key: str) -> None:
        """Go on from where it stopped; a preview of which nothing is left to read waits for Apply again.

        A preview that no process reads any more is read on, too. ReadOnlyError where items would be changed.
        """
        job = self._there(key)
        has_begun = job.state is JobState.PAUSED or job.started_at is not None
        if has_begun and job.state in {JobState.PAUSED, JobState.CANCELLED}:
            self._environment.refuse_when_read_only()
            self.check()
            self._move(key, JobState.QUEUED, expected={job.state})
            self._dispatcher.notify(key)
        elif job.state is JobState.CANCELLED and job.read_items == job.item_count:
            self._move(key, JobState.PREVIEWED, expected={JobState.CANCELLED})
        else:
            self._read(key, expected={JobState.CANCELLED, JobState.READING})

    def reread(self, key: str) -> None:
        """Read the items that could not be read before."""
        self._read(key, expected={JobState.PREVIEWED, JobState.READING})

    def retry_failed(self, key: str) -> str:
        """A new job, to be previewed, of the rows that did not end as asked; its key."""
        job = self._stopped(key)
        return self._read_new(
            self.results.failed_items(key),
            title=job.title,
            reason=job.reason,
            retry_of=key,
            nothing="Every row that ended is as asked: there is nothing to try again.",
        )

    def undo(self, key: str) -> str:
        """A new job, to be previewed, that takes back exactly what this one did; its key.

        Recipients that others changed since are left alone, and its message says so.
        """
        job = self._stopped(key)
        verified = job.outcomes.get(RowOutcome.VERIFIED, 0)
        undo = taken_back(self._history.of_job(key), verified=verified)
        return self._read_new(
            undo.items,
            title=job.title,
            reason=job.reason,
            undo_of=key,
            message=undo.message,
            nothing=undo.message or "This job changed nothing: there is nothing to take back.",
        )

    def close(self) -> None:
        """Read no more previews; what is unread can be read later."""
        self._previews.close()

    def _read_new(  # noqa: PLR0913  (one argument a fact)
        self,
        items: Iterable[BulkItem],
        *,
        title: str,
        reason: str,
        retry_of: str | None = None,
        undo_of: str | None = None,
        message: str = "",
        nothing: str = "The list asks for nothing.",
        left_out: Iterable[LeftOutRow] = (),
    ) -> str:
        asked: Sequence[BulkItem] = tuple(items)
        if not asked:
            raise BulkError(nothing, advice="Nothing was sent.")
        job = Job(
            key=uuid4().hex,
            title=title,
            person=self._person(),
            reason=reason,
            state=JobState.READING,
            created_at=self._clock(),
            item_count=len(asked),
            retry_of=retry_of,
            undo_of=undo_of,
            message=message,
        )
        self._store.create(job, asked, left_out)
        self._previews.start(job.key)
        return job.key

    def _read(self, key: str, *, expected: Collection[JobState]) -> None:
        job = self._there(key)
        message = job.message if job.state is JobState.READING else ""
        self._move(key, JobState.READING, expected=expected, message=message)
        self._previews.start(key)

    def _there(self, key: str) -> Job:
        job = self._store.job(key)
        if job is None:
            raise _gone()
        return job

    def _stopped(self, key: str) -> Job:
        job = self._there(key)
        if job.state in UNDER_WAY:
            raise BulkError(
                "The job is still under way.",
                advice="Nothing was sent. Wait for its end, or cancel it first.",
            )
        if self._dispatcher.is_at_work(key):
            raise BulkError(
                "The job was stopped, but the items that it had begun have not ended yet.",
                advice="Nothing was sent. Wait a moment, and try again.",
            )
        return job

    def _move(
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        message: str = "",
        confirmed_count: int | None = None,
    ) -> None:
        """Put the job into the state; BulkError when it is in another one than expected, or is gone."""
        if not self._store.move(
            key,
            state,
            expected=expected,
            at=self._clock(),
            message=message,
            confirmed_count=confirmed_count,
        ):
            job = self._there(key)
            raise BulkError(f"That cannot be done now: the job is {job.state.value}.", advice=_LOOK)


def _gone() -> BulkError:
    return BulkError("This job is not there any more.", advice="Nothing was sent. Make a new preview.")
