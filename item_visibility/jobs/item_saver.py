"""The task that applies a job: it saves each item until each of its recipients has ended once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError
from item_visibility.jobs.engine import (
    FIRST_ITEMS,
    StoppedError,
    Trouble,
    is_passing_trouble,
)
from item_visibility.jobs.item_outcomes import ItemOutcomes, rows_of_unread
from item_visibility.saving.job import Job, JobItem, JobRow, JobState, Outage
from item_visibility.saving.judge import in_words
from item_visibility.saving.locks import IsHeld, ItemLocks
from item_visibility.saving.outcome import HistoryEntry, Outcome, Verdict
from item_visibility.saving.plan import Goal, is_met, recipients_of
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.saving.save import SaveHistory, Saver
from item_visibility.storage.jobs import Jobs
from item_visibility.timeouts import ITEM_ATTEMPTS

CHUNK_ITEMS = 100
"""The number of items in one step of a job. The workers wait for each other at its end."""
UNREAD = "The item was not read for the preview, so nothing was sent."
AT_WORK = frozenset({JobState.RUNNING, JobState.WAITING})


def attempt_key(job_key: str, position: int, attempt: int) -> str:
    """Return the idempotency key of one attempt to save one item of a job. Attempts count from 1."""
    return f"{job_key}:{position}:{attempt}"


@dataclass(frozen=True, slots=True)
class ItemRows:
    """The final rows of one item."""

    position: int
    rows: tuple[JobRow, ...]

    @property
    def size(self) -> int:
        """The number of recipients."""
        return len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What all jobs of an environment are applied with."""

    store: Jobs
    service: VisibilityClient
    saver: Saver
    history: SaveHistory
    locks: ItemLocks


