"""Reviews: decisions of several people, what is due, and the preview of what is to be removed."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from item_visibility.changes.bulk import BulkItem
from item_visibility.desk.reviews.review_sheet import KeepOrRemove, SheetItem
from item_visibility.errors import BulkError, ReadOnlyError, ReviewError
from item_visibility.people.person import Person, Role
from tests.support.desk import ANN, ITEM, OTHER_ITEM, TEST_ENVIRONMENT, DeskKit, a_request, open_kit
from tests.support.known_names import put_names

BEN = Person(subject="ben", name="ben", role=Role.EDITOR)
TODAY = date(2026, 11, 21)
SUPPLIER = ITEM.supplier


class Someone:
    """The person who asks; a test can let another one come."""

    def __init__(self) -> None:
        self.is_ben = False

    def __call__(self) -> Person:
        """The person."""
        return BEN if self.is_ben else ANN


@pytest.fixture
def someone() -> Someone:
    """Ann, at first."""
    return Someone()


@pytest.fixture
def kit(tmp_path: Path, someone: Someone) -> Iterator[DeskKit]:
    """A desk with two known items of one supplier."""
    with open_kit(tmp_path, {ITEM: {"A", "B"}, OTHER_ITEM: {"A"}}, person=someone) as kit:
        put_names(kit.records.directory, items=[(ITEM, "", "Butter"), (OTHER_ITEM, "", "Oil")])
        yield kit


def later(kit: DeskKit, **delta: float) -> None:
    """Let time pass."""
    kit.fake.time.now_at += timedelta(**delta)


def test_a_decision_is_kept_with_who_and_when(kit: DeskKit) -> None:
    """Nothing is sent by it."""
    assert kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, reason="contract ended", seen={}) == ()
    decision = kit.desk.reviews.decisions(ITEM)["A"]
    assert (decision.choice, decision.reason, decision.decided_by) == (
        KeepOrRemove.REMOVE,
        "contract ended",
        "ann",
    )
    assert decision.decided_at == kit.fake.time.now()
    assert kit.fake.writes == []


def test_a_secret_is_no_reason(kit: DeskKit) -> None:
    """Others read it, and it goes into a job and into the history."""
    secret = TEST_ENVIRONMENT.credentials.client_secret
    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, reason=f"ended, {secret}", seen={})
    assert kit.desk.reviews.decisions(ITEM)["A"].reason == "ended, [hidden]"


def test_who_sees_a_decision_may_change_it(kit: DeskKit) -> None:
    """The last word counts."""
    reviews = kit.desk.reviews
    reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, seen={})
    seen = reviews.decisions(ITEM)
    later(kit, minutes=1)
    assert reviews.decide(ITEM, {"A", "B"}, KeepOrRemove.KEEP, seen=seen) == ()
    assert {one: found.choice for one, found in reviews.decisions(ITEM).items()} == {
        "A": KeepOrRemove.KEEP,
        "B": KeepOrRemove.KEEP,
    }


def test_two_people_do_not_overwrite_each_other(kit: DeskKit, someone: Someone) -> None:
    """The decision that was not seen stays, and is told; the others are kept."""
    reviews = kit.desk.reviews
    reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, seen={})
    someone.is_ben = True
    later(kit, minutes=1)
    (told,) = reviews.decide(ITEM, {"A", "B"}, KeepOrRemove.KEEP, seen={})
    assert (told.recipient_id, told.choice, told.decided_by) == ("A", KeepOrRemove.REMOVE, "ann")
    assert {one: found.decided_by for one, found in reviews.decisions(ITEM).items()} == {
        "A": "ann",
        "B": "ben",
    }


def test_a_decision_that_changed_under_ones_eyes_stays(kit: DeskKit, someone: Someone) -> None:
    """It was seen as it was before."""
    reviews = kit.desk.reviews
    reviews.decide(ITEM, {"A"}, KeepOrRemove.KEEP, seen={})
    seen = reviews.decisions(ITEM)
    later(kit, minutes=1)
    reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, seen=seen)
    someone.is_ben = True
    later(kit, minutes=1)
    (told,) = reviews.decide(ITEM, {"A"}, KeepOrRemove.KEEP, seen=seen)
    assert told.choice is KeepOrRemove.REMOVE
    assert reviews.decisions(ITEM)["A"].decided_by == "ann"


def test_the_same_decision_of_another_is_no_quarrel(kit: DeskKit, someone: Someone) -> None:
    """Both say keep: the first one stays."""
    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.KEEP, seen={})
    someone.is_ben = True
    later(kit, minutes=1)
    assert kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.KEEP, seen={}) == ()
    assert kit.desk.reviews.decisions(ITEM)["A"].decided_by == "ann"


def test_a_removal_forgets_the_decision(kit: DeskKit) -> None:
    """A recipient who is added again needs a new decision."""
    kit.desk.reviews.decide(ITEM, {"A", "B"}, KeepOrRemove.REMOVE, seen={})
    later(kit, minutes=1)
    kit.save(a_request(ITEM, base="AB", remove={"A"}))
    assert kit.desk.reviews.decisions(ITEM).keys() == {"B"}


def test_the_preview_asks_for_exactly_what_was_decided(kit: DeskKit) -> None:
    """Item by item; a reason that all share is the job's."""
    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, reason="ended", seen={})
    kit.desk.reviews.decide(ITEM, {"B"}, KeepOrRemove.KEEP, reason="stays", seen={})
    kit.desk.reviews.decide(OTHER_ITEM, {"A"}, KeepOrRemove.REMOVE, reason="ended", seen={})
    key = kit.desk.reviews.preview_removals(SUPPLIER, title="Review of Dairy")
    job = kit.desk.bulk.store.job(key)
    assert job is not None
    assert (job.title, job.reason) == ("Review of Dairy", "ended")
    assert [one.intent for one in kit.desk.bulk.store.items(key)] == [
        BulkItem(item=ITEM, remove=frozenset("A")),
        BulkItem(item=OTHER_ITEM, remove=frozenset("A")),
    ]
    assert kit.fake.writes == []


