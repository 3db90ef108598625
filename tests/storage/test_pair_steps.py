"""The records of one recipient of one item."""

from dataclasses import replace

from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.database import Database
from item_visibility.storage.history.saves import History
from item_visibility.storage.history.search import LastSeen, PairStep, PairSteps
from tests.storage.entries import ITEM, OTHER_ITEM, begin, minute, save


def test_a_step_tells_who_changed_it_when_and_how_it_ended(history: History, records: Database) -> None:
    """With the words that came with its refusal."""
    result = begin(history, "k", at=1, before="AB", add="C", person="eve", kind=ChangeKind.UNDO)
    refused = replace(result.steps[0], outcome=Outcome.REFUSED, message="It said no.")
    history.settle("k", replace(result, verdict=Verdict.DIFFERS, steps=(refused,)))
    assert PairSteps(records, service="default").newest(ITEM, "C", limit=9) == (
        PairStep(
            key="k",
            goal=Goal.VISIBLE,
            outcome=Outcome.REFUSED,
            message="It said no.",
            person="eve",
            kind=ChangeKind.UNDO,
            reason="",
            verdict=Verdict.DIFFERS,
            started_at=minute(1),
            ended_at=minute(1),
            seen_before_at=None,
        ),
    )


def test_the_newest_steps_of_one_pair_come_first(history: History, records: Database) -> None:
    """Neither those of another recipient, nor of another item, nor of another service."""
    save(history, "a", at=1, add="C")
    save(history, "b", at=2, before="C", remove="C")
    save(history, "c", at=3, add="D")
    save(history, "d", at=4, item=OTHER_ITEM, add="C")
    pairs = PairSteps(records, service="default")
    assert [one.key for one in pairs.newest(ITEM, "C", limit=9)] == ["b", "a"]
    assert [one.key for one in pairs.newest(ITEM, "C", limit=1)] == ["b"]
    assert PairSteps(records, service="another").newest(ITEM, "C", limit=9) == ()


def test_a_pair_is_known_as_a_save_left_it_unless_its_change_is_in_doubt(
    history: History, records: Database
) -> None:
    """Of an item that was not seen, nothing is known."""
    result = begin(history, "k", at=1, before="A", add="BC")
    unknown = replace(result.steps[1], outcome=Outcome.UNKNOWN)
    history.settle("k", replace(result, verdict=Verdict.NOT_CONFIRMED, steps=(result.steps[0], unknown)))
    pairs = PairSteps(records, service="default")
    assert pairs.last_seen(ITEM, "B") == LastSeen(minute(1), could_see=True)
    assert pairs.last_seen(ITEM, "D") == LastSeen(minute(1), could_see=False)
    assert pairs.last_seen(ITEM, "C") is None
    assert pairs.last_seen(OTHER_ITEM, "B") is None
