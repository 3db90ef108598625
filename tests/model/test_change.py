"""The plan of a save."""

from hypothesis import given
from hypothesis import strategies as st

from item_visibility.model.change import (
    ChangeStep,
    Goal,
    is_met,
    plan_changes,
)
from tests.saving.saving import ITEM

ids = st.frozensets(st.text(max_size=3), max_size=6)


def test_changes_already_in_place_are_not_planned() -> None:
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
    assert plan.in_place == (
        ChangeStep("B", Goal.VISIBLE),
        ChangeStep("X", Goal.NOT_VISIBLE),
    )


@given(current=ids, add=ids, remove=ids)
def test_a_plan_leads_to_what_was_asked(
    current: frozenset[str], add: frozenset[str], remove: frozenset[str]
) -> None:
    plan = plan_changes(ITEM, current=current, add=add - remove, remove=remove)
    after = (current | plan.added) - plan.removed
    assert after == (current | add) - remove
    assert not any(is_met(step, current) for step in plan.steps)
    assert all(is_met(step, after) for step in plan.steps + plan.in_place)
