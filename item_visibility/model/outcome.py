"""The result of a save: outcome per recipient, verdict, and history entry."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ItemVisibilityError, ProblemDetail
from item_visibility.model.change import (
    ChangeKind,
    ChangePlan,
    ChangeRequest,
    ChangeStep,
    Goal,
)


class Outcome(StrEnum):
    """The possible outcomes of the change for one recipient."""

    DONE = "done"
    IN_PLACE = "already in place"
    REFUSED = "refused"
    NOT_SENT = "not sent"
    UNKNOWN = "unknown"


UNDOABLE = frozenset({Outcome.DONE})
"""Only a change that was certainly made can be undone."""


class Verdict(StrEnum):
    """The possible verdicts on a save. Only VERIFIED is shown as "Saved"."""

    VERIFIED = "verified"
    """A read after the last write shows every requested change."""
    NOT_CONFIRMED = "not confirmed"
    """Every read after the last write failed, or the outcome of a change is unknown."""
    DIFFERS = "differs"
    """All outcomes are known, and at least one change was refused or not sent."""
    NOTHING_SENT = "nothing sent"
    """Nothing was written: the item could not be read, a confirmation is missing, …"""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The outcome for one recipient.

    `attempts` does not count the retries inside the client.
    """

    step: ChangeStep
    outcome: Outcome
    attempts: int = 0
    problem: ProblemDetail | None = None
    message: str = ""


def steps_begun(plan: ChangePlan) -> tuple[StepResult, ...]:
    """Return the steps of a save that has sent no call yet.

    Each step that needs a call is UNKNOWN.
    """
    open_steps = [StepResult(step, Outcome.UNKNOWN) for step in plan.steps]
    in_place = [StepResult(step, Outcome.IN_PLACE) for step in plan.in_place]
    return (*open_steps, *in_place)


def _undoable(steps: Iterable[StepResult]) -> tuple[ChangeStep, ...]:
    return tuple(result.step for result in steps if result.outcome in UNDOABLE)


@dataclass(frozen=True, slots=True)
class OthersChanges:
    """Changes by others, after the person opened the list and before the save."""

    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveResult:
    """The result of a save, and the service's list afterwards.

    `before` is the list as read just before the first write, and `after` the list as
    read after the last write. Each list is None when its read failed or was not made.
    `message` and `advice` explain why the save is not verified, or that it was
    interrupted. Otherwise they are empty. `error` is the reason why the save could not
    start, and is not recorded. In a result from the history, `exchanges` is empty: call
    `History.exchanges`.
    """

    item: ItemKey
    verdict: Verdict
    steps: tuple[StepResult, ...] = ()
    others: OthersChanges = field(default_factory=OthersChanges)
    before: frozenset[str] | None = None
    after: frozenset[str] | None = None
    started_at: datetime
    ended_at: datetime
    message: str = ""
    advice: str = ""
    error: ItemVisibilityError | None = field(default=None, compare=False)
    exchanges: tuple[CallRecord, ...] = field(default=(), compare=False, repr=False)

    @property
    def is_unchanged(self) -> bool:
        """True when this save certainly changed nothing."""
        is_known = self.verdict in {Verdict.NOTHING_SENT, Verdict.DIFFERS}
        return is_known and not self.is_undoable

    @property
    def undoable_steps(self) -> tuple[ChangeStep, ...]:
        """The changes that this save certainly made."""
        return _undoable(self.steps)

    @property
    def is_undoable(self) -> bool:
        """True when this save certainly changed something."""
        return bool(self.undoable_steps)

    @property
    def added(self) -> tuple[str, ...]:
        """The recipients that this save added."""
        return self._done(Goal.VISIBLE)

    @property
    def removed(self) -> tuple[str, ...]:
        """The recipients that this save removed."""
        return self._done(Goal.NOT_VISIBLE)

    def _done(self, goal: Goal) -> tuple[str, ...]:
        return tuple(
            step.recipient_id for step in self.undoable_steps if step.goal is goal
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One recorded save. `service` is the address of the service.

    The `base` of the request is the list as read just before the first write. Until the
    save has ended, `result` is None and every step is UNKNOWN or IN_PLACE.
    `was_settled_later` is True if the save was interrupted and its outcome was found
    later, by reading the list.

    An entry of kind OBSERVED is a change that was made outside this dashboard, between
    the reads at `seen_before_at` and `result.ended_at`. Its `person` is empty.
    """

    service: str
    request: ChangeRequest
    started_at: datetime
    steps: tuple[StepResult, ...]
    result: SaveResult | None = None
    was_settled_later: bool = False
    seen_before_at: datetime | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, or None while the save has no result."""
        return None if self.result is None else self.result.verdict

    @property
    def undoable_steps(self) -> tuple[ChangeStep, ...]:
        """The changes that were certainly made, and with this dashboard."""
        if self.request.kind is ChangeKind.OBSERVED:
            return ()
        return _undoable(self.steps)

    @property
    def is_undoable(self) -> bool:
        """True when the save changed something that can be undone."""
        return bool(self.undoable_steps)
