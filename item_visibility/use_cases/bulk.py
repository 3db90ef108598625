"""Bulk jobs: preview a list, apply it as a job, show the results, and undo the job."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from uuid import uuid4

from item_visibility.access.access import Access, Event, Person, Role, log_access
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import BulkError
from item_visibility.jobs.dispatcher import JobDispatcher
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.reading import ItemReader, PreviewTask
from item_visibility.lists.writer import FileKind
from item_visibility.saving.in_words import many
from item_visibility.saving.job import (
    FAILED,
    FINISHED,
    ROW_WORDS,
    STOPPED,
    UNDER_WAY,
    BulkAction,
    BulkItem,
    Job,
    JobItem,
    JobRow,
    JobState,
    SkippedRow,
)
from item_visibility.saving.outcome import HistoryEntry, Outcome, StepResult
from item_visibility.saving.plan import ChangeStep, Goal, recipients_of
from item_visibility.settings import Environment
from item_visibility.storage.jobs import ItemsShown
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.bulk_lists import ListReader
from item_visibility.use_cases.known_names import KnownNames
from item_visibility.use_cases.redaction import redactor_for

COLUMNS = (
    *("Supplier", "Item", "Recipient", "Action", "Outcome", "Message"),
    *("Row", "Item name", "Recipient name"),
)
SKIPPED = "skipped"
"""The word in result files for rows that were skipped."""
LOOKED_AT = 20_000
"""The most items to look up in the directory, because a person waits for the result."""
_PAGE = 1_000
_ALL = frozenset(Outcome)
_ACTIONS = {Goal.VISIBLE: BulkAction.ADD, Goal.NOT_VISIBLE: BulkAction.REMOVE}
_UNFINISHED = frozenset(JobState) - FINISHED


@dataclass(frozen=True, slots=True)
class NotInDirectory:
    """The items and recipients of a preview that have no entry in the directory.

    Recipients count only if they would be added. `is_more` is True when not all items were looked up.
    """

    items: tuple[ItemKey, ...] = ()
    recipients: tuple[str, ...] = ()
    is_more: bool = False

    @property
    def words(self) -> str:
        """A sentence with the numbers of items and recipients; empty when there are none."""
        counts = ((len(self.items), "item"), (len(self.recipients), "recipient"))
        found = " and ".join(many(count, one) for count, one in counts if count)
        verb = "is" if len(self.items) + len(self.recipients) == 1 else "are"
        at_least = "At least " if self.is_more else ""
        return f"{at_least}{found} {verb} not in your directory." if found else ""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The outcome for one recipient of an item.

    `action` is the action to write in a list that tries this row again. `recipient_id` is None when the whole
    item was to be withdrawn and its recipients are unknown. `rows` are the numbers of the rows in the file
    that name the recipient. If no row names it, `rows` are the numbers of all rows of the item.
    """

    item: ItemKey
    recipient_id: str | None
    action: BulkAction
    outcome: Outcome
    message: str
    rows: tuple[int, ...] = ()


