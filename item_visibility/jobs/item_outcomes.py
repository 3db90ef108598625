"""The outcome of each recipient of one item of a job, over all attempts."""

from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.client.answers import meaning_of
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, JobItem, JobRow
from item_visibility.saving.outcome import Outcome, SaveResult, StepResult
from item_visibility.saving.plan import ChangeStep, Goal, is_met, steps_for

CHANGED_SINCE = "Somebody else changed this after the preview, so it was left alone."
NOT_SHOWN_YET = "The service does not confirm this change."


@dataclass(frozen=True, slots=True)
class WantedChanges:
    """The changes that a person wants for one item, compared with the list in the preview.

    `kept` are recipients that stay as they are: nothing is sent for them.
    """

    previewed: frozenset[str]
    add: frozenset[str]
    remove: frozenset[str]
    kept: frozenset[str] = frozenset()
    is_exact: bool = False

    @property
    def steps(self) -> tuple[ChangeStep, ...]:
        """One step for each recipient: additions first, then removals, each sorted by id."""
        return steps_for(add=self.add, remove=self.remove)


def wanted_changes(intent: BulkItem, preview: ItemPreview) -> WantedChanges:
    """Return the changes that the item's rows ask for.

    Setting a list removes only recipients that the preview showed, never one added since.
    """
    previewed = preview.current or frozenset()
    if intent.exactly is None:
        return WantedChanges(previewed, intent.add, intent.remove)
    changes = intent.changes_of(previewed)
    return WantedChanges(previewed, changes.add, changes.remove, kept=changes.in_place, is_exact=True)


class ItemOutcomes:
    """The outcomes of one item's recipients, over all attempts.

    A recipient is perhaps ours once an attempt may have made its change, confirmed or not.
    """

    def __init__(self, position: int, wanted: WantedChanges) -> None:
        self._position = position
        self._wanted = wanted
        self._open = dict.fromkeys(wanted.steps, "")
        self._ended: dict[ChangeStep, JobRow] = {}
        self._perhaps_ours: set[ChangeStep] = set()
        self._seen = wanted.previewed
        self.after: frozenset[str] | None = wanted.previewed
        """The list as known before the next attempt: None when no read followed the last write."""

    @property
    def open_steps(self) -> tuple[ChangeStep, ...]:
        """The steps that are neither made nor refused yet."""
        return tuple(self._open)

    @property
    def open_message(self) -> str:
        """The reason why the first open step is open."""
        return next(filter(None, self._open.values()), "")

    def add_attempt(self, result: SaveResult) -> None:
        """Add the result of one attempt."""
        self.after = result.after
        self.add_read(result.before if result.after is None else result.after)
        self.add_steps(result.steps, result)

    def add_steps(self, steps: Iterable[StepResult], result: SaveResult | None) -> None:
        """Add the steps of one attempt; its result has the lists read before and after, if it ended."""
        before, after = (None, None) if result is None else (result.before, result.after)
        for step in steps:
            if step.step in self._open:
                self._add(step, before, after)

    def add_read(self, recipients: frozenset[str] | None) -> None:
        """Add the list that was read; pass None when there was no read."""
        self._seen = self._seen if recipients is None else recipients

    def settle_met(self, recipients: frozenset[str]) -> None:
        """Add a read made before anything was sent. Changes already in place need no call."""
        self.add_read(recipients)
        for step in self.open_steps:
            if is_met(step, recipients):
                self._end(step, Outcome.IN_PLACE)

    def end_open(self, outcome: Outcome, message: str) -> None:
        """End all open steps with this outcome, or as not confirmed where an attempt may have changed it."""
        for step in self.open_steps:
            is_ours = step in self._perhaps_ours
            self._end(step, Outcome.UNKNOWN if is_ours else outcome, message)

    def give_up(self, message: str) -> None:
        """End all open steps: not confirmed where something may have changed, otherwise not sent."""
        for step, reason in tuple(self._open.items()):
            is_ours = step in self._perhaps_ours
            outcome = Outcome.UNKNOWN if is_ours else Outcome.NOT_SENT
            self._end(step, outcome, reason or message)

    def rows(self) -> tuple[JobRow, ...]:
        """Return a row for each recipient: asked for, to be kept, or added by somebody else."""
        made = [self._ended[step] for step in self._wanted.steps if step in self._ended]
        return (*made, *self._rows_of_the_list())

    def _add(self, result: StepResult, before: frozenset[str] | None, after: frozenset[str] | None) -> None:
        step, is_read = result.step, after is not None
        is_ours = step in self._perhaps_ours
        self._open[step] = result.message
        match result.outcome:
            case Outcome.DONE if is_read:
                self._end(step, Outcome.DONE)
            case Outcome.DONE:
                self._perhaps_ours.add(step)
                self._open[step] = NOT_SHOWN_YET
            case Outcome.IN_PLACE:
                self._end(step, Outcome.DONE if is_ours else Outcome.IN_PLACE)
            case Outcome.REFUSED if is_ours:
                self._end(step, Outcome.UNKNOWN, refusal_words(result))
            case Outcome.REFUSED if result.problem and meaning_of(result.problem.status).is_passing:
                self._open[step] = refusal_words(result)
            case Outcome.REFUSED:
                self._end(step, Outcome.REFUSED, refusal_words(result))
            case Outcome.UNKNOWN if before is not None and is_met(step, before) and after is not None:
                self._end(
                    step, Outcome.NOT_SENT, result.message
                )  # in place at first: somebody else changed it
            case Outcome.UNKNOWN:
                self._perhaps_ours.add(step)
            case _:
                pass

    def _end(self, step: ChangeStep, outcome: Outcome, message: str = "") -> None:
        del self._open[step]
        self._ended[step] = _row(self._position, step, outcome, message)

    def _rows_of_the_list(self) -> Iterable[JobRow]:
        if not self._wanted.is_exact:
            return
        seen = self._seen
        for recipient_id in sorted(self._wanted.kept):
            step = ChangeStep(recipient_id, Goal.VISIBLE)
            if recipient_id in seen:
                yield _row(self._position, step, Outcome.IN_PLACE)
            else:
                yield _row(self._position, step, Outcome.NOT_SENT, CHANGED_SINCE)
        for recipient_id in sorted(seen - self._wanted.previewed - self._wanted.add):
            step = ChangeStep(recipient_id, Goal.NOT_VISIBLE)
            yield _row(self._position, step, Outcome.NOT_SENT, CHANGED_SINCE)


def rows_of_unread(item: JobItem, outcome: Outcome, message: str) -> tuple[JobRow, ...]:
    """Return the rows of an item whose list is not known, all with the same outcome.

    An item to be withdrawn gets one row without a recipient, since its recipients are not known.
    """
    intent = item.intent
    add = intent.add if intent.exactly is None else intent.exactly
    return tuple(
        _row(item.position, step, outcome, message)
        for step in steps_for(add=add, remove=intent.remove) or (ChangeStep("", Goal.NOT_VISIBLE),)
    )


def _row(position: int, step: ChangeStep, outcome: Outcome, message: str = "") -> JobRow:
    return JobRow(
        position=position, recipient_id=step.recipient_id, goal=step.goal, outcome=outcome, message=message
    )


def refusal_words(result: StepResult) -> str:
    """Say why the service refused a change, in the service's words if it gave any."""
    problem = result.problem
    said = [text for text in (problem.title, problem.detail) if text] if problem else []
    return ": ".join(said) or result.message
