"""Bulk jobs: preview a list, apply it as a job, show the results, and undo the job."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain, groupby, islice
from operator import attrgetter, itemgetter
from typing import Unpack
from uuid import uuid4

from item_visibility.access.access import Access
from item_visibility.access.access_log import Event, log_access
from item_visibility.access.people import Person, Role
from item_visibility.errors import NotPossibleError
from item_visibility.jobs.command_worker import CommandWorker
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.preview_and_scan import PreviewTask
from item_visibility.lists.writer import FileKind
from item_visibility.model.change import Goal
from item_visibility.model.job import (
    BEGUN,
    FAILED,
    FINISHED,
    ROW_WORDS,
    STOPPED,
    UNDER_WAY,
    BulkAction,
    BulkItem,
    ItemsShown,
    Job,
    JobOrigin,
    JobState,
    SkippedRow,
)
from item_visibility.model.known_ids import Kind
from item_visibility.model.outcome import Outcome
from item_visibility.model.words import many
from item_visibility.saving.item_reader import ItemReader
from item_visibility.settings import Environment
from item_visibility.storage.jobs import JobChanges
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.find_by_name import KnownNames
from item_visibility.use_cases.redaction import redactor_for
from item_visibility.use_cases.undo import undo_items

COLUMNS = (
    "Supplier",
    "Item",
    "Recipient",
    "Action",
    "Outcome",
    "Message",
    "Row",
    "Item name",
    "Recipient name",
)
LOOKED_AT = 20_000
"""At most this many items are looked up in the directory: a person waits for it."""
_ALL = frozenset(Outcome)
_STARTED = {
    JobOrigin.BULK_PAGE: "This job was started on the Bulk page",
    JobOrigin.COMMAND: "This job was started by a command",
}
_ACTIONS = {Goal.VISIBLE: BulkAction.ADD, Goal.NOT_VISIBLE: BulkAction.REMOVE}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The outcome for one recipient of an item.

    `action` would request the same change again. `recipient_id` is None when all
    recipients should be removed from an item that could not be read. `rows` are the
    numbers of the rows that name the recipient, or of all rows of the item if no row
    names it.
    """

    intent: BulkItem
    recipient_id: str | None
    action: BulkAction
    outcome: Outcome
    message: str
    rows: tuple[int, ...] = ()


