"""Bulk jobs: from a list to a preview, and from a preview to a job that is followed to its end."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from item_visibility.access.access import Access, Person, Role
from item_visibility.errors import BulkError
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.reading import PreviewTask
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.in_words import many
from item_visibility.saving.job import FINISHED, STOPPED, UNDER_WAY, Job, JobState, SkippedRow
from item_visibility.settings.settings import Environment
from item_visibility.storage.history.search import HistorySearch
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.use_cases.bulk.lists import ListReader
from item_visibility.use_cases.bulk.results import BulkResults
from item_visibility.use_cases.bulk.undo_jobs import undo_of
from item_visibility.use_cases.known_names import KnownNames
from item_visibility.use_cases.redaction import redactor_for

_UNFINISHED = frozenset(JobState) - FINISHED
_LOOK = "Look at the job again: it is shown as it is now."


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkDesk:
    """The bulk jobs of one environment. Methods raise BulkError, RecordsError, and the errors they name.

    Only the person who began a job works with it, or an admin: else SignInError and RoleError are raised.

    A preview only reads. Nothing is sent before `apply`. Then the dispatcher works on the job, even if
    the screen that asked for it is closed. `lists` reads lists; `store` lists jobs, items and rows;
    `results` writes the outcomes of rows to a file. `preview` makes the task that reads a job's items.
    """

    environment: Environment
    store: Jobs
    history: HistorySearch
    engine: Engine
    preview: Callable[[str], PreviewTask]
    dispatcher: JobDispatcher
    lists: ListReader
    access: Access
    clock: Callable[[], datetime]
    names: KnownNames

    @property
    def results(self) -> BulkResults:
        """The results of the jobs."""
        return BulkResults(self.store, self.names)

    def start_preview(  # noqa: PLR0913  (one argument a fact)
        self,
        items: Iterable[BulkItem],
        *,
        title: str,
        reason: str = "",
        retry_of: str | None = None,
        undo_of: str | None = None,
        message: str = "",
        nothing: str = "The list asks for nothing.",
        skipped: Iterable[SkippedRow] = (),
        repeated: int = 0,
    ) -> str:
        """Start a job that reads every item in the background, and return its key.

        The skipped rows of the list are kept with the job. Raises BulkError without items: `nothing`
        says why.
        """
        person = self.access.require(Role.EDITOR)
        intents = tuple(items)
        if not intents:
            raise BulkError(nothing, advice="Nothing was sent.")
        job = Job(
            key=uuid4().hex,
            title=title,
            person=person.name,
            person_key=person.key,
            reason=reason,
            state=JobState.READING,
            created_at=self.clock(),
            item_count=len(intents),
            retry_of=retry_of,
            undo_of=undo_of,
            message=message,
            repeated=repeated,
        )
        self.store.create(job, intents, skipped)
        self.engine.start(job.key, self.preview(job.key))
        return job.key

    def may_work_with(self, job: Job) -> bool:
        """True when who asks may apply, stop, retry and undo the job: it is theirs, or they are an admin."""
        return self.access.allows_owner(job.person_key)

    def is_being_read(self, key: str) -> bool:
        """True while this process reads the job. If another one reads it, `resume` is harmless."""
        return self.engine.is_at_work(key)

    def job(self, key: str) -> Job:
        """Return the job as it is now."""
        job = self.store.job(key)
        if job is None:
            raise BulkError("This job is not there any more.", advice="Nothing was sent. Make a new preview.")
        return job

    def apply(self, key: str, *, confirmed_count: int | None = None, reason: str = "") -> None:
        """Start the job that the preview shows, and return at once. A second call changes nothing.

        `confirmed_count` is the number that the person typed, if the summary asks for one.
        Raises ReadOnlyError.
        """
        self.environment.refuse_when_read_only()
        role = self._admit(key).role
        job = self.job(key)
        if job.state in UNDER_WAY:
            return
        self.dispatcher.check()
        if job.unread:
            raise BulkError(
                f"{many(job.unread, 'item')} could not be read: it is not known what would change.",
                advice="Nothing was sent. Read them again, or leave them out of the list.",
            )
        if job.removals_to_confirm and confirmed_count != job.removals_to_confirm:
            raise BulkError(
                f"Large removals take away {many(job.removals_to_confirm, 'recipient')} in total.",
                advice=f"Nothing was sent. If that is meant, type {job.removals_to_confirm}"
                " to confirm, and apply again.",
            )
        if reason:
            self.store.give_reason(key, redactor_for(self.environment.credentials).text(reason))
        self._move(
            key,
            JobState.QUEUED,
            expected={JobState.PREVIEWED},
            confirmed_count=confirmed_count,
            applied_role=role,
        )
        self.dispatcher.notify(key)

    def pause(self, key: str) -> None:
        """Start no more items until the job is resumed."""
        self._admit(key)
        self._move(key, JobState.PAUSED, expected=UNDER_WAY)
        self.dispatcher.notify(key)

    def cancel(self, key: str) -> None:
        """Start or read no more items. Finished changes stay, and can be undone."""
        self._admit(key)
        self._move(key, JobState.CANCELLED, expected=_UNFINISHED)
        self.engine.stop(key)
        self.dispatcher.notify(key)

    def resume(self, key: str) -> None:
        """Continue a stopped job. If its preview is fully read, the job waits for Apply again.

        Also continues a preview that no process reads any more. Raises ReadOnlyError if items would be
        changed.
        """
        role = self._admit(key).role
        job = self.job(key)
        has_begun = job.state is JobState.PAUSED or job.started_at is not None
        if has_begun and job.state in STOPPED:
            self.environment.refuse_when_read_only()
            self.dispatcher.check()
            self._move(key, JobState.QUEUED, expected={job.state}, applied_role=role)
            self.dispatcher.notify(key)
        elif job.state is JobState.CANCELLED and job.read_items == job.item_count:
            self._move(key, JobState.PREVIEWED, expected={JobState.CANCELLED})
        else:
            self._read(key, expected={JobState.CANCELLED, JobState.READING})

    def reread(self, key: str) -> None:
        """Read again the items that could not be read before."""
        self._admit(key)
        self._read(key, expected={JobState.PREVIEWED, JobState.READING})

    def retry_failed(self, key: str) -> str:
        """Create a new job from the rows that did not end as asked, to be previewed. Return its key."""
        self._admit(key)
        job = self._stopped(key)
        return self.start_preview(
            self.results.failed_items(key),
            title=job.title,
            reason=job.reason,
            retry_of=key,
            nothing="Nothing to retry: every row that ended is as asked.",
        )

    def undo(self, key: str) -> str:
        """Create a new job that undoes exactly what this one and its retries did. Return its key.

        It also covers the job that this one retries. Recipients that others changed since are left alone,
        and the job's message says so.
        """
        job = self.job(key)
        attempts = [one.key for one in self.store.attempts(key)]
        for one in attempts:
            self._admit(one)
            self._stopped(one)
        undo = undo_of(self.history.of_jobs(attempts))
        return self.start_preview(
            undo.items,
            title=job.title,
            reason=job.reason,
            undo_of=key,
            message=undo.message,
            nothing=undo.message or "Nothing to undo: this job changed nothing.",
        )

    def _admit(self, key: str) -> Person:
        """Return the person who asks, if they may work with this job."""
        return self.access.require_owner(self.job(key).person_key)

    def _read(self, key: str, *, expected: Collection[JobState]) -> None:
        job = self.job(key)
        message = job.message if job.state is JobState.READING else ""
        self._move(key, JobState.READING, expected=expected, message=message)
        self.engine.start(key, self.preview(key))

    def _stopped(self, key: str) -> Job:
        job = self.job(key)
        if job.state in UNDER_WAY:
            raise BulkError(
                "The job is still under way.",
                advice="Nothing was sent. Wait for its end, or cancel it first.",
            )
        if self.dispatcher.is_at_work(key):
            raise BulkError(
                "The job was stopped, but the items that it had begun have not ended yet.",
                advice="Nothing was sent. Wait a moment, and try again.",
            )
        return job

    def _move(  # noqa: PLR0913  (one argument a fact)
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        message: str = "",
        confirmed_count: int | None = None,
        applied_role: Role | None = None,
    ) -> None:
        """Put the job into the state. Raise BulkError if it is gone, or in none of the expected states."""
        if not self.store.move(
            key,
            state,
            expected=expected,
            at=self.clock(),
            message=message,
            confirmed_count=confirmed_count,
            applied_role=applied_role,
        ):
            job = self.job(key)
            raise BulkError(f"That cannot be done now: the job is {job.state.value}.", advice=_LOOK)
