"""Bulk jobs in our own records, on either database."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeStep, Goal
from item_visibility.model.job import (
    FAILED,
    UNDER_WAY,
    BulkItem,
    ItemPreview,
    ItemsShown,
    Job,
    JobItem,
    JobKind,
    JobOrigin,
    JobState,
    Outage,
    SkippedRow,
)
from item_visibility.model.outcome import Outcome, StepResult
from item_visibility.storage import jobs as job_store
from item_visibility.storage.database import Database
from item_visibility.storage.directory import Directory
from item_visibility.storage.jobs import Jobs
from item_visibility.timeouts import SCAN_DEAD_AFTER
from tests.storage.entries import ITEM, OTHER_ITEM, a_job
from tests.support.fake_visibilities import START

ODD_ITEM = ItemKey("s\x00\ud800", "x" * 5_000)
ODD_IDS = frozenset(
    {"", "..", "\x00", "\ud800", "\x1b0000", "é", "e\u0301", "y" * 5_000}
)
LATER = START + timedelta(minutes=5)
LATEST = START + timedelta(minutes=9)
ANY = frozenset(JobState)
FAILED_IN_TURN = sorted(FAILED)


@pytest.fixture
def store(records: Database) -> Jobs:
    return Jobs(records, service="default", environment="default")


def job(
    key: str = "job-1", *, item_count: int = 3, state: JobState = JobState.READING
) -> Job:
    title, person, reason = "Liste \x00.xlsx", "ada\x00", "Season \ud800"
    return a_job(
        key,
        title=title,
        person=person,
        reason=reason,
        state=state,
        item_count=item_count,
    )


def intent(number: int, *, add: str = "A", remove: str = "") -> BulkItem:
    return BulkItem(
        item=ItemKey("S", str(number)), add=frozenset(add), remove=frozenset(remove)
    )


INTENTS = tuple(intent(number) for number in range(3))


def results_of(store: Jobs) -> list[tuple[int, StepResult]]:
    return [(item.position, one) for item, one in store.results("job-1")]


def preview(
    *, current: str = "", add: str = "", remove: str = "", in_place: str = ""
) -> ItemPreview:
    return ItemPreview(
        current=frozenset(current),
        read_at=LATER,
        add=frozenset(add),
        remove=frozenset(remove),
        in_place=frozenset(in_place),
    )


def result(recipient_id: str, outcome: Outcome, message: str = "") -> StepResult:
    return StepResult(ChangeStep(recipient_id, Goal.VISIBLE), outcome, message=message)


def test_a_job_is_read_as_it_was_saved(store: Jobs) -> None:
    new = replace(
        job(item_count=99),
        undo_of="\x00",
        retry_of="\ud800",
        confirmed_count=3,
        message="\x1b",
    )
    intents = (
        BulkItem(
            item=ODD_ITEM, add=ODD_IDS, remove=frozenset("R"), rows=((2,), (3, 200_001))
        ),
        BulkItem(item=ODD_ITEM, exactly=frozenset()),
        BulkItem(item=ODD_ITEM, exactly=ODD_IDS),
    )
    skipped = tuple(
        SkippedRow(
            number=number,
            supplier="\ud800",
            supplier_item_id=f"I{number}\0",
            recipients="a, b",
            action="add",
            reason="Why.",
        )
        for number in (7, 9, 3)
    )
    store.create(new, intents, skipped)
    assert store.job("job-1") == replace(new, item_count=3, skipped=3)
    assert store.items("job-1", limit=9) == tuple(
        JobItem(position=position, intent=one) for position, one in enumerate(intents)
    )
    assert store.skipped_rows("job-1") == skipped
    assert store.skipped_rows("job-1", limit=1) == skipped[:1]


def test_a_job_that_is_saved_in_part_does_not_exist(store: Jobs) -> None:
    good = SkippedRow(
        number=1,
        supplier="S",
        supplier_item_id="I",
        recipients="",
        action="add",
        reason="Why.",
    )
    with pytest.raises(RecordsError):
        store.create(job(), INTENTS, [good, replace(good, reason=cast("str", None))])
    assert (
        store.job("job-1"),
        store.jobs(limit=9),
        store.in_state(ANY, JobOrigin.BULK_PAGE),
    ) == (
        None,
        (),
        (),
    )


@pytest.mark.parametrize(
    ("service", "environment"), [("another", "default"), ("default", "another")]
)
def test_a_job_belongs_to_its_service_and_to_the_environment_whose_client_applies_it(
    store: Jobs, records: Database, service: str, environment: str
) -> None:
    other = Jobs(records, service=service, environment=environment)
    store.create(job(), INTENTS)
    other.put_previews("job-1", {0: preview(add="A")})
    moved = other.move(
        "job-1", JobState.CANCELLED, expected=ANY, at=LATER, reason="why"
    )
    other.end_item("job-1", 0, [result("A", Outcome.DONE)])
    assert not moved
    assert (
        other.job("job-1"),
        other.jobs(limit=9),
        other.in_state(ANY, JobOrigin.BULK_PAGE),
    ) == (
        None,
        (),
        (),
    )
    assert other.items("job-1", limit=9) == ()
    assert store.jobs(limit=9) == (job(),)
    assert store.items("job-1", limit=9)[0] == JobItem(position=0, intent=INTENTS[0])


@pytest.mark.parametrize(
    "state", [JobState.PREVIEWED, JobState.QUEUED, JobState.CANCELLED]
)
def test_a_late_read_changes_no_preview(store: Jobs, state: JobState) -> None:
    store.create(job(), INTENTS)
    store.put_previews("job-1", {0: preview(add="A")})
    store.move("job-1", JobState.RUNNING, expected=ANY, at=LATER)
    store.move("job-1", state, expected=ANY, at=LATER)
    store.put_previews("job-1", {0: preview(add="AB"), 1: preview(add="B")})
    first, second, *_ = store.items("job-1", limit=9)
    assert (first.preview, second.preview) == (preview(add="A"), None)


def test_jobs_are_listed_newest_first_and_those_in_a_state_oldest_first(
    store: Jobs,
) -> None:
    for key, state in (
        ("a", JobState.QUEUED),
        ("b", JobState.ENDED),
        ("c", JobState.RUNNING),
    ):
        store.create(job(key, state=state), ())
    store.create(
        replace(job("d", state=JobState.RUNNING), origin=JobOrigin.COMMAND), ()
    )
    assert [one.key for one in store.jobs(limit=3)] == ["d", "c", "b"]
    assert [one.key for one in store.in_state(UNDER_WAY, JobOrigin.BULK_PAGE)] == [
        "a",
        "c",
    ]
    assert [one.key for one in store.in_state(UNDER_WAY, JobOrigin.COMMAND)] == ["d"]


@pytest.mark.parametrize("key", ["first", "second", "third"])
def test_all_attempts_at_a_job_come_oldest_first(store: Jobs, key: str) -> None:
    store.create(a_job("first"), [])
    store.create(a_job("second", retry_of="first"), [])
    store.create(a_job("third", retry_of="second"), [])
    assert [attempt.key for attempt in store.attempts(key)] == [
        "first",
        "second",
        "third",
    ]


def test_a_retry_of_a_job_that_is_not_here_is_the_first_attempt(store: Jobs) -> None:
    store.create(a_job("retry", retry_of="elsewhere"), [])
    assert [attempt.key for attempt in store.attempts("retry")] == ["retry"]
    assert store.attempts("elsewhere") == ()


@pytest.mark.parametrize("origin", JobOrigin)
def test_a_job_is_moved_only_if_it_has_the_expected_origin(
    store: Jobs, origin: JobOrigin
) -> None:
    store.create(replace(job(), origin=origin), ())
    moved = {
        one: store.move("job-1", JobState.RUNNING, expected=ANY, at=LATER, origin=one)
        for one in JobOrigin
    }
    assert moved == {one: one is origin for one in JobOrigin}


def test_a_claim_of_a_job_is_seen_by_others_until_it_ends(
    records: Database, store: Jobs
) -> None:
    other = Jobs(records, service="default", environment="default")
    with store.claim("job-1", sleep=Mock()) as is_held:
        assert is_held()
        assert other.is_claimed("job-1")
        assert not other.is_claimed("job-2")
    assert not other.is_claimed("job-1")


def test_a_job_changes_only_from_an_expected_state(store: Jobs) -> None:
    store.create(job(state=JobState.PREVIEWED), INTENTS)
    first = store.move(
        "job-1",
        JobState.QUEUED,
        expected={JobState.PREVIEWED},
        at=LATER,
        confirmed_count=4,
        reason="why",
    )
    second = store.move(
        "job-1",
        JobState.CANCELLED,
        expected={JobState.PREVIEWED},
        at=LATER,
        message="no",
    )
    moved = store.job("job-1")
    assert (first, second) == (True, False)
    assert moved == replace(
        job(), state=JobState.QUEUED, confirmed_count=4, reason="why"
    )


def test_a_job_starts_once_and_ends_after_each_resume(store: Jobs) -> None:
    store.create(job(item_count=0), ())
    store.move("job-1", JobState.RUNNING, expected=ANY, at=START, confirmed_count=2)
    store.move("job-1", JobState.CANCELLED, expected=ANY, at=LATER, message="enough")
    cancelled = store.job("job-1")
    store.move("job-1", JobState.RUNNING, expected=ANY, at=LATEST)
    taken_up = store.job("job-1")
    store.move("job-1", JobState.ENDED, expected=ANY, at=LATEST)
    ended = store.job("job-1")
    base = replace(job(item_count=0), started_at=START, confirmed_count=2)
    assert cancelled == replace(
        base, state=JobState.CANCELLED, ended_at=LATER, message="enough"
    )
    assert taken_up == replace(base, state=JobState.RUNNING)
    assert ended == replace(base, state=JobState.ENDED, ended_at=LATEST)


def test_previews_are_read_as_they_were_saved(store: Jobs) -> None:
    store.create(job(), INTENTS)
    shown = {
        0: ItemPreview.of(INTENTS[0], ODD_IDS, read_at=START),
        1: ItemPreview.of(INTENTS[1], None, read_at=START),
        2: ItemPreview.of(
            INTENTS[2], None, read_at=START, refusal="The id holds \x00."
        ),
    }
    store.put_previews("job-1", shown)
    assert {one.position: one.preview for one in store.items("job-1", limit=9)} == shown


def test_previews_are_counted_and_filtered_by_their_changes(store: Jobs) -> None:
    store.create(job(), [intent(number) for number in range(6)])
    store.put_previews(
        "job-1",
        {
            0: preview(current="AB", add="CD", remove="A", in_place="B"),
            1: replace(preview(current="AB", remove="AB"), is_large_removal=True),
            2: preview(current="A", in_place="A"),
        },
    )
    store.put_previews(
        "job-1", {3: replace(preview(), refusal="no"), 4: preview(add="A")}
    )
    found = {
        shown: [one.position for one in store.items("job-1", limit=9, shown=shown)]
        for shown in ItemsShown
    }
    assert store.job("job-1") == replace(
        job(item_count=6),
        read_items=5,
        to_add=3,
        to_remove=3,
        in_place=2,
        changing=3,
        refused=1,
        large_removals=1,
        removals_to_confirm=2,
    )
    assert found == {
        ItemsShown.ALL: [0, 1, 2, 3, 4, 5],
        ItemsShown.CHANGES: [0, 1, 4],
        ItemsShown.LARGE_REMOVALS: [1],
        ItemsShown.REFUSED: [3],
        ItemsShown.UNREAD: [5],
        ItemsShown.NOTHING_TO_DO: [2],
    }


def test_an_item_that_two_processes_read_counts_once(store: Jobs) -> None:
    store.create(job(), INTENTS)
    store.put_previews("job-1", {0: preview(add="AB")})
    store.put_previews("job-1", {at: preview(add="C", in_place="A") for at in range(3)})
    totals = store.job("job-1")
    assert totals is not None
    assert (totals.unread, totals.to_add, totals.in_place) == (0, 4, 2)


def test_items_come_page_by_page_and_without_those_that_ended(store: Jobs) -> None:
    store.create(job(), [intent(number) for number in range(5)])
    store.end_item("job-1", 1, [])
    page = store.items("job-1", after=0, limit=2)
    open_page = store.items("job-1", after=0, limit=2, is_open=True)
    assert [(one.position, one.is_ended) for one in page] == [(1, True), (2, False)]
    assert [one.position for one in open_page] == [2, 3]


def test_an_item_ends_once(store: Jobs) -> None:
    store.create(job(), INTENTS)
    store.end_item("job-1", 1, [result("A", Outcome.DONE)])
    store.end_item(
        "job-1", 1, [result("A", Outcome.REFUSED), result("B", Outcome.REFUSED)]
    )
    assert results_of(store) == [(1, result("A", Outcome.DONE))]
    assert store.job("job-1") == replace(
        job(), ended_items=1, outcomes={Outcome.DONE: 1}
    )
    assert store.counts() == (
        Counter({JobState.READING: 1}),
        Counter({Outcome.DONE: 1}),
    )


def test_an_item_whose_rows_cannot_be_saved_has_not_ended(store: Jobs) -> None:
    invalid = result("B", Outcome.DONE, cast("str", None))
    store.create(job(), INTENTS)
    with pytest.raises(RecordsError):
        store.end_item("job-1", 1, [result("A", Outcome.DONE), invalid])
    assert store.job("job-1") == job()
    store.end_item("job-1", 1, [result("A", Outcome.DONE)])
    assert results_of(store) == [(1, result("A", Outcome.DONE))]


def test_rows_come_as_they_were_saved(
    store: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_store, "BATCH", 5)
    store.create(job(), INTENTS)
    ended = [
        result(one, FAILED_IN_TURN[len(one) % 4], "\x00\ud800")
        for one in sorted(ODD_IDS)
    ]
    for at in range(3):
        store.end_item("job-1", at, ended[::-1])
    assert results_of(store) == [(at, one) for at in range(3) for one in ended]


def test_a_job_knows_since_when_it_waits_for_the_service(store: Jobs) -> None:
    store.create(job(state=JobState.RUNNING), INTENTS)
    outage = Outage("It is down.", START, LATER)
    store.move(
        "job-1",
        JobState.WAITING,
        expected=ANY,
        at=LATER,
        message="It is down.",
        outage=outage,
    )
    waiting = store.job("job-1")
    store.move("job-1", JobState.RUNNING, expected=ANY, at=LATER)
    running = store.job("job-1")
    since = {"waiting_since": START, "next_try_at": LATER}
    assert waiting == replace(
        job(), state=JobState.WAITING, message="It is down.", **since
    )
    assert running == replace(job(state=JobState.RUNNING), started_at=LATER)


ADD, EXACTLY = (
    BulkItem(item=ITEM, add=frozenset("A")),
    BulkItem(item=ITEM, exactly=frozenset("B")),
)


def test_the_unfinished_jobs_on_an_item_are_found_with_what_they_are_to_do(
    records: Database, store: Jobs
) -> None:
    elsewhere = Jobs(records, service="default", environment="another")
    store.create(job("older", state=JobState.PAUSED), [BulkItem(item=OTHER_ITEM), ADD])
    store.create(job("newer", state=JobState.QUEUED), [EXACTLY])
    store.create(job("preview"), [ADD])
    store.create(job("over", state=JobState.ENDED), [ADD])
    found = store.unfinished(ITEM)
    store.end_item("older", 1, [])
    assert [(one.key, intent) for one, intent in found] == [
        ("newer", EXACTLY),
        ("older", ADD),
    ]
    assert [one.key for one, _ in store.unfinished(ITEM)] == ["newer"]
    assert elsewhere.unfinished(ITEM) == ()


def a_scan(*, at: datetime) -> Job:
    return replace(job("scan"), created_at=at, item_count=0)


@pytest.fixture
def scans(records: Database) -> Jobs:
    Directory(records, service="another").remember([ItemKey("S", "9")])
    Directory(records, service="default").remember([ITEM, OTHER_ITEM, ODD_ITEM])
    return Jobs(records, service="default", environment="default", kind=JobKind.SCAN)


@pytest.mark.parametrize(
    ("supplier", "items"),
    [
        (None, [ITEM, OTHER_ITEM, ODD_ITEM]),
        (ODD_ITEM.supplier, [ODD_ITEM]),
        ("nobody's", []),
    ],
)
def test_a_scan_is_a_job_of_the_known_items(
    scans: Jobs, store: Jobs, supplier: str | None, items: list[ItemKey]
) -> None:
    assert scans.begin_scan(a_scan(at=START), supplier)
    found = scans.items("scan", limit=9, shown=ItemsShown.UNREAD)
    assert scans.job("scan") == replace(a_scan(at=START), item_count=len(items))
    assert [one.intent for one in found] == [BulkItem(item=item) for item in items]
    assert (store.job("scan"), store.jobs(), store.unfinished(ITEM)) == (None, (), ())


def test_a_living_scan_is_not_taken_over_by_a_replica_whose_clock_is_wrong(
    scans: Jobs, records: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, slow = (a_scan(at=records.now() + timedelta(seconds=s)) for s in (400, -400))
    begun = [scans.begin_scan(scan, None) for scan in (slow, fast, slow)]
    scans.move("scan", JobState.ENDED, expected=ANY, at=START)
    begun.append(scans.begin_scan(fast, None))
    late = records.now() + SCAN_DEAD_AFTER + timedelta(seconds=1)
    monkeypatch.setattr(records, "now", lambda: late)
    assert not scans.is_alive("scan")
    assert [*begun, scans.begin_scan(slow, None)] == [True, False, False, True, True]


def test_each_read_is_a_heartbeat_and_stores_whether_the_service_is_down(
    store: Jobs,
) -> None:
    store.create(job(), INTENTS)
    outage = Outage("Down.", LATER, LATEST)
    is_wanted = store.put_previews("job-1", {}, outage)
    is_alive, down = store.is_alive("job-1"), store.job("job-1")
    store.put_previews("job-1", {})
    up = store.job("job-1")
    store.move("job-1", JobState.CANCELLED, expected=ANY, at=LATEST)
    assert (is_wanted, is_alive) == (True, True)
    assert down == replace(job(), waiting_since=LATER, next_try_at=LATEST)
    assert up == job()
    assert not store.put_previews("job-1", {0: preview()})