@dataclass(eq=False, repr=False)
class BulkDesk:
    """The bulk jobs of one environment.

    All methods may raise NotPossibleError and RecordsError.

    Only an admin or the person who started a job may change it. For anybody else, these
    changes raise SignInError or RoleError. Nothing is sent before `apply`. After
    `apply`, the dispatcher works on the job: that of a dashboard even when the screen
    is closed, that of a command until its process ends. Each works only on the jobs of
    its own origin. `store` returns stored jobs, items and rows.
    """

    environment: Environment
    _: KW_ONLY
    engine: Engine
    records: ServiceRecords
    dispatcher: JobDispatcher | CommandWorker
    access: Access

    def __post_init__(self) -> None:
        self.store = self.records.jobs
        self.reader = ItemReader(
            self.engine.service, self.records, clock=self.engine.clock
        )
        self._names = KnownNames(self.records.directory)

    def start_preview(  # noqa: PLR0913  (one argument per fact)
        self,
        items: Iterable[BulkItem],
        *,
        title: str,
        reason: str = "",
        retry_of: str | None = None,
        undo_of: str | None = None,
        message: str = "",
        skipped: Sequence[SkippedRow] = (),
        repeated: int = 0,
    ) -> str:
        """Start a job that reads every item in the background, and return its key."""
        person = self.access.require(Role.EDITOR)
        intents = tuple(items)
        if not intents:
            raise NotPossibleError(
                message or "There are no changes to make.", advice="Nothing was sent."
            )
        job = Job(
            key=uuid4().hex,
            title=title,
            person=person.name,
            person_key=person.key,
            reason=reason,
            state=JobState.READING,
            created_at=self.reader.clock(),
            item_count=len(intents),
            retry_of=retry_of,
            undo_of=undo_of,
            message=message,
            repeated=repeated,
            origin=self.dispatcher.origin,
        )
        self.store.create(job, intents, skipped)
        log_access(Event.READ, person, item_count=len(intents), request_id=job.key)
        self.engine.start(job.key, PreviewTask(job.key, self.reader, self.store))
        return job.key

    def job(self, key: str) -> Job:
        """Return the current state of the job."""
        job = self.store.job(key)
        if job is None:
            raise NotPossibleError(
                "This job no longer exists.",
                advice="Nothing was sent. Make a new preview.",
            )
        return job

    def apply(
        self, key: str, *, confirmed_count: int | None = None, reason: str = ""
    ) -> None:
        """Apply the previewed changes in the background. A second call changes nothing.

        `confirmed_count` is the number that the person typed to confirm large removals.
        Raises ReadOnlyError.
        """
        self.environment.refuse_when_read_only()
        job, person = self._owned(key)
        if job.state in UNDER_WAY:
            return
        self._refuse_other_origin(job)
        self.dispatcher.check()

        # The person must have seen every change, and confirmed large removals.
        if job.unread:
            raise NotPossibleError(
                f"{many(job.unread, 'item')} could not be read, so the preview is"
                " not complete.",
                advice="Nothing was sent. Read these items again, or remove them"
                " from the list.",
            )
        if job.removals_to_confirm and confirmed_count != job.removals_to_confirm:
            raise NotPossibleError(
                "Large removals would remove"
                f" {many(job.removals_to_confirm, 'recipient')} in total.",
                advice="Nothing was sent. If this is intended, type"
                f" {job.removals_to_confirm} to confirm, and apply again.",
            )

        self.dispatcher.claim(key)
        self._move(
            key,
            JobState.QUEUED,
            expected={JobState.PREVIEWED},
            reason=redactor_for(self.environment.credentials).text(reason) or None,
            confirmed_count=confirmed_count,
            applied_role=person.role,
        )
        log_access(Event.CHANGE, person, item_count=job.item_count, request_id=key)

    def pause(self, key: str) -> None:
        """Start no further items until the job is resumed.

        Items in progress are finished.
        """
        self._owned(key)
        self._move(key, JobState.PAUSED, expected=UNDER_WAY)

    def cancel(self, key: str) -> None:
        """End the preview or the job.

        Changes already made are kept and can be undone.
        """
        self._owned(key)
        self._move(key, JobState.CANCELLED, expected=frozenset(JobState) - FINISHED)
        self.engine.stop(key)

    def resume(self, key: str) -> None:
        """Continue a job or preview that was stopped.

        May raise ReadOnlyError, but not for a preview.

        When a preview continues, the items that could not be read are read again. A
        dashboard cannot resume the job of a command.
        """
        job, person = self._owned(key)
        self._refuse_other_origin(job)

        # Continue to send changes.
        has_begun = job.state is JobState.PAUSED or job.started_at is not None
        if has_begun and job.state in STOPPED:
            self.environment.refuse_when_read_only()
            self.dispatcher.check()
            self.dispatcher.claim(key)
            self._move(
                key, JobState.QUEUED, expected={job.state}, applied_role=person.role
            )
            return

        # Return to a preview that is complete.
        if job.state is JobState.CANCELLED and job.read_items == job.item_count:
            self._move(key, JobState.PREVIEWED, expected={JobState.CANCELLED})
            return

        # Continue to read.
        self._move(
            key,
            JobState.READING,
            expected={JobState.CANCELLED, JobState.READING, JobState.PREVIEWED},
            message=job.message if job.state is JobState.READING else "",
        )
        self.engine.start(key, PreviewTask(key, self.reader, self.store))

    def is_interrupted(self, job: Job) -> bool:
        """Return True if a command has begun the job, and none works on it any more."""
        is_begun = job.origin is JobOrigin.COMMAND and job.state in BEGUN
        if not is_begun or self.store.is_claimed(job.key):
            return False
        # A command finishes its job first, and then ends its claim.
        current = self.store.job(job.key)
        return current is not None and current.state in BEGUN

    def interrupted(self) -> tuple[Job, ...]:
        """Return the current user's jobs that are interrupted, oldest first."""
        person = self.access.require(Role.VIEWER)
        begun = self.store.in_state(BEGUN, JobOrigin.COMMAND)
        return tuple(
            job
            for job in begun
            if job.person_key == person.key and self.is_interrupted(job)
        )

    def continue_interrupted(self, key: str) -> None:
        """Continue an interrupted job in this process. Raises ReadOnlyError.

        Raises NotPossibleError if another command works on the job or has finished it.
        """
        self.environment.refuse_when_read_only()
        job, person = self._owned(key)
        self._refuse_other_origin(job)
        self.dispatcher.claim(key)
        self._move(key, JobState.QUEUED, expected=BEGUN, applied_role=person.role)

    def drop_interrupted(self, key: str) -> None:
        """End an interrupted job.

        Changes already made are kept, and can be undone on the Bulk page.

        Raises NotPossibleError if another command works on the job or has finished it.
        """
        job, _ = self._owned(key)
        self._refuse_other_origin(job)
        self.dispatcher.claim(key)
        self._move(key, JobState.CANCELLED, expected=BEGUN)

    def retry_failed(self, key: str) -> str:
        """Preview a new job with the rows that failed, and return its key."""
        job = self._stopped(key)
        items = self._failed_items(key)
        return self.start_preview(
            items, title=job.title, reason=job.reason, retry_of=key
        )

    def undo(self, key: str) -> str:
        """Preview a new job that undoes this job and its retries.

        Return the key of the new job.

        Recipients that were changed again later are left alone. The message of the new
        job counts them.
        """
        job = self.job(key)
        attempts = [attempt.key for attempt in self.store.attempts(key)]
        for attempt_key in attempts:
            self._stopped(attempt_key)
        items, message = undo_items(self.reader.records.history.of_jobs(attempts))
        return self.start_preview(
            items, title=job.title, reason=job.reason, undo_of=key, message=message
        )

    def not_in_directory(self, key: str) -> list[tuple[str, str, str]]:
        """Return items and recipients of the preview that are not in the directory.

        Each row has "Item" or "Recipient", the id, and for an item its supplier.
        """
        names = self._names.held()
        changed = self.store.items(key, limit=LOOKED_AT, shown=ItemsShown.CHANGES)

        items = [job_item.intent.item for job_item in changed]
        known = names.known_items(items)
        rows = [
            ("Item", item.supplier_item_id, item.supplier)
            for item in items
            if item not in known
        ]

        recipients: set[str] = set()
        for preview in filter(None, (job_item.preview for job_item in changed)):
            recipients |= preview.add
        rows += [
            ("Recipient", recipient_id, "")
            for recipient_id in sorted(recipients)
            if not names.is_known(Kind.RECIPIENT, recipient_id)
        ]
        return rows

    def results(
        self,
        key: str,
        *,
        outcomes: Collection[Outcome] = _ALL,
        limit: int | None = None,
    ) -> Iterator[ResultRow]:
        """Yield the results in the order of the list, those of an item by recipient."""
        results = islice(self.store.results(key, outcomes=outcomes), limit)
        for item, group in groupby(results, key=itemgetter(0)):
            intent = item.intent
            numbers = intent.rows_by_recipient
            is_refused = item.preview is not None and bool(item.preview.refusal)
            for _, result in group:
                recipient_id: str | None = result.step.recipient_id
                rows = numbers.get(result.step.recipient_id, intent.row_numbers)
                if intent.exactly == frozenset() and not recipient_id:
                    # The list was not read: the removal of all its recipients is one
                    # result, without a recipient id.
                    recipient_id = None
                    action = BulkAction.WITHDRAW
                elif is_refused and intent.exactly is not None:
                    action = BulkAction.SET
                else:
                    action = _ACTIONS[result.step.goal]
                yield ResultRow(
                    intent=intent,
                    recipient_id=recipient_id,
                    action=action,
                    outcome=result.outcome,
                    message=result.message,
                    rows=rows,
                )

    def write_results(
        self, key: str, file_kind: FileKind, *, outcomes: Collection[Outcome] = _ALL
    ) -> bytes:
        """Return the results as a file that can be uploaded again as a list of changes.

        If `outcomes` are all outcomes, the file also has the skipped rows of the list.
        Raises FileError.
        """
        names = self._names.held()

        def cells(row: ResultRow) -> tuple[str, ...]:
            item = row.intent.item
            recipient_id = row.recipient_id or ""
            return (
                item.supplier,
                item.supplier_item_id,
                recipient_id,
                row.action.value,
                ROW_WORDS[row.outcome],
                row.message,
                in_spans(row.rows),
                names.item_title(item),
                names.chosen(Kind.RECIPIENT, recipient_id).name,
            )

        results = map(cells, self.results(key, outcomes=outcomes))
        skipped = self._skipped_rows(key) if set(outcomes) == _ALL else ()
        return file_kind.write(COLUMNS, chain(results, skipped))

    def write_skipped(self, key: str, file_kind: FileKind) -> bytes:
        """Return the skipped rows of the list as a file.

        Each has its number in the list, and the reason.
        """
        return file_kind.write(COLUMNS, self._skipped_rows(key))

    def _owned(self, key: str) -> tuple[Job, Person]:
        job = self.job(key)
        return job, self.access.require_owner(job.person_key)

    def _refuse_other_origin(self, job: Job) -> None:
        if job.origin is not self.dispatcher.origin:
            raise NotPossibleError(
                f"{_STARTED[job.origin]}, and can be applied and continued only there.",
                advice="Nothing was sent.",
            )

    def _is_at_work(self, job: Job) -> bool:
        if job.state is JobState.ENDED:
            return False
        if job.state in UNDER_WAY or self.dispatcher.is_at_work(job.key):
            return True
        return job.origin is JobOrigin.COMMAND and self.store.is_claimed(job.key)

    def _stopped(self, key: str) -> Job:
        job, _ = self._owned(key)
        if self._is_at_work(job):
            raise NotPossibleError(
                "Items of this job are still being processed.",
                advice="Nothing was sent. Wait until the job has ended, or cancel it"
                " and wait a moment.",
            )
        return job

    def _move(
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        **changes: Unpack[JobChanges],
    ) -> None:
        is_moved = self.store.move(
            key, state, expected=expected, at=self.reader.clock(), **changes
        )
        if not is_moved:
            raise NotPossibleError(
                f"That cannot be done now: the job is {self.job(key).state.value}.",
                advice="The page shows the current state of the job.",
            )
        self.dispatcher.notify(key)

    def _failed_items(self, key: str) -> Iterator[BulkItem]:
        rows = self.results(key, outcomes=FAILED)
        for intent, group in groupby(rows, key=attrgetter("intent")):
            failed = sorted(group, key=lambda row: row.recipient_id or "")
            actions = {row.action for row in failed}
            if actions & {BulkAction.SET, BulkAction.WITHDRAW}:
                yield intent
                continue
            yield BulkItem(
                item=intent.item,
                add=_recipients_of(failed, BulkAction.ADD),
                remove=_recipients_of(failed, BulkAction.REMOVE),
                rows=tuple(row.rows for row in failed),
            )

    def _skipped_rows(self, key: str) -> Iterator[tuple[str, ...]]:
        for row in self.store.skipped_rows(key):
            yield (
                row.supplier,
                row.supplier_item_id,
                row.recipients,
                row.action,
                "skipped",
                f"Row {row.number} of the list: {row.reason}",
                str(row.number),
                "",
                "",
            )


def _recipients_of(rows: Iterable[ResultRow], action: BulkAction) -> frozenset[str]:
    return frozenset(row.recipient_id or "" for row in rows if row.action is action)


def in_spans(rows: Iterable[int]) -> str:
    """Format row numbers as ranges, such as `2-4, 9`."""
    spans = []
    # In a range, each number minus its index is the same.
    numbered = enumerate(sorted(rows))
    for _, group in groupby(numbered, key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        first = numbers[0]
        last = numbers[-1]
        spans.append(str(first) if first == last else f"{first}-{last}")
    return ", ".join(spans)