def test_different_reasons_are_no_reason_of_the_job(kit: DeskKit) -> None:
    """Each stands with its decision."""
    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, reason="ended", seen={})
    kit.desk.reviews.decide(ITEM, {"B"}, KeepOrRemove.REMOVE, reason="moved", seen={})
    job = kit.desk.bulk.store.job(kit.desk.reviews.preview_removals(SUPPLIER, title="Review"))
    assert job is not None
    assert job.reason == ""


def test_without_a_removal_there_is_no_preview(kit: DeskKit) -> None:
    """And the reason is said."""
    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.KEEP, seen={})
    with pytest.raises(BulkError, match="No recipient was chosen"):
        kit.desk.reviews.preview_removals(SUPPLIER, title="Review")


def test_an_item_is_due_from_its_day_on(kit: DeskKit) -> None:
    """In UTC; a later day takes it off the list again."""
    reviews = kit.desk.reviews
    reviews.plan_next(ITEM, TODAY + timedelta(days=1))
    before = reviews.due()
    later(kit, days=1)
    due = [(one.item, one.review_on, one.set_by) for one in reviews.due()]
    reviews.plan_next(ITEM, TODAY + timedelta(days=30))
    assert (before, due) == ((), [(ITEM, TODAY + timedelta(days=1), "ann")])
    assert reviews.due() == ()


def test_a_day_that_would_be_due_at_once_is_refused(kit: DeskKit) -> None:
    """It would be a slip."""
    with pytest.raises(ReviewError, match="due at once"):
        kit.desk.reviews.plan_next(ITEM, TODAY)


def test_a_sheet_lists_the_known_items(kit: DeskKit) -> None:
    """It says which are due, and how many are to be removed."""
    kit.desk.reviews.plan_next(ITEM, TODAY + timedelta(days=1))
    kit.desk.reviews.decide(OTHER_ITEM, {"A"}, KeepOrRemove.REMOVE, seen={})
    later(kit, days=2)
    assert kit.desk.reviews.sheet(SUPPLIER) == (
        SheetItem(item=ITEM, review_on=TODAY + timedelta(days=1), is_due=True, to_remove=0),
        SheetItem(item=OTHER_ITEM, review_on=None, is_due=False, to_remove=1),
    )


def test_nothing_is_decided_where_nothing_may_be_changed(tmp_path: Path) -> None:
    """A read-only environment refuses it."""
    with open_kit(tmp_path, {}, environment=replace(TEST_ENVIRONMENT, is_read_only=True)) as kit:
        with pytest.raises(ReadOnlyError):
            kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.KEEP, seen={})
        with pytest.raises(ReadOnlyError):
            kit.desk.reviews.plan_next(ITEM, TODAY + timedelta(days=9))