class BulkDesk:
    """The bulk jobs of one environment. All methods may raise BulkError and RecordsError.

    Only the person who started a job, or an admin, may change it. For anyone else the methods raise
    SignInError or RoleError.

    A preview only reads. Nothing is sent before `apply`. The dispatcher then works on the job, even when the
    screen is closed. `lists` reads lists of changes. `store` returns stored jobs, items and rows.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        engine: Engine,
        records: ServiceRecords,
        dispatcher: JobDispatcher,
        access: Access,
    ) -> None:
        self.store = records.jobs
        self.dispatcher = dispatcher
        self._environment = environment
        self.engine = engine
        self.reader = ItemReader(engine.service, records, clock=engine.clock)
        self._access = access
        self._names = KnownNames(records.directory)
        self.lists = ListReader(self._names.names_of)

    def start_preview(  # noqa: PLR0913  (one argument a fact)
        self,
        items: Iterable[BulkItem],
        *,
        title: str,
        reason: str = "",
        retry_of: str | None = None,
        undo_of: str | None = None,
        message: str = "",
        nothing: str = "The list contains no changes.",
        skipped: Sequence[SkippedRow] = (),
        repeated: int = 0,
    ) -> str:
        """Start a job that reads every item in the background, and return its key.

        The skipped rows of the list are stored with the job. Raises BulkError with the message `nothing` when
        there are no items.
        """
        person = self._access.require(Role.EDITOR)
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
            created_at=self.reader.clock(),
            item_count=len(intents),
            retry_of=retry_of,
            undo_of=undo_of,
            message=message,
            repeated=repeated,
        )
        self.store.create(job, intents, skipped)
        log_access(Event.READ, person, item_count=len(intents), request_id=job.key)
        self.engine.start(job.key, PreviewTask(job.key, self.reader))
        return job.key

    def job(self, key: str) -> Job:
        """Return the current state of the job."""
        job = self.store.job(key)
        if job is None:
            raise BulkError("This job no longer exists.", advice="Nothing was sent. Make a new preview.")
        return job

    def apply(self, key: str, *, confirmed_count: int | None = None, reason: str = "") -> None:
        """Apply the previewed changes in the background. A second call changes nothing.

        `confirmed_count` is the number that the person typed to confirm large removals. Raises ReadOnlyError.
        """
        self._environment.refuse_when_read_only()
        person = self._admit(key)
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
                advice=f"Nothing was sent. If this is intended, type {job.removals_to_confirm}"
                " to confirm, and apply again.",
            )
        is_queued = self.store.move(
            key,
            JobState.QUEUED,
            expected={JobState.PREVIEWED},
            at=self.reader.clock(),
            reason=redactor_for(self._environment.credentials).text(reason) or None,
            confirmed_count=confirmed_count,
            applied_role=person.role,
        )
        self._check_moved(key, is_moved=is_queued)
        log_access(Event.CHANGE, person, item_count=job.item_count, request_id=key)
        self.dispatcher.notify(key)

    def pause(self, key: str) -> None:
        """Stop starting new items until the job is resumed. Items in progress are finished."""
        self._admit(key)
        self._move(key, JobState.PAUSED, expected=UNDER_WAY)
        self.dispatcher.notify(key)

    def cancel(self, key: str) -> None:
        """Stop reading and starting items. Changes already made stay and can be undone."""
        self._admit(key)
        self._move(key, JobState.CANCELLED, expected=_UNFINISHED)
        self.engine.stop(key)
        self.dispatcher.notify(key)

    def resume(self, key: str) -> None:
        """Continue a stopped job.

        A job that was being applied continues to apply, or raises ReadOnlyError. A cancelled job with a
        complete preview waits for `apply` again. Otherwise the preview continues: it reads the items that
        were not read yet or could not be read.
        """
        role = self._admit(key).role
        job = self.job(key)
        has_begun = job.state is JobState.PAUSED or job.started_at is not None
        if has_begun and job.state in STOPPED:
            self._environment.refuse_when_read_only()
            self.dispatcher.check()
            is_queued = self.store.move(
                key, JobState.QUEUED, expected={job.state}, at=self.reader.clock(), applied_role=role
            )
            self._check_moved(key, is_moved=is_queued)
            self.dispatcher.notify(key)
        elif job.state is JobState.CANCELLED and job.read_items == job.item_count:
            self._move(key, JobState.PREVIEWED, expected={JobState.CANCELLED})
        else:
            message = job.message if job.state is JobState.READING else ""
            expected = {JobState.CANCELLED, JobState.READING, JobState.PREVIEWED}
            self._move(key, JobState.READING, expected=expected, message=message)
            self.engine.start(key, PreviewTask(key, self.reader))

    def retry_failed(self, key: str) -> str:
        """Preview a new job with the rows that failed, and return its key."""
        self._admit(key)
        job = self._stopped(key)
        return self.start_preview(
            self._failed_items(key),
            title=job.title,
            reason=job.reason,
            retry_of=key,
            nothing="Nothing to retry: every row ended as requested.",
        )

    def undo(self, key: str) -> str:
        """Preview a new job that undoes this job, and return its key.

        The new job also undoes the retries of this job, and the job that this one retries. It leaves alone
        the recipients that somebody changed since; its message says how many.
        """
        job = self.job(key)
        attempts = [one.key for one in self.store.attempts(key)]
        for one in attempts:
            self._admit(one)
            self._stopped(one)
        items, message = undo_items(self.reader.records.search.of_jobs(attempts))
        return self.start_preview(
            items,
            title=job.title,
            reason=job.reason,
            undo_of=key,
            message=message,
            nothing=message or "Nothing to undo: this job changed nothing.",
        )

    def not_in_directory(self, key: str) -> NotInDirectory:
        """Return the items and recipients of this job's preview that are not in the directory."""
        items: list[ItemKey] = []
        recipients: set[str] = set()
        after, count = -1, 0
        while page := self.store.items(key, after=after, limit=_PAGE, shown=ItemsShown.CHANGES):
            wanted = [one.intent.item for one in page]
            known = self._names.known_items(wanted)
            items.extend(one for one in wanted if one not in known)
            recipients.update(*(one.preview.add for one in page if one.preview is not None))
            after, count = page[-1].position, count + len(page)
            if count >= LOOKED_AT:
                break
        unknown = recipients - self._names.known_recipients(recipients)
        return NotInDirectory(tuple(items), tuple(sorted(unknown)), is_more=count >= LOOKED_AT)

    def results(
        self, key: str, *, outcomes: Collection[Outcome] = _ALL, limit: int = 50
    ) -> tuple[ResultRow, ...]:
        """Return the first results, by position and recipient."""
        return self._with_items(key, tuple(islice(self.store.rows(key, outcomes=outcomes), limit)))

    def write_results(self, key: str, file_kind: FileKind, *, outcomes: Collection[Outcome] = _ALL) -> bytes:
        """Return results as a file that can be read again as a list of changes.

        If all outcomes are selected, the file includes the skipped rows of the list. Raises FileError when
        the file cannot hold a value.
        """

        def rows() -> Iterator[tuple[str, ...]]:
            found = self.store.rows(key, outcomes=outcomes)
            while results := self._with_items(key, tuple(islice(found, _PAGE))):
                titles = self._names.item_titles({one.item for one in results})
                names = self._names.recipient_names({one.recipient_id or "" for one in results})
                for one in results:
                    recipient = one.recipient_id or ""
                    ids = (one.item.supplier, one.item.supplier_item_id, recipient)
                    ended = (one.action.value, ROW_WORDS[one.outcome], one.message)
                    yield (*ids, *ended, in_spans(one.rows), titles[one.item], names.get(recipient, ""))
            if set(outcomes) == set(Outcome):
                yield from self._skipped_rows(key)

        return file_kind.write(COLUMNS, rows())

    def write_skipped(self, key: str, file_kind: FileKind) -> bytes:
        """Return the skipped rows of the list as a file, each with its number and the reason."""
        return file_kind.write(COLUMNS, self._skipped_rows(key))

    def _admit(self, key: str) -> Person:
        return self._access.require_owner(self.job(key).person_key)

    def _stopped(self, key: str) -> Job:
        job = self.job(key)
        if job.state in UNDER_WAY:
            raise BulkError(
                "The job is still under way.",
                advice="Nothing was sent. Wait for its end, or cancel it first.",
            )
        if self.dispatcher.is_at_work(key):
            raise BulkError(
                "The job was stopped, but items that it had begun are still being processed.",
                advice="Nothing was sent. Wait a moment, and try again.",
            )
        return job

    def _move(self, key: str, state: JobState, *, expected: Collection[JobState], message: str = "") -> None:
        is_moved = self.store.move(key, state, expected=expected, at=self.reader.clock(), message=message)
        self._check_moved(key, is_moved=is_moved)

    def _check_moved(self, key: str, *, is_moved: bool) -> None:
        if not is_moved:
            raise BulkError(
                f"That cannot be done now: the job is {self.job(key).state.value}.",
                advice="Look at the job again: the page shows its current state.",
            )

    def _failed_items(self, key: str) -> Iterator[BulkItem]:
        """Yield the failed changes, as items with the recipients to add and to remove.

        If the current list of an item is unknown, its request is repeated unchanged.
        """
        rows = self.store.rows(key, outcomes=FAILED)
        for position, group in groupby(rows, key=lambda row: row.position):
            item, failed = self.store.items_at(key, [position])[position], tuple(group)
            if _is_unread_list(item) or any(_is_withdrawal(row, item) for row in failed):
                yield item.intent
                continue
            numbers = item.intent.rows_by_recipient
            yield BulkItem(
                item=item.intent.item,
                add=frozenset(row.recipient_id for row in failed if row.goal is Goal.VISIBLE),
                remove=frozenset(row.recipient_id for row in failed if row.goal is Goal.NOT_VISIBLE),
                rows=tuple(
                    numbers.get(row.recipient_id, item.intent.row_numbers)
                    for row in sorted(failed, key=lambda row: row.recipient_id)
                ),
            )

    def _skipped_rows(self, key: str) -> Iterator[tuple[str, ...]]:
        after = -1
        while page := self.store.skipped_rows(key, after=after, limit=_PAGE):
            for one in page:
                message = f"Row {one.number} of the list: {one.reason}"
                named = (one.supplier, one.supplier_item_id, one.recipients)
                yield (*named, one.action, SKIPPED, message, str(one.number), "", "")
            after += len(page)

    def _with_items(self, key: str, rows: tuple[JobRow, ...]) -> tuple[ResultRow, ...]:
        results: list[ResultRow] = []
        items = self.store.items_at(key, sorted({row.position for row in rows}))
        for position, group in groupby(rows, key=lambda row: row.position):
            item = items[position]
            numbers = item.intent.rows_by_recipient
            for row in group:
                is_withdrawal = _is_withdrawal(row, item)
                action = BulkAction.SET if _is_unread_list(item) else _ACTIONS[row.goal]
                result = ResultRow(
                    item=item.intent.item,
                    recipient_id=None if is_withdrawal else row.recipient_id,
                    action=BulkAction.WITHDRAW if is_withdrawal else action,
                    outcome=row.outcome,
                    message=row.message,
                    rows=numbers.get(row.recipient_id, item.intent.row_numbers),
                )
                results.append(result)
        return tuple(results)


