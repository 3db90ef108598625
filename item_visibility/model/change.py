"""A person's request to change an item, and the plan of the calls for it. Note N3."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey


class ChangeOperation(StrEnum):
    """The way in which a request is sent to the service."""

    EDIT = "edit"
    """Add and remove single recipients, with one call for each recipient."""
    SET = "set"
    """Set the list exactly, with one call of setVisibilities."""
    REMOVE_ALL = "remove all"
    """Remove every recipient, with one call of removeVisibilities."""


class ChangeKind(StrEnum):
    """The source of a save, as the history shows it."""

    EDIT = "edit"
    UNDO = "undo"
    OBSERVED = "observed"
    """A change made outside this dashboard and found by a read."""
    BULK = "bulk"
    """One item of a bulk job. The key of the save begins with the key of the job."""


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """One save of one item.

    `key` is the idempotency key: a request is saved only once, however often it is
    submitted. `base` is the list that the person saw, or None if the service had none
    for the item. `add` and `remove` are the requested changes to `base`. For SET and
    REMOVE_ALL, nothing is sent if the service's list is no longer `base`.
    `confirmed_count` is the number of removals that the person typed, or None if they
    did not have to type it.
    """

    key: str
    item: ItemKey
    base: frozenset[str] | None
    add: frozenset[str]
    remove: frozenset[str]
    person: str
    reason: str = ""
    confirmed_count: int | None = None
    operation: ChangeOperation = ChangeOperation.EDIT
    kind: ChangeKind = ChangeKind.EDIT
    undo_of: str | None = None
    """The key of the save that is undone."""
    person_key: str = ""
    """The identity of `person`, which stays the same when their name changes."""
    role: Role | None = None
    """The person's role when they pressed Save. Not recorded."""
    environment: str = field(default="", compare=False)
    """The environment that the person saw.

    Not recorded, and empty in a job, which stores it itself.
    """

    @property
    def is_empty(self) -> bool:
        """True when no change is requested."""
        return not self.add and not self.remove

    @property
    def wanted(self) -> frozenset[str]:
        """The list `base` with the requested changes."""
        return ((self.base or frozenset()) | self.add) - self.remove

    def has_content_of(self, other: "ChangeRequest") -> bool:
        """True when both requests have the same item, operation, changes and person."""
        return (
            self.item == other.item
            and self.operation == other.operation
            and self.add == other.add
            and self.remove == other.remove
            and (self.person_key or self.person) == (other.person_key or other.person)
        )

    def __post_init__(self) -> None:
        if self.add & self.remove:
            raise ValueError("a recipient cannot be both added and removed")
        if self.operation is ChangeOperation.REMOVE_ALL and self.wanted:
            raise ValueError("REMOVE_ALL cannot keep a recipient")


class Goal(StrEnum):
    """The visibility that a recipient is to have."""

    VISIBLE = "visible"
    NOT_VISIBLE = "not visible"


@dataclass(frozen=True, slots=True, order=True)
class ChangeStep:
    """One recipient and its goal."""

    recipient_id: str
    goal: Goal


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """The changes that turn an item's current list into the requested list.

    `in_place` are the requested changes that need no call, because the current list
    already has them.
    """

    item: ItemKey
    current: frozenset[str]
    steps: tuple[ChangeStep, ...]
    in_place: tuple[ChangeStep, ...]

    @property
    def removed(self) -> frozenset[str]:
        """The recipients to remove."""
        return recipients_of(self.steps, Goal.NOT_VISIBLE)

    @property
    def added(self) -> frozenset[str]:
        """The recipients to add."""
        return recipients_of(self.steps, Goal.VISIBLE)


def recipients_of(steps: Iterable[ChangeStep], goal: Goal) -> frozenset[str]:
    """Return the recipients of the steps with this goal."""
    return frozenset(step.recipient_id for step in steps if step.goal is goal)


def steps_for(*, add: frozenset[str], remove: frozenset[str]) -> tuple[ChangeStep, ...]:
    """Return a step for each recipient: additions, then removals, each sorted by id."""
    additions = [ChangeStep(recipient_id, Goal.VISIBLE) for recipient_id in sorted(add)]
    removals = [
        ChangeStep(recipient_id, Goal.NOT_VISIBLE) for recipient_id in sorted(remove)
    ]
    return (*additions, *removals)


def plan_changes(
    item: ItemKey,
    *,
    current: frozenset[str],
    add: frozenset[str],
    remove: frozenset[str],
) -> ChangePlan:
    """Plan a step for each change that is not yet made in `current`.

    `add` and `remove` must not overlap.
    """
    wanted = steps_for(add=add, remove=remove)
    steps = tuple(step for step in wanted if not is_met(step, current))
    in_place = tuple(step for step in wanted if is_met(step, current))
    return ChangePlan(item, current, steps, in_place)


def is_met(step: ChangeStep, recipients: frozenset[str]) -> bool:
    """True when a list of these recipients already meets the goal of the step."""
    return (step.recipient_id in recipients) is (step.goal is Goal.VISIBLE)