class ApplyTask:
    """Applies the next items of a job that have not ended.

    Every attempt is a separate save, recorded under its own key. A save that a dead process left open is
    settled by reading. Only changes that are still missing are sent again.
    """

    batch = 1
    most_probes = None

    def __init__(self, tools: Tools, job: Job) -> None:
        self.is_through = False
        self.is_more = False
        self._tools = tools
        self._job = job
        self._outage: Outage | None = None

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the items of one step."""
        page = self._tools.store.items(self._job.key, limit=CHUNK_ITEMS, is_open=True)
        yield page
        self.is_more = len(page) == CHUNK_ITEMS

    def first_items(self) -> Sequence[JobItem]:
        """Return the first items of the job."""
        return self._tools.store.items(self._job.key, limit=FIRST_ITEMS)

    def work(self, item: JobItem) -> ItemRows | Trouble:
        """Make one attempt if one is needed; return the final rows, or why the item is still open."""
        if not self._is_at_work():
            raise StoppedError
        with self._tools.locks.holding(item.intent.item) as is_held:
            rows = self._save(item, is_held=is_held)
        return rows if isinstance(rows, Trouble) else ItemRows(item.position, rows)

    def give_up(self, item: JobItem, message: str) -> ItemRows:
        """End an item in its present state, because nothing more can be found out about it."""
        if item.preview is None:
            return ItemRows(item.position, rows_of_unread(item, Outcome.NOT_SENT, message))
        outcomes = ItemOutcomes(item, item.preview)
        for entry in self._attempts(item):
            outcomes.add_steps(entry.steps, entry.result)
        outcomes.end_open(Outcome.NOT_SENT, message)
        return ItemRows(item.position, outcomes.rows())

    def save(self, results: Sequence[ItemRows], outage: Outage | None) -> bool:
        """Settle these items, and say whether the job waits for the service."""
        store, key = self._tools.store, self._job.key
        for one in results:
            store.settle_item(key, one.position, one.rows)
        if outage != self._outage:
            self._outage = outage
            words = "Nothing is skipped: the job tries again by itself."
            shown = None if outage is None else replace(outage, message=f"{outage.message} {words}")
            return store.note_outage(key, shown)
        return self._is_at_work()

    def end(self, *, is_through: bool, trouble: str) -> None:  # noqa: ARG002  (a job gives up on no service)
        """Note whether every item of this step has ended."""
        self.is_through = is_through

    def _is_at_work(self) -> bool:
        """True unless the job was paused or cancelled."""
        job = self._tools.store.job(self._job.key)
        return job is not None and job.state in AT_WORK

    def _attempts(self, item: JobItem) -> tuple[HistoryEntry, ...]:
        """Return the attempts of an item that may have changed something, in order."""
        found: list[HistoryEntry] = []
        while not found or found[-1].verdict is not Verdict.VERIFIED:
            entry = self._tools.history.entry(attempt_key(self._job.key, item.position, len(found) + 1))
            if entry is None or entry.verdict is Verdict.NOTHING_SENT:
                break
            found.append(entry)
        return tuple(found)

    def _save(self, item: JobItem, *, is_held: IsHeld) -> tuple[JobRow, ...] | Trouble:
        if item.preview is None:
            return rows_of_unread(item, Outcome.NOT_SENT, UNREAD)
        if item.preview.refusal:
            return rows_of_unread(item, Outcome.REFUSED, item.preview.refusal)
        outcomes = ItemOutcomes(item, item.preview)
        past = self._attempts(item)
        for entry in past:
            result = entry.result or self._tools.saver.settle_open(entry)
            if entry.result is None and result.after is None:
                return Trouble(result.message)
            outcomes.add_attempt(result)
        if (outcomes.open_steps or not past) and len(past) < ITEM_ATTEMPTS:
            trouble = self._attempt(item, outcomes, attempt=len(past) + 1, is_held=is_held)
            if trouble is not None and (trouble.is_unread or len(past) + 1 < ITEM_ATTEMPTS):
                return trouble
        outcomes.end_open(Outcome.NOT_SENT)
        return outcomes.rows()

    def _attempt(
        self, item: JobItem, outcomes: ItemOutcomes, *, attempt: int, is_held: IsHeld
    ) -> Trouble | None:
        """Save the open steps; return None when every row has ended."""
        base = outcomes.after
        if base is None or (attempt == 1 and _is_in_place(outcomes, base)):
            read = self._read(item.intent.item)
            if isinstance(read, ItemVisibilityError):
                return _not_started(read, in_words(read), outcomes)
            if attempt == 1:
                outcomes.settle_met(read)
            base = read if base is None else base
        if not outcomes.open_steps:
            return None
        result = self._tools.saver.save(
            self._request(item, outcomes, attempt=attempt, base=base), is_held=is_held
        )
        if result.verdict is Verdict.NOTHING_SENT and not result.steps:
            outcomes.add_read(result.before)
            return _not_started(result.error, result.message, outcomes)
        outcomes.add_attempt(result)
        if not outcomes.open_steps:
            return None
        return Trouble(
            outcomes.open_message or result.message, is_unread=result.verdict is Verdict.NOTHING_SENT
        )

    def _read(self, item: ItemKey) -> frozenset[str] | ItemVisibilityError:
        try:
            return self._tools.service.get_visibilities(item) or frozenset()
        except ItemVisibilityError as error:
            return error

    def _request(
        self, item: JobItem, outcomes: ItemOutcomes, *, attempt: int, base: frozenset[str]
    ) -> ChangeRequest:
        """Return the request for the open steps.

        If the preview called this item's removals large, the count that the person typed confirms them.
        """
        job, steps = self._job, outcomes.open_steps
        remove = recipients_of(steps, Goal.NOT_VISIBLE)
        is_large = item.preview is not None and item.preview.is_large_removal
        is_confirmed = is_large and job.confirmed_count is not None
        return ChangeRequest(
            key=attempt_key(job.key, item.position, attempt),
            item=item.intent.item,
            base=base,
            add=recipients_of(steps, Goal.VISIBLE),
            remove=remove,
            person=job.person,
            person_key=job.person_key,
            role=job.applied_role,
            reason=job.reason,
            confirmed_count=len(remove & base) if is_confirmed else None,
            kind=ChangeKind.BULK,
        )


def _not_started(error: ItemVisibilityError | None, message: str, outcomes: ItemOutcomes) -> Trouble | None:
    """End the rows of a save refused before it started; return the trouble if a retry may succeed."""
    if error is not None and is_passing_trouble(error):
        return Trouble(message)
    outcomes.end_open(Outcome.REFUSED if error else Outcome.NOT_SENT, message)
    return None


def _is_in_place(outcomes: ItemOutcomes, known: frozenset[str]) -> bool:
    """True when the preview shows that all is already in place, so a read is probably enough."""
    return all(is_met(step, known) for step in outcomes.open_steps)
