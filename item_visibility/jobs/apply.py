"""Applies jobs: saves each item until each recipient has a final outcome.

One save of an item may not be enough.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from item_visibility.client.answers import meaning_of
from item_visibility.errors import ItemVisibilityError, NotStartedError
from item_visibility.jobs.engine import (
    FIRST_ITEMS,
    Engine,
    StoppedError,
    Task,
    Trouble,
    is_passing_trouble,
)
from item_visibility.model.change import (
    ChangeKind,
    ChangeRequest,
    ChangeStep,
    Goal,
    is_met,
    recipients_of,
    steps_for,
)
from item_visibility.model.job import (
    UNDER_WAY,
    ItemPreview,
    Job,
    JobItem,
    JobOrigin,
    JobState,
    Outage,
)
from item_visibility.model.outcome import (
    HistoryEntry,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.saving.save import Saver
from item_visibility.saving.save_worker import HoldItem
from item_visibility.saving.send_and_verify import IsHeld
from item_visibility.storage.jobs import Jobs

ITEM_ATTEMPTS = 6
"""After this many attempts to change an item, a job reports it as not confirmed."""

CHUNK_ITEMS = 100
"""A job works on this many items at a time."""
UNREAD = "The item was not read for the preview, so nothing was sent."
CHANGED_SINCE = "Somebody else changed this after the preview, so it was left alone."
NOT_SHOWN_YET = "The service does not confirm this change."
AT_WORK = frozenset({JobState.RUNNING, JobState.WAITING})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRunner:
    """Applies the jobs of one environment and one origin.

    `may_work` returns False as soon as this process may no longer work on a job.
    """

    engine: Engine
    store: Jobs
    saver: Saver
    hold: HoldItem
    origin: JobOrigin = JobOrigin.BULK_PAGE
    may_work: Callable[[str], bool] = lambda _job_key: True

    def run_chunk(self, key: str) -> bool:
        """Work on the next open items of a job.

        Return True when there are more. Raises RecordsError.
        """
        if self.engine.stopping.is_set() or not self.may_work(key):
            return False
        is_moved = self.store.move(
            key,
            JobState.RUNNING,
            expected=UNDER_WAY,
            at=self.engine.clock(),
            origin=self.origin,
        )
        job = self.store.job(key) if is_moved else None
        if job is None:
            return False
        task = ApplyTask(self, job)
        return self.engine.run(key, task) and task.is_more


def attempt_key(job_key: str, position: int, attempt: int) -> str:
    """Return the idempotency key for one attempt to save a job's item.

    The first attempt is number 1.
    """
    return f"{job_key}:{position}:{attempt}"


class ItemOutcomes:
    """Collects the outcomes of all attempts to save one item, by recipient.

    When a list is set exactly, only recipients that the preview listed for removal are
    removed. Recipients that somebody added after the preview are left alone and
    reported.
    """

    def __init__(self, item: JobItem, preview: ItemPreview) -> None:
        self._preview = preview
        self._is_exact = item.intent.exactly is not None
        wanted = preview if self._is_exact else item.intent
        self._steps = steps_for(add=wanted.add, remove=wanted.remove)
        self.open = dict.fromkeys(self._steps, "")
        """Maps each step without a final outcome to the reason for this.

        An unknown reason is an empty text.
        """
        self._ended: dict[ChangeStep, StepResult] = {}
        # Steps that an earlier attempt may have made.
        self._perhaps_ours: set[ChangeStep] = set()
        self._seen = preview.current or frozenset()
        self.after: frozenset[str] | None = self._seen
        """The list as it was last read, or None if it was not read after a write."""

    def add_attempt(
        self, steps: Iterable[StepResult], result: SaveResult | None
    ) -> None:
        """Add the steps of one attempt.

        `result` is None for an attempt that was interrupted.
        """
        before = None if result is None else result.before
        after = None if result is None else result.after
        self.after = after
        self.add_read(before if after is None else after)
        for step in steps:
            if step.step in self.open:
                self._add(step, before, after)

    def add_read(self, recipients: frozenset[str] | None) -> None:
        """Remember the list that was last read, unless it is None."""
        self._seen = self._seen if recipients is None else recipients

    def end_met(self, recipients: frozenset[str]) -> None:
        """End the steps whose goal is met by this list, read before the first save."""
        self.add_read(recipients)
        for step in tuple(self.open):
            if is_met(step, recipients):
                self._end(step, Outcome.IN_PLACE)

    def end_open(self, outcome: Outcome, message: str = "") -> None:
        """End each open step with this outcome.

        A step that an attempt may have made ends as UNKNOWN. Without a message, each
        step keeps its own reason.
        """
        for step, reason in tuple(self.open.items()):
            is_ours = step in self._perhaps_ours
            self._end(step, Outcome.UNKNOWN if is_ours else outcome, message or reason)

    def rows(self) -> tuple[StepResult, ...]:
        """Return the result for each recipient of the job.

        When a list is set exactly, recipients that somebody else added meanwhile are
        included.
        """
        rows = [self._ended[step] for step in self._steps if step in self._ended]
        if not self._is_exact:
            return tuple(rows)

        previewed = self._preview.current or frozenset()
        added_since = self._seen - previewed - self._preview.add
        for step in steps_for(add=self._preview.in_place, remove=added_since):
            if is_met(step, self._seen):
                rows.append(StepResult(step, Outcome.IN_PLACE))
            else:
                rows.append(StepResult(step, Outcome.NOT_SENT, message=CHANGED_SINCE))
        return tuple(rows)

    def _add(
        self,
        result: StepResult,
        before: frozenset[str] | None,
        after: frozenset[str] | None,
    ) -> None:
        step = result.step
        is_read = after is not None
        is_ours = step in self._perhaps_ours
        was_in_place = before is not None and is_met(step, before)

        self.open[step] = result.message
        match result.outcome:
            case Outcome.DONE if is_read:
                self._end(step, Outcome.DONE)
            case Outcome.DONE:
                self._perhaps_ours.add(step)
                self.open[step] = NOT_SHOWN_YET
            case Outcome.IN_PLACE:
                self._end(step, Outcome.DONE if is_ours else Outcome.IN_PLACE)
            case Outcome.REFUSED if is_ours:
                self._end(step, Outcome.UNKNOWN, _refusal_words(result))
            case Outcome.REFUSED if (
                result.problem and meaning_of(result.problem.status).is_passing
            ):
                self.open[step] = _refusal_words(result)
            case Outcome.REFUSED:
                self._end(step, Outcome.REFUSED, _refusal_words(result))
            case Outcome.UNKNOWN if was_in_place and is_read:
                # It was in place, but somebody changed it.
                self._end(step, Outcome.NOT_SENT, result.message)
            case Outcome.UNKNOWN:
                self._perhaps_ours.add(step)

    def _end(self, step: ChangeStep, outcome: Outcome, message: str = "") -> None:
        del self.open[step]
        self._ended[step] = StepResult(step, outcome, message=message)


def rows_of_unread(
    item: JobItem, outcome: Outcome, message: str
) -> tuple[StepResult, ...]:
    """Return results with this outcome for an item whose list could not be read.

    If all recipients were to be removed, return one result without a recipient.
    """
    intent = item.intent
    add = intent.add if intent.exactly is None else intent.exactly
    steps = steps_for(add=add, remove=intent.remove)
    if not steps:
        steps = (ChangeStep("", Goal.NOT_VISIBLE),)
    return tuple(StepResult(step, outcome, message=message) for step in steps)


def _refusal_words(result: StepResult) -> str:
    problem = result.problem
    said = () if problem is None else (problem.title, problem.detail)
    texts = [text for text in said if text]
    return ": ".join(texts) or result.message


class ApplyTask(Task[tuple[StepResult, ...]]):
    """Changes the next open items of a job.

    Each attempt is a save with its own idempotency key. After an interrupted attempt, a
    read shows what was changed. Only changes that are still missing are sent again.
    """

    def __init__(self, runner: JobRunner, job: Job) -> None:
        self.is_more = False
        self._runner = runner
        self._job = job
        self._outage: Outage | None = None
        self.first_items = runner.store.items(job.key, limit=FIRST_ITEMS)

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the next open items, as one page."""
        page = self._runner.store.items(self._job.key, limit=CHUNK_ITEMS, is_open=True)
        yield page
        self.is_more = len(page) == CHUNK_ITEMS

    def work(self, item: JobItem) -> tuple[StepResult, ...] | Trouble:
        """Save the item if needed.

        Store and return its final rows, or return the trouble.
        """
        if not self._is_at_work():
            raise StoppedError
        with self._runner.hold(item.intent.item) as is_held:
            rows = self._save(item, is_held=is_held)
        return rows if isinstance(rows, Trouble) else self._end_item(item, rows)

    def give_up(self, item: JobItem, message: str) -> tuple[StepResult, ...]:
        """Store and return the final rows of an item that keeps failing."""
        if item.preview is None:
            return self._end_item(item, rows_of_unread(item, Outcome.NOT_SENT, message))
        outcomes = ItemOutcomes(item, item.preview)
        for entry in self._attempts(item):
            outcomes.add_attempt(entry.steps, entry.result)
        outcomes.end_open(Outcome.NOT_SENT, message)
        return self._end_item(item, outcomes.rows())

    def save(
        self,
        results: Sequence[tuple[StepResult, ...]],  # noqa: ARG002  (already stored)
        outage: Outage | None,
    ) -> bool:
        """Record whether the job waits for the service.

        `work` has already stored the results.
        """
        if outage == self._outage:
            return self._is_at_work()
        self._outage = outage
        if outage is None:
            return self._move(JobState.RUNNING)
        message = f"{outage.message} Nothing is skipped: the job tries again by itself."
        return self._move(JobState.WAITING, message, outage)

    def end(self, trouble: str) -> None:  # noqa: ARG002  (a job never gives up)
        """End the job, unless it has more items."""
        if not self.is_more:
            self._move(JobState.ENDED)

    def _move(
        self, state: JobState, message: str = "", outage: Outage | None = None
    ) -> bool:
        return self._runner.store.move(
            self._job.key,
            state,
            expected=AT_WORK,
            at=self._runner.engine.clock(),
            message=message,
            outage=outage,
        )

    def _end_item(
        self, item: JobItem, rows: tuple[StepResult, ...]
    ) -> tuple[StepResult, ...]:
        self._runner.store.end_item(self._job.key, item.position, rows)
        return rows

    def _is_at_work(self) -> bool:
        job = self._runner.store.job(self._job.key)
        return (
            job is not None and job.state in AT_WORK and self._runner.may_work(job.key)
        )

    def _attempts(self, item: JobItem) -> tuple[HistoryEntry, ...]:
        """Return the earlier attempts that may have changed the item, in order."""
        attempts: list[HistoryEntry] = []
        history = self._runner.saver.history
        while True:
            number = len(attempts) + 1
            entry = history.entry(attempt_key(self._job.key, item.position, number))
            if entry is None or entry.verdict is Verdict.NOTHING_SENT:
                return tuple(attempts)
            attempts.append(entry)
            if entry.verdict is Verdict.VERIFIED:
                return tuple(attempts)

    def _save(
        self, item: JobItem, *, is_held: IsHeld
    ) -> tuple[StepResult, ...] | Trouble:
        if item.preview is None:
            return rows_of_unread(item, Outcome.NOT_SENT, UNREAD)
        if item.preview.refusal:
            return rows_of_unread(item, Outcome.REFUSED, item.preview.refusal)

        # Add up the earlier attempts. Settle one that was interrupted.
        outcomes = ItemOutcomes(item, item.preview)
        past = self._attempts(item)
        for entry in past:
            result = entry.result or self._runner.saver.settle(entry)
            if entry.result is None and result.after is None:
                return Trouble(result.message)
            outcomes.add_attempt(result.steps, result)

        # Attempt once more what is still open.
        attempt = len(past) + 1
        if (outcomes.open or not past) and attempt <= ITEM_ATTEMPTS:
            trouble = self._attempt(item, outcomes, attempt=attempt, is_held=is_held)
            is_last = attempt == ITEM_ATTEMPTS
            if trouble is not None and (trouble.is_unread or not is_last):
                return trouble

        outcomes.end_open(Outcome.NOT_SENT)
        return outcomes.rows()

    def _attempt(
        self, item: JobItem, outcomes: ItemOutcomes, *, attempt: int, is_held: IsHeld
    ) -> Trouble | None:
        """Save the open steps. Return None if all of them have a final outcome now."""
        # Read an unknown list. If the preview showed nothing to change, a read
        # probably shows that no save is needed.
        base = outcomes.after
        is_first = attempt == 1
        if base is None or (
            is_first and all(is_met(step, base) for step in outcomes.open)
        ):
            service = self._runner.engine.service
            try:
                read = service.get_visibilities(item.intent.item) or frozenset()
            except ItemVisibilityError as error:
                return _not_started(error, outcomes)
            if is_first:
                outcomes.end_met(read)
            if base is None:
                base = read
        if not outcomes.open:
            return None

        # Save.
        request = self._request(item, outcomes, attempt=attempt, base=base)
        result = self._runner.saver.save(request, is_held=is_held)
        if result.error is not None:
            outcomes.add_read(result.before)
            return _not_started(result.error, outcomes)
        outcomes.add_attempt(result.steps, result)
        if not outcomes.open:
            return None

        # Say why steps are still open.
        reasons = [reason for reason in outcomes.open.values() if reason]
        reason = reasons[0] if reasons else result.message
        return Trouble(reason, is_unread=result.verdict is Verdict.NOTHING_SENT)

    def _request(
        self,
        item: JobItem,
        outcomes: ItemOutcomes,
        *,
        attempt: int,
        base: frozenset[str],
    ) -> ChangeRequest:
        job = self._job
        remove = recipients_of(outcomes.open, Goal.NOT_VISIBLE)
        is_large = item.preview is not None and item.preview.is_large_removal
        is_confirmed = is_large and job.confirmed_count is not None
        return ChangeRequest(
            key=attempt_key(job.key, item.position, attempt),
            item=item.intent.item,
            base=base,
            add=recipients_of(outcomes.open, Goal.VISIBLE),
            remove=remove,
            person=job.person,
            person_key=job.person_key,
            role=job.applied_role,
            reason=job.reason,
            confirmed_count=len(remove & base) if is_confirmed else None,
            kind=ChangeKind.BULK,
        )


def _not_started(error: ItemVisibilityError, outcomes: ItemOutcomes) -> Trouble | None:
    """Return a Trouble if a later save can succeed. Otherwise end the open steps."""
    if is_passing_trouble(error):
        return Trouble(str(error))
    outcome = (
        Outcome.NOT_SENT if isinstance(error, NotStartedError) else Outcome.REFUSED
    )
    outcomes.end_open(outcome, str(error))
    return None
