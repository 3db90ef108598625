"""The outcome of each recipient of one item of a job, over all attempts."""

from collections.abc import Iterable

from item_visibility.client.answers import meaning_of
from item_visibility.saving.job import ItemPreview, JobItem, JobRow
from item_visibility.saving.outcome import Outcome, SaveResult, StepResult
from item_visibility.saving.plan import ChangeStep, Goal, is_met, steps_for

CHANGED_SINCE = "Somebody else changed this after the preview, so it was left alone."
NOT_SHOWN_YET = "The service does not confirm this change."


class ItemOutcomes:
    """The outcomes of one item's recipients, over all attempts.

    Setting a list removes only recipients that the preview showed, never one added since. A recipient is
    perhaps ours once an attempt may have made its change, confirmed or not.
    """

    def __init__(self, item: JobItem, preview: ItemPreview) -> None:
        self._position = item.position
        self._preview = preview
        self._is_exact = item.intent.exactly is not None
        wanted = preview if self._is_exact else item.intent
        self._steps = steps_for(add=wanted.add, remove=wanted.remove)
        self._open = dict.fromkeys(self._steps, "")
        self._ended: dict[ChangeStep, JobRow] = {}
        self._perhaps_ours: set[ChangeStep] = set()
        self._seen = preview.current or frozenset()
        self.after: frozenset[str] | None = self._seen
        """The list as known before the next attempt: None when no read followed the last write."""

    @property
    def open_steps(self) -> tuple[ChangeStep, ...]:
        """The steps that are neither made nor refused yet: additions first, each sorted by id."""
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

    def end_open(self, outcome: Outcome, message: str = "") -> None:
        """End all open steps with this outcome, or as not confirmed where an attempt may have changed it.

        Without a message, each gets the reason why it is open.
        """
        for step, reason in tuple(self._open.items()):
            is_ours = step in self._perhaps_ours
            self._end(step, Outcome.UNKNOWN if is_ours else outcome, message or reason)

    def rows(self) -> tuple[JobRow, ...]:
        """Return a row for each recipient: asked for, to be kept, or added by somebody else."""
        made = [self._ended[step] for step in self._steps if step in self._ended]
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
                self._end(step, Outcome.UNKNOWN, _refusal_words(result))
            case Outcome.REFUSED if result.problem and meaning_of(result.problem.status).is_passing:
                self._open[step] = _refusal_words(result)
            case Outcome.REFUSED:
                self._end(step, Outcome.REFUSED, _refusal_words(result))
            case Outcome.UNKNOWN if before is not None and is_met(step, before) and is_read:
                self._end(step, Outcome.NOT_SENT, result.message)  # it was in place: somebody else changed it
            case Outcome.UNKNOWN:
                self._perhaps_ours.add(step)

    def _end(self, step: ChangeStep, outcome: Outcome, message: str = "") -> None:
        del self._open[step]
        self._ended[step] = _row(self._position, step, outcome, message)

    def _rows_of_the_list(self) -> Iterable[JobRow]:
        if not self._is_exact:
            return
        preview, seen = self._preview, self._seen
        for recipient_id in sorted(preview.in_place):
            step = ChangeStep(recipient_id, Goal.VISIBLE)
            if recipient_id in seen:
                yield _row(self._position, step, Outcome.IN_PLACE)
            else:
                yield _row(self._position, step, Outcome.NOT_SENT, CHANGED_SINCE)
        for recipient_id in sorted(seen - (preview.current or frozenset()) - preview.add):
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


def _refusal_words(result: StepResult) -> str:
    """Say why the service refused a change, in the service's words if it gave any."""
    problem = result.problem
    said = [text for text in (problem.title, problem.detail) if text] if problem else []
    return ": ".join(said) or result.message
