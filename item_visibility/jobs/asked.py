"""What a job asks of one item, and what became of each recipient over all attempts."""

from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.api.statuses import meaning_of
from item_visibility.changes.job import ItemPreview, JobItem, JobRow, RowOutcome
from item_visibility.changes.judge import CHANGED_WHILE_SAVING
from item_visibility.changes.outcome import SaveResult, StepOutcome, StepResult
from item_visibility.changes.plan import ChangeStep, Goal, is_met

CHANGED_SINCE = "Somebody else changed this after the preview, so it was left alone."
NOT_SHOWN_YET = "The service does not confirm this change."


def is_passing(status: int | None) -> bool:
    """True when an answer with this status says nothing about the item."""
    return status is not None and meaning_of(status).is_passing


@dataclass(frozen=True, slots=True)
class Asked:
    """What shall be done to one item, against the list that the person saw in the preview.

    `kept` are recipients that are to stay as they are: nothing is sent for them.
    """

    previewed: frozenset[str]
    add: frozenset[str]
    remove: frozenset[str]
    kept: frozenset[str] = frozenset()
    is_exact: bool = False

    @property
    def steps(self) -> tuple[ChangeStep, ...]:
        """One goal a recipient, additions first, by id."""
        add = [ChangeStep(recipient_id, Goal.VISIBLE) for recipient_id in sorted(self.add)]
        return (*add, *(ChangeStep(recipient_id, Goal.NOT_VISIBLE) for recipient_id in sorted(self.remove)))


def asked_of(item: JobItem, preview: ItemPreview) -> Asked:
    """What the item's rows ask for.

    Setting a list takes away those alone that the preview showed, never somebody who was added since.
    """
    intent, previewed = item.intent, preview.current or frozenset()
    if intent.exactly is None:
        return Asked(previewed, intent.add, intent.remove)
    return Asked(
        previewed,
        intent.exactly - previewed,
        previewed - intent.exactly,
        kept=intent.exactly & previewed,
        is_exact=True,
    )


@dataclass(slots=True)
class StepStory:
    """What became of one recipient so far. `outcome` is None while it is open.

    `is_perhaps_ours` once an attempt may have made the change, whatever it learned of it.
    """

    step: ChangeStep
    outcome: RowOutcome | None = None
    is_perhaps_ours: bool = False
    message: str = ""

    def take_in(self, result: StepResult, *, is_read: bool) -> None:
        """Take in how one attempt ended; `is_read` when a read followed its last write."""
        match result.outcome:
            case StepOutcome.DONE:
                self.is_perhaps_ours = True
                self._settle(*((RowOutcome.VERIFIED, "") if is_read else (None, NOT_SHOWN_YET)))
            case StepOutcome.ALREADY_SO:
                self._settle(RowOutcome.VERIFIED if self.is_perhaps_ours else RowOutcome.ALREADY_SO)
            case StepOutcome.REFUSED if self.is_perhaps_ours:
                self._settle(RowOutcome.NOT_CONFIRMED, refusal_words(result))
            case StepOutcome.REFUSED:
                status = result.problem.status if result.problem else None
                self._settle(None if is_passing(status) else RowOutcome.REFUSED, refusal_words(result))
            case StepOutcome.UNKNOWN if result.message == CHANGED_WHILE_SAVING:
                self._settle(RowOutcome.CHANGED_MEANWHILE, result.message)
            case StepOutcome.UNKNOWN:
                self.is_perhaps_ours = True
                self._settle(None, result.message)
            case _:
                self._settle(None, result.message)

    def give_up(self) -> None:
        """End it as it stands."""
        self.outcome = RowOutcome.NOT_CONFIRMED if self.is_perhaps_ours else RowOutcome.NOT_SENT

    def _settle(self, outcome: RowOutcome | None, message: str = "") -> None:
        self.outcome, self.message = outcome, message


