"""End dates: set by hand or with an addition; who has one that has come is taken away after a preview."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.claim import Claim, claim_of_job
from item_visibility.changes.job import JobState, RowOutcome
from item_visibility.desk.table_files import FileKind
from item_visibility.errors import BulkError, EndDateError, ReadOnlyError
from item_visibility.jobs.item_dates import ItemDates
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
from tests.support.fake_visibilities import Fault, refused
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
    """Let this many days pass."""
    kit.fake.time.now_at += timedelta(days=count)


def previewed(kit: DeskKit) -> str:
    """The job of what has come, once everything was read."""
    key = kit.desk.end_dates.preview_due()
    wait_until(lambda: kit.desk.bulk.summary(key).unread == 0 and not kit.desk.bulk.previews.is_running(key))
    return key


def outcomes(kit: DeskKit, key: str) -> dict[RowOutcome, int]:
    """The outcomes of the job's rows."""
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
    assert kit.desk.bulk.store.job(undo).message == "Who is added back has no end date any more."
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


LIST = "Supplier;Item;Recipient;Bis\n{0};{1};A;30.11.2026\n{0};{1};E;30.11.2026\n{0};{1};F;\n"


def previewed_list(kit: DeskKit, text: str) -> str:
    """The job of a list, once everything was read."""
    understood = kit.desk.bulk.read_paste(text).understood(today=kit.desk.end_dates.today)
    key = kit.desk.bulk.start_preview(understood.items, title="list", skipped=understood.skipped)
    wait_until(lambda: kit.desk.bulk.summary(key).unread == 0 and not kit.desk.bulk.previews.is_running(key))
    return key


def test_a_list_sets_the_end_dates_that_it_names(kit: DeskKit) -> None:
    """Of who is added and of who could see the item before; a second time there is nothing to do."""
    text = LIST.format(ITEM.supplier, ITEM.supplier_item_id)
    key = previewed_list(kit, text)
    summary = kit.desk.bulk.summary(key)
    assert (summary.add, summary.in_place, summary.to_date) == (2, 1, 2)
    kit.desk.bulk.apply(key)
    set_now = [(one.recipient_id, one.last_day, one.set_by) for one in kit.desk.end_dates.of_item(ITEM)]
    person = kit.desk.bulk.store.job(key).person
    assert set_now == [("A", date(2026, 11, 30), person), ("E", date(2026, 11, 30), person)]
    assert kit.desk.bulk.summary(previewed_list(kit, text)).is_nothing_to_do


def test_an_undo_of_a_list_says_that_end_dates_stay(kit: DeskKit) -> None:
    """They stay for who could see the item before; who was added goes, with the day."""
    kit.desk.bulk.apply(key := previewed_list(kit, LIST.format(ITEM.supplier, ITEM.supplier_item_id)))
    days_pass(kit, 1)
    undo = kit.desk.bulk.undo(key)
    wait_until(
        lambda: kit.desk.bulk.summary(undo).unread == 0 and not kit.desk.bulk.previews.is_running(undo)
    )
    message = "End dates that the list set stay for those who could see the item before."
    assert kit.desk.bulk.store.job(undo).message == message
    kit.desk.bulk.apply(undo)
    assert [one.recipient_id for one in kit.desk.end_dates.of_item(ITEM)] == ["A"]


def test_a_list_leaves_end_dates_alone_that_are_as_it_says(kit: DeskKit) -> None:
    """Also who set them, and when, while it adds somebody else."""
    text = LIST.format(ITEM.supplier, ITEM.supplier_item_id)
    kit.desk.bulk.apply(previewed_list(kit, text))
    before = kit.desk.end_dates.of_item(ITEM)
    days_pass(kit, 1)
    more = f"{ITEM.supplier};{ITEM.supplier_item_id};G;\n"
    kit.desk.bulk.apply(key := previewed_list(kit, text + more))
    assert outcomes(kit, key) == {RowOutcome.VERIFIED: 1, RowOutcome.IN_PLACE: 3}
    assert kit.desk.end_dates.of_item(ITEM) == before


def test_a_list_that_sets_end_dates_alone_is_applied(kit: DeskKit) -> None:
    """One that is another day replaces the earlier one; nothing is sent."""
    kit.desk.end_dates.set(ITEM, {"A", "B"}, TODAY)
    text = f"Supplier;Item;Recipient;Until\n{ITEM.supplier};{ITEM.supplier_item_id};A;2026-11-30\n"
    key = previewed_list(kit, text)
    assert kit.desk.bulk.summary(key).is_applicable
    kit.desk.bulk.apply(key)
    assert outcomes(kit, key) == {RowOutcome.IN_PLACE: 1}
    days = {one.recipient_id: one.last_day for one in kit.desk.end_dates.of_item(ITEM)}
    assert days == {"A": date(2026, 11, 30), "B": TODAY}
    assert kit.fake.writes == []


def test_a_retry_and_its_file_keep_the_end_dates(kit: DeskKit) -> None:
    """Of those that failed; a row that was skipped is written with its own text."""
    text = LIST.format(ITEM.supplier, ITEM.supplier_item_id)
    skipped = f"{ITEM.supplier};{ITEM.supplier_item_id};G;soon\n"
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility", 403)))
    key = previewed_list(kit, text + skipped)
    kit.desk.bulk.apply(key)
    written = kit.desk.bulk.results.write(key, FileKind.CSV).decode().replace('"', "").splitlines()
    assert [line.split(",")[2:6] for line in written] == [
        ["Recipient", "Action", "Until", "Outcome"],
        ["A", "add", "2026-11-30", "already in place"],
        ["E", "add", "2026-11-30", "refused"],
        ["F", "add", "", "verified"],
        ["G", "", "soon", "skipped"],
    ]
    (again,) = kit.desk.bulk.results.failed_items(key)
    assert (again.add, again.until) == ({"E"}, {"E": date(2026, 11, 30)})


def test_an_unfinished_job_that_set_end_dates_does_not_say_that_nothing_was_changed(kit: DeskKit) -> None:
    """The recipient who could see the item has one now, and the others were refused."""
    kit.fake.faults += [Fault("addVisibility", refused("addVisibility", 403))] * 2
    key = previewed_list(kit, LIST.format(ITEM.supplier, ITEM.supplier_item_id))
    kit.desk.bulk.apply(key)
    assert outcomes(kit, key) == {RowOutcome.IN_PLACE: 1, RowOutcome.REFUSED: 2}
    assert claim_of_job(kit.desk.bulk.store.job(key)) is Claim.PARTLY


def test_a_job_sees_the_end_dates_as_they_are_now(kit: DeskKit) -> None:
    """Dates that have come, dates to be set, and dates of the list that are over."""
    dates = ItemDates(kit.records.end_dates, clock=kit.fake.time.now)
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    asked = BulkItem(item=ITEM, add=frozenset("AB"), until={"A": TODAY, "B": TODAY + timedelta(days=9)})
    assert (dates.due_of(ITEM), dates.to_set(asked), dates.over(asked)) == (frozenset(), {"B"}, frozenset())
    days_pass(kit, 1)
    assert (dates.due_of(ITEM), dates.to_set(asked), dates.over(asked)) == ({"A"}, {"B"}, {"A"})
