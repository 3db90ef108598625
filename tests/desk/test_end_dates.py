"""End dates: set by hand or with an addition; who has one that has come is taken away after a preview."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from item_visibility.changes.job import JobState, RowOutcome
from item_visibility.errors import BulkError, EndDateError, ReadOnlyError
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    TEST_ENVIRONMENT,
    DeskKit,
    a_request,
    break_records,
    open_kit,
    wait_until,
)
from tests.support.job_engine import InlineEngine

TODAY = date(2026, 11, 21)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with two items, that works on what is applied at once."""
    engine = InlineEngine()
    items = {ITEM: {"A", "B", "C", "D"}, OTHER_ITEM: {"A", "B", "C"}}
    with open_kit(tmp_path, items, engine=engine) as kit:
        engine.work_for(kit)
        yield kit


def days_pass(kit: DeskKit, count: int) -> None:
    """So many days later."""
    kit.fake.time.now_at += timedelta(days=count)


def previewed(kit: DeskKit) -> str:
    """The job of what has come, once everything was read."""
    key = kit.desk.end_dates.preview_due()
    wait_until(lambda: kit.desk.bulk.summary(key).unread == 0 and not kit.desk.bulk.previews.is_running(key))
    return key


def outcomes(kit: DeskKit, key: str) -> dict[RowOutcome, int]:
    """How the rows of the job ended."""
    job = kit.desk.bulk.store.job(key)
    assert job is not None
    assert job.state is JobState.ENDED
    return dict(job.outcomes)


def test_what_has_come_is_taken_away_and_nothing_else(kit: DeskKit) -> None:
    """Others of the item stay, and who has a later day."""
    kit.desk.end_dates.set(ITEM, {"A", "B"}, TODAY)
    kit.desk.end_dates.set(OTHER_ITEM, {"C"}, TODAY + timedelta(days=1))
    days_pass(kit, 1)
    kit.desk.bulk.apply(key := previewed(kit), confirmed_count=None)
    assert outcomes(kit, key) == {RowOutcome.VERIFIED: 2}
    assert kit.fake.recipients_of(ITEM) == {"C", "D"}
    assert kit.fake.recipients_of(OTHER_ITEM) == {"A", "B", "C"}
    assert kit.desk.end_dates.due() == ()


def test_a_last_day_counts_to_its_end(kit: DeskKit) -> None:
    """In UTC, at midnight."""
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    kit.fake.time.now_at = kit.fake.time.now_at.replace(hour=23, minute=59)
    before = kit.desk.end_dates.count_due()
    kit.fake.time.now_at += timedelta(minutes=1)
    assert (before, kit.desk.end_dates.count_due()) == (0, 1)


def test_without_any_that_has_come_there_is_no_job(kit: DeskKit) -> None:
    """And the reason is said."""
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    with pytest.raises(BulkError, match="No end date has come"):
        kit.desk.end_dates.preview_due()


def test_a_day_that_is_over_is_refused(kit: DeskKit) -> None:
    """A slip of the year must not take anybody away."""
    with pytest.raises(EndDateError, match="2026-11-20 is over already"):
        kit.desk.end_dates.set(ITEM, {"A"}, TODAY - timedelta(days=1))
    with pytest.raises(EndDateError):
        kit.desk.save(replace(a_request(ITEM, add={"Z"}), last_day=TODAY - timedelta(days=1)))
    assert kit.desk.end_dates.of_item(ITEM) == ()
    assert kit.fake.writes == []


def test_a_day_changed_after_the_preview_is_respected(kit: DeskKit) -> None:
    """The job says that it left the recipient alone."""
    kit.desk.end_dates.set(ITEM, {"A", "B"}, TODAY)
    days_pass(kit, 1)
    key = previewed(kit)
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY + timedelta(days=30))
    kit.desk.end_dates.remove(ITEM, {"B"})
    kit.desk.bulk.apply(key)
    assert outcomes(kit, key) == {RowOutcome.CHANGED_MEANWHILE: 2}
    assert kit.fake.writes == []


def test_a_retry_of_such_a_job_respects_it_too(kit: DeskKit) -> None:
    """It is a job of end dates as well."""
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    days_pass(kit, 1)
    key = previewed(kit)
    kit.desk.end_dates.remove(ITEM, {"A"})
    kit.desk.bulk.apply(key)
    again = kit.desk.bulk.store.job(kit.desk.bulk.retry_failed(key))
    assert again is not None
    assert again.is_of_end_dates


def test_who_is_gone_elsewhere_is_settled_without_a_write(kit: DeskKit) -> None:
    """The preview finds nothing to do, and the end date is over."""
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    days_pass(kit, 1)
    kit.fake.put(ITEM, {"B", "C", "D"})
    summary = kit.desk.bulk.summary(previewed(kit))
    assert summary.is_nothing_to_do
    assert kit.fake.writes == []
    assert kit.desk.end_dates.count_due() == 0


def test_who_was_added_again_stays(kit: DeskKit) -> None:
    """The end date belonged to the earlier addition."""
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    kit.save(a_request(ITEM, key="1", base="ABCD", remove={"A"}))
    kit.fake.time.now_at += timedelta(minutes=1)
    kit.save(a_request(ITEM, key="2", base="BCD", add={"A"}))
    days_pass(kit, 1)
    assert kit.desk.end_dates.due() == ()


def test_an_addition_may_carry_a_day(kit: DeskKit) -> None:
    """It counts for those that the save added, and says who set it."""
    kit.save(replace(a_request(ITEM, base="ABCD", add={"Y", "Z"}), last_day=TODAY))
    found = kit.desk.end_dates.of_item(ITEM)
    assert [(one.recipient_id, one.last_day, one.set_by) for one in found] == [
        ("Y", TODAY, "ann"),
        ("Z", TODAY, "ann"),
    ]


def test_an_undo_of_the_job_brings_them_back_without_a_day(kit: DeskKit) -> None:
    """Nobody asked for another one."""
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    days_pass(kit, 1)
    kit.desk.bulk.apply(key := previewed(kit))
    undo = kit.desk.bulk.undo(key)
    wait_until(
        lambda: kit.desk.bulk.summary(undo).unread == 0 and not kit.desk.bulk.previews.is_running(undo)
    )
    kit.desk.bulk.apply(undo)
    assert "A" in kit.fake.recipients_of(ITEM)
    assert kit.desk.end_dates.of_item(ITEM) == ()


def test_nothing_is_set_where_nothing_may_be_changed(tmp_path: Path) -> None:
    """A read-only environment refuses it, and may still look."""
    with open_kit(tmp_path, {}, environment=replace(TEST_ENVIRONMENT, is_read_only=True)) as kit:
        with pytest.raises(ReadOnlyError):
            kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
        with pytest.raises(ReadOnlyError):
            kit.desk.end_dates.remove(ITEM, {"A"})
        assert kit.desk.end_dates.due() == ()


def test_without_our_database_no_notice_is_drawn(kit: DeskKit, tmp_path: Path) -> None:
    """A warning about the database stands on every page."""
    break_records(tmp_path)
    assert kit.desk.end_dates.count_due() == 0