class Stories:
    """What became of all recipients of one item so far."""

    def __init__(self, position: int, asked: Asked) -> None:
        self._position = position
        self._asked = asked
        self._stories = {step: StepStory(step) for step in asked.steps}
        self._seen = asked.previewed
        self.after: frozenset[str] | None = asked.previewed
        """The list as known before the next attempt: None when no read followed the last write."""

    @property
    def open_steps(self) -> tuple[ChangeStep, ...]:
        """What is neither made nor refused yet."""
        return tuple(story.step for story in self._stories.values() if story.outcome is None)

    @property
    def open_message(self) -> str:
        """Why the first open one is open."""
        return next(
            (one.message for one in self._stories.values() if one.outcome is None and one.message), ""
        )

    def take_in(self, result: SaveResult) -> None:
        """Take in how one attempt ended."""
        self.after = result.after
        self.see(result.before if result.after is None else result.after)
        self.take_in_steps(result.steps, is_read=result.after is not None)

    def take_in_steps(self, steps: Iterable[StepResult], *, is_read: bool) -> None:
        """Take in what is known of one attempt's steps."""
        for result in steps:
            story = self._stories.get(result.step)
            if story is not None and story.outcome is None:
                story.take_in(result, is_read=is_read)

    def see(self, recipients: frozenset[str] | None) -> None:
        """Take in a list as read; None when there was no read."""
        self._seen = self._seen if recipients is None else recipients

    def settle_those_met(self, recipients: frozenset[str]) -> None:
        """Take in a read before anything was sent: what it shows needs no call."""
        self.see(recipients)
        for story in self._stories.values():
            if is_met(story.step, recipients):
                story.outcome = RowOutcome.ALREADY_SO

    def end_open(self, outcome: RowOutcome, message: str) -> None:
        """End what is open in this way; as not confirmed where something may have been changed before."""
        for story in self._stories.values():
            if story.outcome is None:
                story.outcome = RowOutcome.NOT_CONFIRMED if story.is_perhaps_ours else outcome
                story.message = message

    def give_up(self, message: str) -> None:
        """End what is open: as not confirmed where something may have been changed, else as not sent."""
        for story in self._stories.values():
            if story.outcome is None:
                story.message = story.message or message
                story.give_up()

    def rows(self) -> tuple[JobRow, ...]:
        """One row a recipient: those asked for, those to be kept, and those that somebody else added."""
        made = [
            self._row(one.step, one.outcome, one.message) for one in self._stories.values() if one.outcome
        ]
        return (*made, *self._rows_of_the_list())

    def _rows_of_the_list(self) -> Iterable[JobRow]:
        if not self._asked.is_exact:
            return
        seen = self._seen
        for recipient_id in sorted(self._asked.kept):
            is_so = recipient_id in seen
            yield self._row(
                ChangeStep(recipient_id, Goal.VISIBLE),
                RowOutcome.ALREADY_SO if is_so else RowOutcome.CHANGED_MEANWHILE,
                "" if is_so else CHANGED_SINCE,
            )
        for recipient_id in sorted(seen - self._asked.previewed - self._asked.add):
            step = ChangeStep(recipient_id, Goal.NOT_VISIBLE)
            yield self._row(step, RowOutcome.CHANGED_MEANWHILE, CHANGED_SINCE)

    def _row(self, step: ChangeStep, outcome: RowOutcome, message: str) -> JobRow:
        return JobRow(
            position=self._position,
            recipient_id=step.recipient_id,
            goal=step.goal,
            outcome=outcome,
            message=message,
        )


def rows_of_unread(item: JobItem, outcome: RowOutcome, message: str) -> tuple[JobRow, ...]:
    """The rows of an item whose list is not known, all ended in the same way.

    An item that was to be withdrawn has one row without a recipient: nobody knows from whom.
    """
    intent = item.intent
    add = intent.add if intent.exactly is None else intent.exactly
    goals = [(recipient_id, Goal.VISIBLE) for recipient_id in sorted(add)]
    goals += [(recipient_id, Goal.NOT_VISIBLE) for recipient_id in sorted(intent.remove)]
    return tuple(
        JobRow(position=item.position, recipient_id=who, goal=goal, outcome=outcome, message=message)
        for who, goal in goals or [("", Goal.NOT_VISIBLE)]
    )


def refusal_words(result: StepResult) -> str:
    """Why the service refused a change, in its own words where it has any."""
    problem = result.problem
    said = [text for text in (problem.title, problem.detail) if text] if problem else []
    return ": ".join(said) or result.message
