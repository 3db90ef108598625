"""The plan of a save: one step for each recipient to add or remove. Note N3."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from item_visibility.client.identifiers import ItemKey


class Goal(StrEnum):
    """Whether a recipient is to see the item."""

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

    `in_place` are the requested changes that need no call, because the current list already has them.
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
    """Return one step for each recipient: additions first, then removals, each sorted by id."""
    added = (ChangeStep(recipient_id, Goal.VISIBLE) for recipient_id in sorted(add))
    return (*added, *(ChangeStep(recipient_id, Goal.NOT_VISIBLE) for recipient_id in sorted(remove)))


def plan_changes(
    item: ItemKey, *, current: frozenset[str], add: frozenset[str], remove: frozenset[str]
) -> ChangePlan:
    """Plan a step for each change that `current` does not have yet. `add` and `remove` must not overlap."""
    wanted = steps_for(add=add, remove=remove)
    steps = tuple(step for step in wanted if not is_met(step, current))
    in_place = tuple(step for step in wanted if is_met(step, current))
    return ChangePlan(item, current, steps, in_place)


def is_met(step: ChangeStep, recipients: frozenset[str]) -> bool:
    """True when a list of these recipients already meets the goal of the step."""
    return (step.recipient_id in recipients) is (step.goal is Goal.VISIBLE)