def undo_items(
    saves: Iterable[tuple[HistoryEntry, frozenset[str]]],
) -> tuple[tuple[BulkItem, ...], str]:
    """Return the items that undo a job and its retries, and a message about recipients that are left alone.

    `saves` are pairs of a save and the recipients that were changed again after it. The saves of one item are
    in the order in which they were made.
    """
    done: dict[ItemKey, _Made] = defaultdict(_Made)
    still_ours: dict[ItemKey, _Made] = defaultdict(_Made)
    for entry, changed in saves:
        item = entry.request.item
        done[item].add(entry, entry.steps)
        still_ours[item].add(entry, (one for one in entry.steps if one.step.recipient_id not in changed))
    left_alone = [count for item, made in done.items() if (count := len(made.done - still_ours[item].done))]
    message = ""
    if left_alone:
        recipients, items = many(sum(left_alone), "recipient"), many(len(left_alone), "item")
        message = f"Left alone, because they were changed again after the job: {recipients} of {items}."
    undo = (
        BulkItem(
            item=item,
            add=recipients_of(made.done, Goal.NOT_VISIBLE),
            remove=recipients_of(made.done, Goal.VISIBLE),
        )
        for item, made in still_ours.items()
        if made.done
    )
    return tuple(undo), message


class _Made:
    """Collects the changes that the saves of one item made.

    If the outcome of a change is unknown and a later save of the job finds it in place, the job counts it as
    made, and so does this class. The unknown changes of a save that was interrupted count as made too.
    """

    def __init__(self) -> None:
        self.done: set[ChangeStep] = set()
        self._perhaps: set[ChangeStep] = set()

    def add(self, entry: HistoryEntry, steps: Iterable[StepResult]) -> None:
        for step, outcome in ((one.step, one.outcome) for one in steps):
            is_found = outcome is Outcome.IN_PLACE and step in self._perhaps
            is_unfinished = outcome is Outcome.UNKNOWN and entry.verdict is None
            if outcome is Outcome.DONE or is_found or is_unfinished:
                self.done.add(step)
            if outcome is Outcome.UNKNOWN:
                self._perhaps.add(step)


def in_spans(rows: Iterable[int]) -> str:
    """Format row numbers as ranges, such as `2-4, 9`."""
    spans: list[list[int]] = []
    for number in sorted(rows):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in spans)


def _is_withdrawal(row: JobRow, item: JobItem) -> bool:
    """True for the single row of an item that was to be withdrawn while its recipients were unknown.

    This row has an empty recipient id. The service itself may also list an empty id; such a row counts as
    a withdrawal too.
    """
    return item.intent.exactly == frozenset() and not row.recipient_id


def _is_unread_list(item: JobItem) -> bool:
    """True when a whole list was to be set and the service refused to return the current list."""
    return item.intent.exactly is not None and item.preview is not None and bool(item.preview.refusal)
