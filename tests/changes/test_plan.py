"""The plan: the fewest single changes, and what counts as a large removal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.changes.plan import ChangeStep, Goal, is_large_removal, is_met, plan_changes
from tests.changes.saving import ITEM

ids = st.frozensets(st.text(max_size=3), max_size=6)


def test_only_what_is_not_so_already_is_planned() -> None:
    """Additions that are there and removals that are gone need no call; additions come first, by id."""
    plan = plan_changes(
        ITEM,
        current=frozenset({"A", "B", "C"}),
        add=frozenset({"B", "E", "D"}),
        remove=frozenset({"A", "X"}),
    )
    assert plan.steps == (
        ChangeStep("D", Goal.VISIBLE),
        ChangeStep("E", Goal.VISIBLE),
        ChangeStep("A", Goal.NOT_VISIBLE),
    )
    assert plan.already_so == (ChangeStep("B", Goal.VISIBLE), ChangeStep("X", Goal.NOT_VISIBLE))


def test_a_plan_names_what_it_adds_and_removes() -> None:
    """The recipients are told apart by their goal."""
    plan = plan_changes(ITEM, current=frozenset({"A"}), add=frozenset({"B"}), remove=frozenset({"A"}))
    assert (plan.added, plan.removed, plan.is_empty) == (frozenset({"B"}), frozenset({"A"}), False)


def test_a_plan_with_nothing_to_do_is_empty() -> None:
    """What is so already makes no plan."""
    plan = plan_changes(ITEM, current=frozenset({"A"}), add=frozenset({"A"}), remove=frozenset())
    assert plan.is_empty


@given(current=ids, add=ids, remove=ids)
def test_a_plan_leads_to_what_was_asked(
    current: frozenset[str], add: frozenset[str], remove: frozenset[str]
) -> None:
    """Applied to the list, the steps give the list with the additions and without the removals."""
    plan = plan_changes(ITEM, current=current, add=add - remove, remove=remove)
    after = (current | plan.added) - plan.removed
    assert after == (current | add) - remove
    assert not any(is_met(step, current) for step in plan.steps)
    assert all(is_met(step, after) for step in plan.steps + plan.already_so)


@pytest.mark.parametrize(
    ("before", "removed", "added", "is_large"),
    [
        (10, 5, 0, False),
        (10, 6, 0, True),
        (1, 1, 0, True),
        (2, 1, 0, False),
        (1, 1, 1, True),
        (10, 10, 5, True),
        (0, 0, 0, False),
        (0, 0, 3, False),
        (3, 0, 0, False),
    ],
)
def test_a_large_removal_leaves_nobody_or_takes_more_than_half(
    before: int,
    removed: int,
    added: int,
    is_large: bool,  # noqa: FBT001  (a column of the table)
) -> None:
    """The last one, or more than half of those before; additions do not make up for it."""
    assert is_large_removal(before=before, removed=removed, added=added) is is_large


def test_a_plan_knows_that_it_is_a_large_removal() -> None:
    """It is measured against the list as it is now."""
    current = frozenset({"A", "B", "C"})
    large = plan_changes(ITEM, current=current, add=frozenset(), remove=frozenset({"A", "B"}))
    small = plan_changes(ITEM, current=current, add=frozenset(), remove=frozenset({"A"}))
    assert (large.is_large_removal, small.is_large_removal) == (True, False)
