"""The saver of one job item: it makes attempts until each recipient has ended once."""

from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import (
    ItemVisibilityError,
    NotSentError,
    RecordsError,
    RefusedError,
    TokenError,
    UnknownOutcomeError,
)
from item_visibility.jobs.item_outcomes import ItemOutcomes, is_passing, rows_of_unread, wanted_changes
from item_visibility.saving.history_entry import HistoryEntry, SaveHistory
from item_visibility.saving.job import Job, JobItem, JobRow
from item_visibility.saving.locks import IsHeld
from item_visibility.saving.outcome import Outcome, SaveResult, Verdict
from item_visibility.saving.plan import Goal, is_met, recipients_of
from item_visibility.saving.request import ChangeKind, ChangeRequest, Origin
from item_visibility.saving.save import Saver
from item_visibility.timeouts import ITEM_ATTEMPTS

UNREAD = "The item was not read for the preview, so nothing was sent."
_UNREACHABLE = (TokenError, NotSentError, UnknownOutcomeError, RecordsError)


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why an item has not ended yet. `is_unread` is true when even its list could not be read."""

    message: str
    is_unread: bool


def attempt_key(job_key: str, position: int, attempt: int) -> str:
    """Return the idempotency key of one attempt to save one item of a job. Attempts count from 1."""
    return f"{job_key}:{position}:{attempt}"


def attempts_of(history: SaveHistory, job_key: str, position: int) -> tuple[HistoryEntry, ...]:
    """Return the attempts of an item that may have changed something, in order."""
    found: list[HistoryEntry] = []
    while not found or found[-1].verdict is not Verdict.VERIFIED:
        entry = history.entry(attempt_key(job_key, position, len(found) + 1))
        if entry is None or entry.verdict is Verdict.NOTHING_SENT:
            break
        found.append(entry)
    return tuple(found)


class ItemSaver:
    """Saves items of jobs.

    Every attempt is a separate save, recorded under its own key. A save that a dead process left open is
    settled by reading. Only changes that are still missing are sent again.
    """

    def __init__(self, saver: Saver, history: SaveHistory) -> None:
        self._saver = saver
        self._history = history

    def save(self, job: Job, item: JobItem, *, is_held: IsHeld) -> tuple[JobRow, ...] | Trouble:
        """Make one attempt if one is needed; return the final rows, or the trouble if the item is still open.

        Raises RecordsError when our own database cannot be used.
        """
        if item.preview is None:
            return rows_of_unread(item, Outcome.NOT_SENT, UNREAD)
        if item.preview.refusal:
            return rows_of_unread(item, Outcome.REFUSED, item.preview.refusal)
        outcomes = ItemOutcomes(item.position, wanted_changes(item, item.preview))
        past = attempts_of(self._history, job.key, item.position)
        for entry in past:
            result = entry.result or self._saver.settle_open(entry)
            if entry.result is None and result.after is None:
                return Trouble(result.message, is_unread=True)
            outcomes.add_attempt(result)
        if (outcomes.open_steps or not past) and len(past) < ITEM_ATTEMPTS:
            trouble = self._attempt(job, item, outcomes, attempt=len(past) + 1, is_held=is_held)
            if trouble is not None and (trouble.is_unread or len(past) + 1 < ITEM_ATTEMPTS):
                return trouble
        outcomes.give_up("")
        return outcomes.rows()

    def give_up(self, job: Job, item: JobItem, message: str) -> tuple[JobRow, ...]:
        """End an item in its present state, because nothing more can be found out about it."""
        if item.preview is None:
            return rows_of_unread(item, Outcome.NOT_SENT, message)
        outcomes = ItemOutcomes(item.position, wanted_changes(item, item.preview))
        for entry in attempts_of(self._history, job.key, item.position):
            result = entry.result
            before, after = (result.before, result.after) if result else (None, None)
            outcomes.add_steps(entry.steps, before=before, after=after)
        outcomes.give_up(message)
        return outcomes.rows()

    def is_readable(self, job: Job, item: ItemKey) -> bool:
        """True when the service now returns the list of this item, or says why it does not."""
        read = self._read(job, item)
        return read.before is not None or not is_passing_trouble(read.error)

    def _attempt(
        self, job: Job, item: JobItem, outcomes: ItemOutcomes, *, attempt: int, is_held: IsHeld
    ) -> Trouble | None:
        """Save the open steps; return None when every row has ended."""
        base = outcomes.after
        if base is None or (attempt == 1 and _is_in_place(outcomes, base)):
            read = self._read(job, item.intent.item)
            if read.before is None:
                return self._not_started(read, outcomes)
            if attempt == 1:
                outcomes.settle_met(read.before)
            base = read.before if base is None else base
        if not outcomes.open_steps:
            return None
        request = _request(job, item, outcomes, attempt=attempt, base=base)
        result = self._saver.save(request, is_held=is_held)
        if result.verdict is Verdict.NOTHING_SENT and not result.steps:
            return self._not_started(result, outcomes)
        outcomes.add_attempt(result)
        if not outcomes.open_steps:
            return None
        return Trouble(
            outcomes.open_message or result.message, is_unread=result.verdict is Verdict.NOTHING_SENT
        )

    def _read(self, job: Job, item: ItemKey) -> SaveResult:
        """Read the list through a save with no changes, which leaves no trace."""
        nothing: frozenset[str] = frozenset()
        key = f"{job.key}:read"
        return self._saver.save(
            ChangeRequest(key=key, item=item, base=None, add=nothing, remove=nothing, person=job.person)
        )

    def _not_started(self, result: SaveResult, outcomes: ItemOutcomes) -> Trouble | None:
        """End the rows of a save refused before it started; return the trouble if a retry may succeed."""
        if is_passing_trouble(result.error):
            return Trouble(result.message, is_unread=True)
        outcomes.add_read(result.before)
        outcomes.end_open(Outcome.REFUSED if result.error else Outcome.NOT_SENT, result.message)
        return None


def is_passing_trouble(error: ItemVisibilityError | None) -> bool:
    """True when an error says nothing about the item, so a retry may succeed."""
    if isinstance(error, RefusedError):
        return is_passing(error.problem.status if error.problem else None)
    return isinstance(error, _UNREACHABLE)


def _is_in_place(outcomes: ItemOutcomes, known: frozenset[str]) -> bool:
    """True when the preview shows that all is already in place, so a read is probably enough."""
    return all(is_met(step, known) for step in outcomes.open_steps)


def _request(
    job: Job, item: JobItem, outcomes: ItemOutcomes, *, attempt: int, base: frozenset[str]
) -> ChangeRequest:
    """Return the request for the open steps.

    If the preview called this item's removals large, the count that the person typed confirms them.
    """
    steps = outcomes.open_steps
    is_large = item.preview is not None and item.preview.is_large_removal
    remove = recipients_of(steps, Goal.NOT_VISIBLE)
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
        confirmed_count=len(remove & base) if is_large and job.confirmed_count is not None else None,
        origin=Origin(kind=ChangeKind.BULK),
    )
