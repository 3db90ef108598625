"""A save that waits for an answer: when it may still be made."""

from dataclasses import replace

import pytest

from item_visibility.changes.asked_save import AskedSave
from item_visibility.changes.draft import Draft
from tests.changes.saving import ITEM
from tests.support.fake_visibilities import START

LIST = Draft(ITEM, frozenset({"A", "B", "C"}), START)
CHANGES = LIST.with_wanted({"A": False, "B": False}).with_added(["D"])
OTHER_LIST = replace(LIST, base=frozenset({"A", "B"}))


@pytest.mark.parametrize(
    ("asked", "now", "may_be_saved"),
    [
        pytest.param(AskedSave(CHANGES), CHANGES, True, id="nothing has changed"),
        pytest.param(AskedSave(CHANGES), CHANGES.with_added(["E"]), True, id="more is staged"),
        pytest.param(AskedSave(CHANGES), CHANGES.with_taken_back("A"), False, id="a removal was taken back"),
        pytest.param(
            AskedSave(CHANGES), CHANGES.with_taken_back("D"), False, id="an addition was taken back"
        ),
        pytest.param(AskedSave(CHANGES), LIST, False, id="all was discarded"),
        pytest.param(
            AskedSave(CHANGES), replace(CHANGES, base=frozenset({"A", "B"})), False, id="another list"
        ),
        pytest.param(AskedSave(CHANGES, frozenset({"E"})), LIST, True, id="an undo beside an addition"),
        pytest.param(AskedSave(CHANGES, frozenset(), frozenset({"C"})), LIST, True, id="beside a removal"),
        pytest.param(
            AskedSave(CHANGES, frozenset({"E"})), OTHER_LIST, False, id="an undo against another list"
        ),
    ],
)
def test_a_question_is_answered_for_what_it_asked(
    asked: AskedSave, now: Draft, *, may_be_saved: bool
) -> None:
    """A list that changed, or a change that was taken back, makes it another question."""
    assert asked.may_be_saved(now) is may_be_saved
