"""Decisions of reviews on record, on either database."""

from datetime import date

import pytest

from item_visibility.changes.decision import Decision, KeepOrRemove, NextReview
from item_visibility.records.database.connecting import Database
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.reviews.stored_reviews import Reviews
from tests.records.entries import ITEM, OTHER_ITEM, minute, save

TODAY = date(2026, 11, 21)
ODD = "\x00\ud800" + "y" * 5_000


def decided(choice: KeepOrRemove, recipient_id: str = "A", *, at: float = 0, by: str = "ann") -> Decision:
    """A decision that was made at that minute."""
    return Decision(
        item=ITEM,
        recipient_id=recipient_id,
        choice=choice,
        reason="because",
        decided_by=by,
        decided_at=minute(at),
    )


@pytest.fixture
def reviews(records: Database) -> Reviews:
    """The reviews of one service."""
    return Reviews(records, service="default")


def put(reviews: Reviews, *decisions: Decision, seen: float | None = None) -> tuple[Decision, ...]:
    """Decide, having seen decisions of that minute, or none."""
    times = {} if seen is None else {one.recipient_id: minute(seen) for one in decisions}
    return reviews.decide(decisions, decided_by_key="issuer", seen=times)


def test_a_decision_reads_as_it_was_made(records: Database, reviews: Reviews) -> None:
    """Any id will do; another service has none."""
    keep, remove = decided(KeepOrRemove.KEEP, ODD), decided(KeepOrRemove.REMOVE)
    assert put(reviews, keep, remove) == ()
    assert reviews.decisions(ITEM) == {ODD: keep, "A": remove}
    assert reviews.to_remove(ITEM.supplier) == (remove,)
    assert Reviews(records, service="another").decisions(ITEM) == {}


def test_a_decision_that_was_seen_is_replaced(reviews: Reviews) -> None:
    """The new one has its own time and person."""
    put(reviews, decided(KeepOrRemove.KEEP))
    later = decided(KeepOrRemove.REMOVE, at=5, by="ben")
    assert put(reviews, later, seen=0) == ()
    assert reviews.decisions(ITEM) == {"A": later}


@pytest.mark.parametrize("seen", [None, 0])
def test_a_decision_that_was_not_seen_stays(reviews: Reviews, seen: float | None) -> None:
    """It came meanwhile; whoever decides otherwise is told."""
    put(reviews, decided(KeepOrRemove.KEEP))
    put(reviews, decided(KeepOrRemove.REMOVE, at=5), seen=0)
    assert put(reviews, decided(KeepOrRemove.KEEP, at=6, by="ben"), seen=seen) == (
        decided(KeepOrRemove.REMOVE, at=5),
    )
    assert reviews.decisions(ITEM) == {"A": decided(KeepOrRemove.REMOVE, at=5)}


def test_the_same_decision_is_no_quarrel(reviews: Reviews) -> None:
    """The first one stays."""
    put(reviews, decided(KeepOrRemove.KEEP))
    assert put(reviews, decided(KeepOrRemove.KEEP, at=6, by="ben")) == ()
    assert reviews.decisions(ITEM) == {"A": decided(KeepOrRemove.KEEP)}


def test_a_decision_about_somebody_who_was_taken_away_is_made_anew(
    history: History, reviews: Reviews
) -> None:
    """A recorded change forgets it, so that it does not hold for a later addition."""
    put(reviews, decided(KeepOrRemove.REMOVE), decided(KeepOrRemove.KEEP, "B"))
    save(history, "key", at=5, before={"A", "B"}, remove={"A"})
    assert reviews.decisions(ITEM).keys() == {"B"}
    assert put(reviews, decided(KeepOrRemove.KEEP, at=6), seen=0) == ()
    assert reviews.decisions(ITEM)["A"].decided_at == minute(6)


def test_the_next_review_of_an_item_replaces_the_one_before(reviews: Reviews) -> None:
    """It is due on its day, the first day first."""
    for item, day in ((ITEM, 1), (OTHER_ITEM, 20), (ITEM, 21)):
        reviews.put_next(NextReview(item=item, review_on=date(2026, 11, day), set_by="ann", set_at=minute(0)))
    assert [one.item for one in reviews.due(TODAY)] == [OTHER_ITEM, ITEM]
    assert [one.item for one in reviews.due(TODAY, limit=1)] == [OTHER_ITEM]
    assert {item: one.review_on.day for item, one in reviews.next_reviews(ITEM.supplier).items()} == {
        ITEM: 21,
        OTHER_ITEM: 20,
    }
